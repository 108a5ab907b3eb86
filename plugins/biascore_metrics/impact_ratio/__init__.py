"""Impact ratios: how often people of each category are selected, over the category that is selected most often."""

from biascore.api.hooks import provides

register_metrics = provides("biascore_metrics.impact_ratio.metric:ImpactRatio")
register_formats = provides("biascore_metrics.impact_ratio.items:OutcomesFormat")
register_exporters = provides("biascore_metrics.impact_ratio.metric:ImpactTables")
