"""``scorer:`` a folder of ``biascore train-scorer``: regressors of emotions, on tf-idf or on the vectors of a model."""
