"""Regressors of emotions: trained on a labelled file, kept as plain arrays and JSON in a folder, opened as ``scorer:``."""
