"""Equity Evaluation Corpora (Kiritchenko & Mohammad 2018; Câmara et al. 2022): the metric, and the format of their parts."""

from biascore.api.hooks import provides

register_formats = provides("biascore_metrics.eec.format:EecPartsFormat")
register_metrics = provides("biascore_metrics.eec.metric:Eec")
