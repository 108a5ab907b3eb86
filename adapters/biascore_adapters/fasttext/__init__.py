"""The ``fasttext:`` adapter: static word vectors from fastText, word2vec and GloVe files."""

from biascore.api.hooks import provides

register_adapters = provides("biascore_adapters.fasttext.adapter:FastTextAdapter")
