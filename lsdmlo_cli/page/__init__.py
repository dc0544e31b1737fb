"""One file of HTML about data sets, resamplings and experiments, with everything in it: `lsdmlo page`."""
