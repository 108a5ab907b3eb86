"""CrowS-Pairs (Nangia et al. 2020) for masked and for causal language models, and the data format of its file."""

from biascore.api.hooks import provides

register_metrics = provides(
    "biascore_metrics.crows_pairs.metrics:CrowsPairs",
    "biascore_metrics.crows_pairs.mixed:CrowsPairsMixed",
)
register_formats = provides("biascore_metrics.crows_pairs.format:CrowsPairsFormat")
