"""Flexible Intersectional Stereotype Extraction (Charlesworth et al. 2024) and its form for grammatical gender."""

from biascore.api.hooks import provides

register_metrics = provides("biascore_metrics.fise.metric:Fise", "biascore_metrics.fise.metric:GgFise")
