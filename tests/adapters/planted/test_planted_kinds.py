"""A kind of test of anybody says what an effect in it is, and how ``planted:`` answers then."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from biascore import Engine
from biascore.api.planting import Part, Sentence, deviate
from biascore.api.stimuli import Test
from biascore.errors import QuestionError, RefError


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedTest(Test):
    """A stranger's kind: texts whose score is the effect."""

    planted: ClassVar[str] = f"{__name__}:Rated"
    texts: tuple[str, ...]


class NowhereTest(RatedTest):
    """One that names no part."""

    planted: ClassVar[str] = f"{__name__}:deviate"


@dataclass(slots=True)
class Rated(Part):
    """Planted texts with their scores."""

    carries = "score of quality"
    tests: dict[str, str] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)

    def plant(self, test: Test, effect: float, seed: int) -> None:
        assert isinstance(test, RatedTest)
        for text in test.texts:
            self.tests.setdefault(text, test.id)
            self.scores.setdefault(text, effect + deviate(seed, "rated", text))

    def scored(self, text: str, quantity: str, seed: int) -> float | None:
        return self.scores.get(text)

    def refused(self, text: str) -> Sentence | None:
        return self.sentence(text, self.tests[text], "rated") if text in self.tests else None

    def told(self) -> list[str]:
        return [f"{text}\t{score}" for text, score in sorted(self.scores.items())]

    def __len__(self) -> int:
        return len(self.scores)


TEXTS = tuple(f"This is text number {number}." for number in range(50))


def engine_with(engine: Engine, kind: type[RatedTest] = RatedTest) -> Engine:
    own = kind(id="en/rated", kind="rated", language="en", concept="quality", texts=TEXTS)
    return engine.with_tests([own], engine.seed)


def test_its_effect_is_planted_as_its_part_says(engine: Engine) -> None:
    own = engine_with(engine)
    with own.model("planted:en/rated=0") as none, own.model("planted:quality=1.5") as some:
        assert some.identity.facts["planted sentences"] == 50
        assert some.identity.control == {"en/rated": 1.5}
        assert some.identity.digest != none.identity.digest
        apart = some.score(TEXTS, "anger") - none.score(TEXTS, "anger")
        assert apart == pytest.approx([1.5] * 50)
        with pytest.raises(
            QuestionError, match=r"whose kind rated carries it in score of quality\. .*Leave en/rated out"
        ):
            some.score(TEXTS[:1], "log_likelihood")


def test_it_stands_next_to_kinds_that_ship(engine: Engine) -> None:
    own = engine_with(engine)
    with own.model("planted:en/rated=1,en/eec=1") as both, own.model("planted:en/eec=1") as alone:
        test = own.catalogue.test("en/eec")
        texts = test.rows()["sentence"].tolist()[:20]  # type: ignore[attr-defined]
        assert (both.score(texts, "anger") == alone.score(texts, "anger")).all()
        assert both.score(TEXTS, "anger").mean() > 0.5


def test_a_kind_that_names_no_part_is_refused(engine: Engine) -> None:
    with pytest.raises(
        RefError, match=r"tests of kind rated name .*:deviate for what .* is, which is no Part"
    ):
        engine_with(engine, NowhereTest).model("planted:en/rated=1")
