"""Discrim-Eval (Tamkin et al. 2023): decisions about persons who differ in age, gender and race alone."""

from biascore.api.hooks import provides

register_metrics = provides("biascore_metrics.discrim_eval.metric:DiscrimEval")
register_formats = provides("biascore_metrics.discrim_eval.format:DiscrimEvalFormat")
