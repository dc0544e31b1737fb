"""Reports as tables for people and for papers (table, labels, resampling), how they are drawn (draw), and progress.

numpy is not needed here. What draws on a terminal is rich, which is loaded where something is drawn; so that a command loads no
more than it needs, this module holds nothing.
"""
