"""StereoSet (Nadeem, Bethke & Reddy 2021) for masked and for causal language models, and the data format of its file."""

from biascore.api.hooks import provides

register_metrics = provides("biascore_metrics.stereoset.metric:StereoSet")
register_formats = provides("biascore_metrics.stereoset.items:StereoSetFormat")
