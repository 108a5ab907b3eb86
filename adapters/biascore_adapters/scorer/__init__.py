"""``scorer:`` a folder of ``biascore train-scorer``: regressors of emotions, on tf-idf or on the vectors of a model."""

from biascore.api.hooks import provides

register_adapters = provides("biascore_adapters.scorer.adapter:ScorerAdapter")
