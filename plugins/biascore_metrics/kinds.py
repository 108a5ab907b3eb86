"""The kinds of test, each of which is with its method; one plugin, so that every file of tests can be read."""

from biascore.api.hooks import provides

register_kinds = provides(
    "biascore_metrics.fise.items:FiseEntry",
    "biascore_metrics.crows_pairs.items:SentencePairsTestEntry",
    "biascore_metrics.gest.kind:SamplesTestEntry",
    "biascore_metrics.robust.items:AssociationsEntry",
    "biascore_metrics.grammatical_gender.kind:NounsEntry",
    "biascore_metrics.eec.kind:EquityEntry",
    "biascore_metrics.bbq.items:ChoicesTestEntry",
    "biascore_metrics.discrim_eval.items:DecisionsTestEntry",
)
