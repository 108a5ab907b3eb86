"""Grammatical gender separated from social gender (Omrani Sabbaghi & Caliskan 2022): its nouns and its measures."""

from biascore.api.hooks import provides

register_formats = provides(
    "biascore_metrics.grammatical_gender.conllu:ConlluFormat",
    "biascore_metrics.grammatical_gender.formats:NounsFormat",
    "biascore_metrics.grammatical_gender.formats:NormsFormat",
    "biascore_metrics.grammatical_gender.formats:AnalogiesFormat",
    "biascore_metrics.grammatical_gender.formats:PairsFormat",
)
register_metrics = provides(
    "biascore_metrics.grammatical_gender.change:WeatChange",
    "biascore_metrics.grammatical_gender.gg_weat:GgWeat",
    "biascore_metrics.grammatical_gender.single:ScGgWeat",
    "biascore_metrics.grammatical_gender.valnorm:ValNorm",
    "biascore_metrics.grammatical_gender.analogy:Analogy",
    "biascore_metrics.grammatical_gender.pairwise:PairwiseDistance",
)
