"""The Sentence Encoder Association Test (May et al. 2019): WEAT over sentence templates."""

from biascore.api.hooks import provides

register_metrics = provides("biascore_metrics.seat.metric:Seat")
