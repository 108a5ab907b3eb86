"""MT-GenEval (Currey et al. 2022): does a translation keep the gender that the English sentence states?"""

from biascore.api.hooks import provides

register_metrics = provides("biascore_metrics.mt_geneval.metric:MtGeneval")
register_formats = provides("biascore_metrics.mt_geneval.items:MtGenevalFormat")
