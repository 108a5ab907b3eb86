"""The ``fasttext:`` adapter: static word vectors from fastText, word2vec and GloVe files."""
