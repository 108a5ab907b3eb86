"""The log probability bias score (Kurita et al. 2019): WEAT over what a masked language model predicts."""
