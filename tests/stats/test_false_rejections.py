"""How often a label permutation test cries wolf."""

from __future__ import annotations

import math

import numpy as np

from biascore.stats import permutation_test
from biascore.stats.exchange import Exchange
from biascore.stats.relabelling import exchange_test


def test_labels_of_inflected_words_must_be_exchanged_by_family():
    # 300 sets without bias, 5 words of 4 forms a side with a cosine of .8. A test of level 5 % rejects more than 28
    # with probability below .001 (binomial), and one of level 10 % rejects 50 or more with one below .0002.
    rng = np.random.default_rng(31)
    names = np.repeat(np.arange(5), 4).tolist()
    by_word = by_family = 0
    for _ in range(300):
        topic = rng.standard_normal(30)
        words = topic + rng.standard_normal((40, 30))
        sides = []
        for _ in range(2):
            forms = math.sqrt(0.8) * np.repeat(rng.standard_normal((5, 30)), 4, axis=0)
            forms += math.sqrt(0.2) * rng.standard_normal((20, 30))
            lengths = np.outer(np.linalg.norm(words, axis=1), np.linalg.norm(forms, axis=1))
            sides.append(words @ forms.T / lengths)
        means = [side.mean(axis=0) for side in sides]
        word_test = permutation_test(*means, method="monte-carlo", draws=199, rng=rng)
        by_word += word_test.two_sided.p_value <= 0.05
        exchange = Exchange.of((20, 20), families=(names, names))
        family_test = exchange_test(*means, exchange, draws=199, rng=rng)
        by_family += family_test.two_sided.p_value <= 0.05
    assert by_family <= 28, by_family
    assert by_word >= 50, by_word
