"""Scorers of emotions: regressors trained on a labelled file, kept as plain arrays and JSON in a folder."""
