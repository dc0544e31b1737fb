"""Pictures of data sets, of resampling and of experiments: each is a function from plain data to a Vega-Lite specification.

A picture is a function in a module here and a line of PICTURES in names.py. What draws is loaded where a file is written.
"""
