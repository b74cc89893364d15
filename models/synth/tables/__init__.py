"""One module per game: each builds a table that could stand in the middle of a real game."""
