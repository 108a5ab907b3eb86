"""Small Equity Evaluation Corpora of invented names, and scores of their sentences that are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import expit

from biascore.api.adapters import Backend, Identity, Model, hookimpl
from biascore_metrics.eec.items import (
    EmotionWord,
    EmotionWords,
    EquityTemplate,
    EquityTemplates,
    EquityTest,
    Grammar,
    Person,
    PersonList,
)

from ...builders.models import model_of

EMOTIONS = {"anger": ("angry", "irate"), "joy": ("glad", "merry")}
TEMPLATES = {
    "feels": "{person} feels {state}",
    "made": "I made {person} feel {state}",
    "found": "{person} found {self:gender} {state}",
    "saw": "I saw {person}",
}
FACTORS = {"origin": ("north", "south"), "gender": ("male", "female")}


def corpus(
    names: int = 4,
    factors: Mapping[str, Sequence[str]] = FACTORS,
    templates: Mapping[str, str] = TEMPLATES,
    emotions: Mapping[str, Sequence[str]] = EMOTIONS,
) -> EquityTest:
    """So many names a cell, called after its levels, and a noun phrase for each gender."""
    levels = {factor: tuple(of) for factor, of in factors.items()}
    people = [
        Person(called, dict(zip(levels, cell, strict=True)), {"base": called})
        for cell in product(*levels.values())
        for called in ("".join(part[:2].title() for part in cell) + str(i) for i in range(names))
    ]
    phrases = [
        Person(f"this {level} person", {"gender": level}, {"base": f"this {level} person"})
        for level in levels.get("gender", ())
    ]
    lists = [PersonList("names", tuple(people), kind="name")]
    lists += [PersonList("phrases", tuple(phrases), kind="noun phrase")] if phrases else []
    agreement = {"gender": {level: level for level in levels["gender"]}} if "gender" in levels else {}
    return EquityTest(
        id="xx/eec",
        kind="equity",
        language="xx",
        file="eec.toml",
        sha256="0" * 64,
        factors=levels,
        templates=EquityTemplates(
            "templates", tuple(EquityTemplate(id, text, {}) for id, text in templates.items())
        ),
        persons=tuple(lists),
        words=EmotionWords(
            "words",
            tuple(
                EmotionWord(word, emotion, "state", {"base": word})
                for emotion, of in emotions.items()
                for word in of
            ),
        ),
        grammar=Grammar(
            "grammar",
            (),
            agreement=agreement,
            pieces={"self": {level: f"their {level} self" for level in levels.get("gender", ())}},
        ),
    )


Score = Callable[[pd.DataFrame, str], npt.ArrayLike]
"""From `EquityTest.rows` and an emotion to a score for each row."""


class Regressor(Backend):
    """Answers with given scores by output and text."""

    batch = 10_000

    def __init__(self, scores: Mapping[str, Mapping[str, float]]) -> None:
        self._scores = scores
        self.identity = Identity("test:regressor", quantities=tuple(scores))

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        return np.array([self._scores[quantity][text] for text in texts])


def regressor(test: EquityTest, score: Score, outputs: Mapping[str, str] | None = None) -> Model:
    """A model whose outputs are the emotions of the test, or the ``outputs`` by emotion."""
    rows = test.rows()
    named = outputs or {emotion: emotion for emotion in test.emotions}
    scores = {
        output: dict(zip(rows["sentence"], np.asarray(score(rows, emotion), dtype=float), strict=True))
        for emotion, output in named.items()
    }
    return model_of(Regressor(scores))


def drawn(
    seed: int = 0,
    effects: Mapping[str, float] | None = None,
    *,
    between: float = 0.3,
    within: float = 0.1,
) -> Score:
    """Logits: words, names with a standard deviation ``between``, rows ``within``, and the effect of levels.

    ``effects``: by level, or by levels joined with ", " of an interaction, in logits, for every emotion.
    """

    def score(rows: pd.DataFrame, emotion: str) -> npt.NDArray[np.float64]:
        rng = np.random.default_rng([seed, len(emotion)])
        eta = np.zeros(len(rows))
        for column, spread in (("person", between), ("word", 0.5), ("template", 0.3)):
            values = rows[column].unique()
            eta += (
                rows[column]
                .map(dict(zip(values, rng.normal(0, spread, values.size), strict=True)))
                .to_numpy()
            )
        for levels, effect in (effects or {}).items():
            has = [rows.isin([level]).any(axis=1) for level in levels.split(", ")]
            eta += effect * np.logical_and.reduce(has)
        return expit(eta + rng.normal(0, within, len(rows)))

    return score
