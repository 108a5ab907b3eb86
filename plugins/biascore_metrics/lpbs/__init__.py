"""The log probability bias score (Kurita et al. 2019): WEAT over what a masked language model predicts."""

from biascore.api.hooks import provides

register_metrics = provides("biascore_metrics.lpbs.metric:Lpbs")
