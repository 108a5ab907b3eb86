"""Whom does a pronoun mean? WinoBias (Zhao et al. 2018) and Winogender (Rudinger et al. 2018), with their data formats."""

from biascore.api.hooks import provides

register_metrics = provides(
    "biascore_metrics.coreference.winobias:WinoBias", "biascore_metrics.coreference.winogender:Winogender"
)
register_formats = provides(
    "biascore_metrics.coreference.winobias_items:WinoBiasFormat",
    "biascore_metrics.coreference.winogender_items:WinogenderFormat",
)
