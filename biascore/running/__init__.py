"""The steps of a run: models opened, measurements made one by one, and what was done recorded."""
