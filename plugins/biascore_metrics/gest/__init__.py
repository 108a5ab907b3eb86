"""GEST (Pikuliak et al. 2023): stereotypes in translation, in masked and in causal language models, and its data."""

from biascore.api.hooks import provides

register_metrics = provides(
    "biascore_metrics.gest.translation:GestMt",
    "biascore_metrics.gest.lm:GestLm",
    "biascore_metrics.gest.lm:GestMlm",
    "biascore_metrics.gest.lm:GestCausal",
)
register_formats = provides(
    "biascore_metrics.gest.formats:GestFormat",
    "biascore_metrics.gest.formats:GenderVariantsFormat",
    "biascore_metrics.gest.formats:EuroGestFormat",
)
