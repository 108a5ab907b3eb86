"""Does the squared residual of a pair's difference follow its perplexity, as the weights of crows-pairs-mixed assert?

Usage: python -m benchmarks.bench_crows_pairs_variance [PICTURE.svg]

Masked models that the tests build: random ones of seven architectures on en/crows_own, and a small BERT trained on biased
sentences, on such sentences with the gender exchanged. For each: the slope of the
squared residual on the sum of the pair's perplexities, both as logs, with its 95 % interval (1 is what the weights assert, 0
a constant variance), and the standard deviation of the log-perplexity; and the slope of all random ones together, of three
seeds each, by pair. Tokenizers are trained anew in each run, not always alike. The picture:
pairs of four models, the mean in fifths (red) and what the weights assert (dashed).
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt
import statsmodels.api as sm

from biascore import Engine
from biascore.designs.pairs.test import SentencePair, SentencePairsTest
from biascore_metrics.crows_pairs.masked import masked_scores
from biascore_metrics.crows_pairs.mixed import Rows
from tests.builders import biased, tiny

Floats = npt.NDArray[np.float64]
TRAINED = "bert, trained"
DRAWN = ("bert-uncased", "roberta", "albert", TRAINED)
WIDTH, HEIGHT, MARGIN = 270, 210, 42
FLOOR = 1e-4


def exchanged(texts: Sequence[str]) -> list[SentencePair]:
    """Sentences with a gendered word, and the same of the other gender."""
    forms = dict(zip(biased.FORMS["female"], biased.FORMS["male"], strict=True))
    forms |= {b: a for a, b in forms.items()}
    found = [(text, " ".join(forms.get(word, word) for word in text.split())) for text in texts]
    return [SentencePair(a, b, "stereo", "gender") for a, b in dict.fromkeys(found) if a != b]


def models(folder: Path) -> Iterator[tuple[str, Path, Sequence[SentencePair]]]:
    """Name, folder and pairs of each model."""
    test = Engine(cache=None).catalogue.test("en/crows_own")
    assert isinstance(test, SentencePairsTest)
    for kind, seed in itertools.product(tiny.MASKED, (1, 2, 3)):
        name = kind if seed == 1 else f"{kind}, seed {seed}"
        yield name, tiny.save_model(kind, folder / name, seed, context=256), test.pairs.rows
    texts = biased.corpus(3000, seed=0)
    yield (
        TRAINED,
        biased.train_biased(folder / "trained", texts),
        exchanged(biased.corpus(400, seed=1))[:200],
    )


def of_pairs(folder: Path, pairs: Sequence[SentencePair]) -> tuple[Floats, Floats]:
    """Sum of the perplexities of each pair, and its squared residual."""
    with Engine(cache=None).model(f"hf:{folder}") as model:
        scores, _ = masked_scores(model, pairs, "original", 3)
    rows = Rows.of(scores.pairs)
    return rows.perplexity.sum(axis=1), (rows.difference - rows.weight @ rows.difference) ** 2


def panel(name: str, slope: str, x: Floats, y: Floats, left: int, top: int) -> str:
    """One scatter plot, both axes logarithmic, with the mean of each fifth and the line that the weights assert."""
    u, v = np.log10(x), np.log10(np.maximum(y, FLOOR))
    across = (float(u.min()) - 0.05, float(u.max()) + 0.05)
    down = (float(v.min()) - 0.2, float(v.max()) + 0.2)

    def place(a: float, b: float) -> tuple[float, float]:
        return (
            left + MARGIN + (a - across[0]) / (across[1] - across[0]) * (WIDTH - MARGIN - 10),
            top + HEIGHT - MARGIN - (b - down[0]) / (down[1] - down[0]) * (HEIGHT - 2 * MARGIN),
        )

    fifths = np.array_split(np.argsort(u), 5)
    means = [(float(u[some].mean()), float(np.log10(y[some].mean()))) for some in fifths]
    centre = float(np.log10(y.mean())) - float(np.log10(x.mean()))
    ends = [
        place(a, a + centre) for a in (max(across[0], down[0] - centre), min(across[1], down[1] - centre))
    ]
    frame = f'width="{WIDTH - MARGIN - 10}" height="{HEIGHT - 2 * MARGIN}"'
    marks = [
        f'<rect x="{left + MARGIN}" y="{top + MARGIN}" {frame} class="f"/>',
        *(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2"/>' for a, b in map(place, u, v)),
        '<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" class="w"/>'.format(*ends[0], *ends[1]),
        '<polyline points="{}" class="m"/>'.format(
            " ".join(f"{a:.1f},{b:.1f}" for a, b in (place(*one) for one in means))
        ),
        f'<text x="{left + MARGIN}" y="{top + MARGIN - 8}">{name}: slope {slope}</text>',
    ]
    for value, anchor in ((across[0], "start"), (across[1], "end")):
        a, b = place(value, down[0])
        marks.append(f'<text x="{a:.0f}" y="{b + 14:.0f}" text-anchor="{anchor}">{10**value:.0f}</text>')
    for value in range(int(np.ceil(down[0])), int(np.floor(down[1])) + 1, 2):
        a, b = place(across[0], value)
        marks.append(f'<text x="{a - 3:.0f}" y="{b + 4:.0f}" text-anchor="end">{10**value:g}</text>')
    return "\n".join(marks)


def slope_of(x: Floats, y: Floats, model: npt.NDArray[np.str_], pair: npt.NDArray[np.int64]) -> str:
    """Of the mean of y on x, zeros included, by Poisson pseudo-likelihood (Santos Silva and Tenreyro 2006)."""
    columns = [np.log(x), *((model == one).astype(float) for one in np.unique(model))]
    fit = sm.GLM(y, np.column_stack(columns), family=sm.families.Poisson()).fit(
        cov_type="cluster", cov_kwds={"groups": pair}
    )
    return "{:.2f} ({:.2f} to {:.2f})".format(fit.params[0], *fit.conf_int()[0])


def main() -> None:
    print("| model | pairs | slope (95 % interval) | sd of log-perplexity |\n|---|---|---|---|")
    panels, random = [], []
    with TemporaryDirectory() as name:
        for model, folder, pairs in models(Path(name)):
            x, y = of_pairs(folder, pairs)
            label, number = np.full(len(x), model), np.arange(len(x))
            if model != TRAINED:
                random.append((x, y / y.mean(), label, number))
            if "seed" in model:
                continue
            slope = slope_of(x, y / y.mean(), label, number)
            print(f"| {model} | {len(x)} | {slope} | {np.log(x).std():.2f} |", flush=True)
            if model in DRAWN:
                left, top = (len(panels) % 2) * WIDTH, (len(panels) // 2) * HEIGHT
                panels.append(panel(model, slope, x, y, left, top))
    together = slope_of(*map(np.concatenate, zip(*random, strict=True)))
    print(f"| {len(random)} random ones | | {together} | |")
    if len(sys.argv) > 1:
        style = "text{font:10px sans-serif}circle{fill:#4477aa;fill-opacity:.5}.f{fill:none;stroke:#999}"
        style += ".w{stroke:#999;stroke-dasharray:4 3}.m{fill:none;stroke:#cc3311;stroke-width:2}"
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {2 * HEIGHT}">'
        body = f'<rect width="100%" height="100%" fill="#fff"/><style>{style}</style>'
        Path(sys.argv[1]).write_text(
            re.sub(r"\n+", "\n", "\n".join([head, body, *panels, "</svg>\n"])), "utf-8"
        )


if __name__ == "__main__":
    main()
