"""Regressors of emotions: trained on a labelled file, kept as plain arrays and JSON in a folder, opened as ``scorer:``."""

from biascore.api.hooks import provides

register_adapters = provides("biascore_emotions.adapter:ScorerAdapter")
