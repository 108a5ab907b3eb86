"""A small test of kind ``associations``, a masked model whose probabilities are known, and rows made by hand."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.queries import Masked, TokenLogprobs
from biascore.stimuli import load_file
from biascore_metrics.robust.items import AssociationsTest
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.probes import Design, Place, Probe, Row

from ...builders.kinds import KINDS

TOML = """
schema = 1
[meta]
language = "xx"
title = "Small"
source = "Written for the tests"
licence = "CC0"
[pairs.people]
sides = ["female", "male"]
pairs = [["mother", "father"], ["she", "he"], ["ballerina", "ballet_dancer"], ["mother", "dad"]]
[lists.neo]
words = ["xe", "ze"]
[lists.kind]
words = ["calm", "able"]
[lists.unkind]
words = ["angry"]
[lists.dets]
words = ["the"]
[lists.possessives]
words = ["my", "your"]
[lists.articles]
words = ["a", "an"]
[templates.plain]
slots = ["[DET]", "[attribute]", "[ARTICLE]", "[target]"]
sentences = ["[DET] [attribute] is [ARTICLE] [target] person.", "[DET] [attribute] is [target]."]
[templates.agreeing]
slots = ["[DET]", "[attribute]", "[target]", "[OWN]"]
sentences = ["People like [DET] [attribute] for [OWN] [target] ways."]
[forms.small]
pieces = ["[OWN]", "like [DET] [attribute]", "[DET] [attribute]"]
[forms.small.groups]
male = ["his"]
female = ["her"]
[forms.small.words]
he = ["his", "like [him]", "[he]"]
she = ["her", "like [her]", "[she]"]
xe = ["xyr", "like [xem]", "[xe]"]
ze = ["zir", "like [zir]", "[ze]"]
[tests.small]
kind = "associations"
title = "Small"
concept = "gender and traits"
templates = ["plain", "agreeing"]
targets = "kind"
opposites = "unkind"
groups = { male = "people.male", female = "people.female", neo = "neo" }
choices = { "[DET]" = ["dets", "possessives"], "[ARTICLE]" = ["articles"] }
forms = "small"
"""


def small(folder: Path, **replaced: str) -> AssociationsTest:
    """The small test, with texts of the file replaced: ``small(tmp_path, **{"old": "new"})``."""
    text = TOML
    for old, new in replaced.items():
        assert old in text
        text = text.replace(old, new)
    path = folder / "small.toml"
    path.write_text(text, encoding="utf-8")
    (test,) = load_file(path, "shown/small.toml", kinds=KINDS).tests
    assert isinstance(test, AssociationsTest)
    return test


Logprob = Callable[[tuple[str, ...], int, str], float]


def hashed(seen: tuple[str, ...], place: int, token: str) -> float:
    """ln p of a token at a place, given all tokens (hidden ones are "_"): anything, but always the same."""
    return -0.2 - (zlib.crc32("\0".join([*seen, str(place), token]).encode()) % 1000) / 400


def pieces(text: str) -> list[tuple[str, int, int]]:
    """Words in pieces of at most five letters, and marks; ``#`` is read as nothing."""
    return [(m[0], m.start(), m.end()) for m in re.finditer(r"\w{1,5}|[^\w\s#]", text)]


class Known(Backend):
    """A masked model that answers from ``logprob`` and keeps what it was asked, call by call."""

    batch = 100_000

    def __init__(self, logprob: Logprob = hashed) -> None:
        self._logprob = logprob
        self.identity = Identity(digest="test:known")
        self.calls: list[tuple[Masked, ...]] = []

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        self.calls.append(queries)
        return tuple(map(self._answer, queries))

    def _answer(self, query: Masked) -> TokenLogprobs:
        read = pieces(query.text)

        def under(spans: Iterable[tuple[int, int]]) -> list[set[int]]:
            return [
                {i for i, (_, start, end) in enumerate(read) if start < last and first < end}
                for first, last in spans
            ]

        spans, also = under(query.spans or ()), under(query.also)
        if not all(spans) or not all(also):
            return TokenLogprobs((), (), ())
        asked = sorted(set().union(*spans)) if query.spans is not None else list(range(len(read)))
        logs = []
        for i in asked:
            hidden = set().union(*also) | ({i} if query.one_at_a_time else set(asked))
            seen = tuple("_" if place in hidden else token for place, (token, _, _) in enumerate(read))
            logs.append(self._logprob(seen, i, read[i][0]))
        return TokenLogprobs(tuple(read[i][0] for i in asked), tuple(read[i][1:] for i in asked), tuple(logs))


def rows_of(
    scores: Mapping[str, Sequence[float]] | Callable[[str, int, int, int], float],
    *,
    groups: Sequence[str] = ("male", "female"),
    templates: int = 6,
    targets: int = 6,
    words: int = 8,
    perplexity: Callable[[int], float] = lambda i: 1.0 + i % 5,
) -> tuple[Row, ...]:
    """Rows of a design without sentences; ``scores(group, template, target, word)`` in nats."""
    assert callable(scores)
    found: list[Row] = []
    for group in groups:
        for template in range(templates):
            for target in range(targets):
                for word in range(words):
                    place = Place(
                        f"t{template + 1}",
                        group,
                        "",
                        word,
                        f"{group} {word}",
                        f"target {target}",
                        "targets",
                        (),
                    )
                    probe = Probe(f"{group} {template} {target} {word}", (0, 1), (1, 2), (), ())
                    value = scores(group, template, target, word)
                    found.append(Row(place, probe, False, value, perplexity(len(found))))
    return tuple(found)


def noisy(effects: Mapping[str, float], *, spread: float = 1.0, seed: int = 5) -> Callable[..., float]:
    """Scores with a mean by group, random effects of templates and targets, and noise."""
    rng = np.random.default_rng(seed)
    template, target = rng.normal(size=40), rng.normal(size=40)

    def score(group: str, t: int, w: int, _word: int) -> float:
        return float(effects[group] + template[t] + target[w] + spread * rng.normal())

    return score


def design_of(test: AssociationsTest, **options: object) -> Design:
    return Design.of(test, RobustOptions(**options))  # type: ignore[arg-type]
