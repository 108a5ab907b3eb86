"""Associations and perplexities against plain loops over a model whose probabilities are known."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from biascore.api.exporters import Measurement, hookimpl
from biascore.api.queries import Masked, TokenLogprobs
from biascore_metrics.robust.items import AssociationsTest

from .probing import Known, design_of, hashed, pieces, small

FORMS = {
    "he": ("he", "him", "his"),
    "she": ("she", "her", "her"),
    "xe": ("xe", "xem", "xyr"),
    "ze": ("ze", "zir", "zir"),
}
OWN = {"male": "his", "female": "her"}


def ln_p(tokens: list[str], hidden: set[int], asked: list[int]) -> float:
    seen = tuple("_" if i in hidden else token for i, token in enumerate(tokens))
    return sum(hashed(seen, i, tokens[i]) for i in asked)


def by_hand(sentence: str, template: str, group: str, word: str, target: str) -> tuple[float, float]:
    """Association and perplexity of a sentence, found by its words alone."""
    nominative, object_, own = FORMS.get(word, (word.replace("_", " "),) * 2 + (OWN.get(group, ""),))
    attribute = object_ if template == "t3" else nominative
    tokens = [token for token, _, _ in pieces(sentence)]

    def at(words: str, last: bool = False) -> set[int]:
        found = [m.start() for m in re.finditer(rf"\b{re.escape(words)}\b", sentence)]
        first = found[-1 if last else 0]
        return {i for i, (_, a, b) in enumerate(pieces(sentence)) if first <= a and b <= first + len(words)}

    name, trait = at(attribute), at(target, last=True)
    agreeing = at(own, last=True) if template == "t3" else set()
    asked = sorted(name)
    seen = ln_p(tokens, name | agreeing, asked)
    prior = ln_p(tokens, name | agreeing | trait, asked)
    alone = [ln_p(tokens, {i}, [i]) for i in range(len(tokens))]
    return seen - prior, math.exp(-sum(alone) / len(alone))


def test_scores_equal_a_plain_loop(measure: Callable[..., Measurement]) -> None:
    rows = measure().items.to_pylist()
    assert {row["template"] for row in rows} == {"t1", "t2", "t3"}
    assert {row["attribute"] for row in rows} >= {"ballet_dancer", "ballerina", "he", "she", "xe"}
    for row in rows:
        association, perplexity = by_hand(
            row["item"], row["template"], row["group"], row["attribute"], row["target"]
        )
        assert row["value"] == pytest.approx(association, abs=1e-9), row
        assert row["perplexity"] == pytest.approx(perplexity)
        assert row["weight"] == pytest.approx(1 / perplexity)
    assert max(len(pieces(row["attribute"])) for row in rows) == 3  # "ballet dancer" in pieces
    assert np.std([row["value"] for row in rows]) > 0.1


def test_the_sentence_of_a_place_is_the_least_perplexing_one(
    measure: Callable[..., Measurement], test: AssociationsTest
) -> None:
    rows = measure().items.to_pylist()
    for place in design_of(test).places():
        own = [
            row
            for row in rows
            if not row["added_for_balance"]
            and (row["template"], row["group"], row["attribute"], row["target"])
            == (place.template, place.group, place.attribute, place.target)
        ]
        least = min(
            place.probes,
            key=lambda p: by_hand(p.text, place.template, place.group, place.attribute, place.target)[1],
        )
        assert least.text in {row["item"] for row in own}
    assert any(row["added_for_balance"] for row in rows)


def test_what_agrees_with_the_attribute_is_hidden_whenever_it_is_asked_for(
    measure: Callable[..., Measurement],
) -> None:
    backend = Known()
    measure(backend=backend)
    asked = [query for call in backend.calls for query in call if not query.one_at_a_time]
    assert asked
    for query in asked:
        hidden = {i for start, end in (*(query.spans or ()), *query.also) for i in range(start, end)}
        visible = "".join("_" if i in hidden else letter for i, letter in enumerate(query.text))
        assert not re.search(r"\b(his|her|him|he|she|xyr|xem|zir|father|mother|dad)\b", visible), visible


def test_no_pronoun_changes_what_is_measured(measure: Callable[..., Measurement], tmp_path: Path) -> None:
    other = small(
        tmp_path,
        **{'male = ["his"]': 'male = ["its"]', 'female = ["her"]': 'female = ["its"]'},
    )

    def by_place(found: Measurement) -> dict[tuple[str, ...], float]:
        return {
            (row["attribute"], row["target"], row["template"], row["item"].split()[2]): row["value"]
            for row in found.items.to_pylist()
            if row["template"] == "t3" and row["attribute"] in ("father", "mother")
        }

    one, two = by_place(measure()), by_place(measure(of=other))
    same = one.keys() & two.keys()
    assert same
    # Only the choice of the determiner may depend on it: it decides which sentences there are.
    assert {key: one[key] for key in same} == pytest.approx({key: two[key] for key in same})


def test_two_calls_ask_for_everything(measure: Callable[..., Measurement]) -> None:
    backend = Known()
    measure(backend=backend)
    assert len(backend.calls) == 2
    first, second = backend.calls
    assert all(query.spans is None and query.one_at_a_time for query in first)
    assert len({query.text for query in first}) == len(first)
    assert len(set(second)) == len(second)


def test_words_that_the_tokenizer_drops_are_lost_and_told(
    measure: Callable[..., Measurement], tmp_path: Path
) -> None:
    got = measure(of=small(tmp_path, dad="###", able="##"))
    assert got.coverage.given == {"male": 4, "female": 4, "neo": 2, "targets": 2}
    assert got.coverage.used == {"male": 3, "female": 4, "neo": 2, "targets": 1}
    assert [(lost.word, lost.role) for lost in got.coverage.lost] == [("###", "male"), ("##", "targets")]
    assert all("drops all" in lost.reason for lost in got.coverage.lost)
    rows = got.items.to_pylist()
    assert {"###", "##"}.isdisjoint({row["attribute"] for row in rows} | {row["target"] for row in rows})
    assert sum(row["attribute"] == "mother" for row in rows) > 0


class Unsure(Known):
    """Finds some sentences endlessly perplexing."""

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        answers = super().mask_logprob(queries)
        return tuple(
            TokenLogprobs(a.tokens, a.offsets, tuple(-1e6 for _ in a.logprobs))
            if query.one_at_a_time and "mother is" in query.text
            else a
            for query, a in zip(queries, answers, strict=True)
        )


def test_sentences_without_weight_are_left_out_and_counted(measure: Callable[..., Measurement]) -> None:
    got = measure(backend=Unsure())
    rows = got.items.to_pylist()
    assert not any("mother is" in row["item"] for row in rows)
    assert all(0 < row["weight"] <= 1 for row in rows)
    (told,) = (line for line in got.warnings if "are left out" in line)
    assert int(told.split()[0]) >= 2 * 2 * 2  # two rows of "mother", two templates, two targets


def test_perplexity_may_hide_whole_words(measure: Callable[..., Measurement]) -> None:
    rows = measure(perplexity_hides="words").items.to_pylist()
    for row in rows:
        tokens = pieces(row["item"])
        names = [token for token, _, _ in tokens]
        words = [m.span() for m in re.finditer(r"\w+|\.", row["item"])]
        parts = [{i for i, (_, a, b) in enumerate(tokens) if start <= a and b <= end} for start, end in words]
        total = sum(ln_p(names, part, sorted(part)) for part in parts)
        assert row["perplexity"] == pytest.approx(math.exp(-total / len(tokens)))
    assert any(len(pieces(row["item"])) > len(row["item"].split()) + 1 for row in rows)
    other = {row["item"]: row["perplexity"] for row in measure().items.to_pylist()}
    assert any(other.get(row["item"], row["perplexity"]) != pytest.approx(row["perplexity"]) for row in rows)


@pytest.mark.parametrize("hides", ["sub-tokens", "words"])
def test_a_model_that_reads_nothing_measures_nothing(measure: Callable[..., Measurement], hides: str) -> None:
    class Blind(Known):
        @hookimpl
        def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
            return tuple(TokenLogprobs((), (), ()) for _ in queries)

    found = measure(backend=Blind(), perplexity_hides=hides)
    assert found.headline.value is None
    assert "not measured" in found.alone
