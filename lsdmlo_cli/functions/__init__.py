"""The commands as functions on files, arrays and data frames: the same figures for the same data, options and seed."""
