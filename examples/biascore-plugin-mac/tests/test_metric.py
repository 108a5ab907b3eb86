"""The contract of a metric, on models with a known bias."""

from biascore.testing import check_metric

from biascore_plugin_mac.metric import Mac


def test_contract():
    found = check_metric(Mac, "en/mac")
    assert found.headline.value > 0
