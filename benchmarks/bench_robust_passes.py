"""How many forward passes the associations of the paper's full design take, beside one for every probability.

    python -m benchmarks.bench_robust_passes VOCAB.TXT

VOCAB.TXT is a WordPiece vocabulary, such as that of bert-base-uncased. No model is run: the perplexities by which
sentences are chosen are drawn at random (seed 1), which is the worst case, because the words of a pair then mostly
differ in their choice, and so do those of different pairs.
"""

from __future__ import annotations

import sys

import numpy as np
from transformers import BertTokenizer, PreTrainedTokenizerFast

from biascore import Engine
from biascore_adapters.transformer.masked import MaskedPlan
from biascore_adapters.transformer.tokens import Reader
from biascore_metrics.robust.items import AssociationsTest
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.probes import Design, _questions, choose


def main(vocabulary: str) -> None:
    """Print the counts of each dimension and of all nine together."""
    tokenizer = BertTokenizer(vocabulary)
    assert isinstance(tokenizer, PreTrainedTokenizerFast)
    reader = Reader(tokenizer, None, len(tokenizer))
    catalogue = Engine(cache=None).catalogue
    names = [test.id for test in catalogue.tests if test.id.startswith(("en/character_", "en/personality_"))]
    rng = np.random.default_rng(1)
    naive = passes = 0
    for name in names:
        test = catalogue.test(name)
        assert isinstance(test, AssociationsTest)
        places = Design.of(test, RobustOptions(groups=("male", "female"))).places()
        texts = list(dict.fromkeys(probe.text for place in places for probe in place.probes))
        chosen = choose(places, dict(zip(texts, rng.random(len(texts)), strict=True)))
        questions = _questions(dict.fromkeys(probe for _, probe, _ in chosen))
        plan = MaskedPlan(
            questions, reader.read([one.text for one in questions]), int(tokenizer.mask_token_id)
        )
        naive, passes = naive + plan.naive_passes, passes + len(plan.passes)
        print(f"{name:35} {plan.naive_passes:8,} probabilities {len(plan.passes):7,} passes", flush=True)
    print(f"{'together':35} {naive:8,} probabilities {passes:7,} passes, {naive / passes:.1f} times fewer")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
