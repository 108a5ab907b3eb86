"""The Sentence Encoder Association Test (May et al. 2019): WEAT over sentence templates."""
