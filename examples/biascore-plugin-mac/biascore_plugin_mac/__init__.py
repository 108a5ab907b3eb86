"""Mac for biascore: a metric, the kind of test that it measures, and one test."""

biascore_contract = 1
