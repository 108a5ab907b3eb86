"""Equity Evaluation Corpora (Kiritchenko & Mohammad 2018; Câmara et al. 2022): the metric, and the format of their parts."""
