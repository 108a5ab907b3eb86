"""BBQ (Parrish et al. 2022) and its kin: questions with options, of which one agrees with a stereotype."""

from biascore.api.hooks import provides

register_formats = provides(
    "biascore_metrics.bbq.formats.bbq:Bbq",
    "biascore_metrics.bbq.formats.bbq:EsBbq",
    "biascore_metrics.bbq.formats.kin:KoBbq",
    "biascore_metrics.bbq.formats.kin:GgBbq",
    "biascore_metrics.bbq.formats.bbq:Mbbq",
    "biascore_metrics.bbq.formats.kin:Jbbq",
    "biascore_metrics.bbq.formats.kin:BasqBbq",
    "biascore_metrics.bbq.formats.kin:Cbbq",
)
register_metrics = provides("biascore_metrics.bbq.metric:Bbq")
