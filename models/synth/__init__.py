"""The synthetic table: worlds with known truth, rendered for training, for measuring and for the samples.

Start with `tables` (what stands on a table), `dataset` (one picture, many pictures) and `truth` (what is written beside
it). Nothing is imported here: the renderer is an extra that the runtime never loads.
"""
