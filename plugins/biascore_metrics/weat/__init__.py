"""The Word Embedding Association Test and its single-category form (Caliskan et al. 2017)."""

from biascore.api.hooks import provides

register_metrics = provides("biascore_metrics.weat.weat:Weat", "biascore_metrics.weat.single:ScWeat")
register_formats = provides("biascore_metrics.weat.words:WordsFormat")
