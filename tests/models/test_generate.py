"""Generate as the engine asks it: settings and sample in the key, checked answers, outcomes, conventions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.api.adapters import Backend, Identity, Model, hookimpl
from biascore.api.metrics import Context, Coverage, Estimate, Finding, Metric, MetricOptions
from biascore.api.stimuli import Test
from biascore.api.writing import Finish, Prompt, Settings, Written, as_written, unwritten
from biascore.engine.measuring import Measuring
from biascore.engine.rehearsal import Scratch, rehearsed
from biascore.errors import AnswerError, CapabilityError
from biascore.models.pipeline.cache import DiskCache, NoCache
from biascore.models.pipeline.source import Services
from biascore.models.questions.codecs import decode_written, encode_written
from biascore.models.questions.writing import OUTCOMES
from biascore.stats import Decision, Verdict

from ..builders.models import Lengths, model_of

PROMPT = Prompt("Write about a nurse.")
GOOD = as_written(PROMPT, "She was tired.", "stop", 4)


class Writes(Backend):
    """Writes what it is told to, and keeps what it was asked."""

    def __init__(self, answer: Callable[[Sequence[Prompt]], Any], **told: Any) -> None:
        self.identity = Identity(digest="test:writes", prompting={"prompt put": "as it is"}, **told)
        self._answer, self.asked = answer, list[tuple[Prompt, Settings]]()

    @hookimpl
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> Any:
        self.asked += [(one, settings) for one in prompts]
        return self._answer(prompts)


def good(prompts: Sequence[Prompt]) -> tuple[Written, ...]:
    return (GOOD,) * len(prompts)


def test_hook_generate() -> None:
    backend, settings = Writes(good), Settings(60, 0.5)
    assert model_of(backend).generate([PROMPT.text, replace(PROMPT, sample=1)], settings) == (GOOD, GOOD)
    assert backend.asked == [(PROMPT, settings), (replace(PROMPT, sample=1), settings)]


def test_sample_and_every_setting_are_in_the_key_and_the_item_is_not(tmp_path: Path) -> None:
    backend = Writes(good)
    model = model_of(backend, services=Services(cache=DiskCache(tmp_path)))
    different = [
        PROMPT,
        replace(PROMPT, sample=1),
        replace(PROMPT, seed=1),
        replace(PROMPT, system="Be brief."),
    ]
    same = [PROMPT, replace(PROMPT, item="nurse/1")]
    settings = [Settings(), Settings(255), Settings(temperature=0.5), Settings(temperature=0.5, top_p=0.9)]
    for one in settings:
        assert model.generate([*different, *same], one) == (GOOD,) * 6
    assert len(backend.asked) == len(set(backend.asked)) == 16
    again = model_of(silent := Writes(lambda _: None), services=Services(cache=DiskCache(tmp_path)))
    assert again.generate([*different, *same], settings[3]) == (GOOD,) * 6
    assert silent.asked == []
    assert (again.counts.put, again.counts.repeated, again.counts.cached) == (6, 2, 4)
    assert len({one.draw for one in different[:3]}) == 3
    assert all(0 <= one.draw < 2**31 for one in different)


@pytest.mark.parametrize(
    ("said", "finish", "outcome", "text", "why"),
    [
        ("She was tired.", "stop", "written", "She was tired.", ""),
        (" She was tired.<|im_end|>", "unknown", "written", "She was tired.", ""),
        ("[DATE]\nDear Sir,\nshe is kind.", "stop", "written", "[DATE]\nDear Sir,\nshe is kind.", ""),
        ("I'm sorry, but I can't do that.", "stop", "refused", "I'm sorry, but I can't do that.", ""),
        ("I cannot write about", "length", "refused", "I cannot write about", ""),
        ("Once", "filter", "refused", "Once", ""),
        (
            "I cannot recommend her highly enough.",
            "stop",
            "written",
            "I cannot recommend her highly enough.",
            "",
        ),
        ("", "stop", "empty", "", ""),
        (" \n", "unknown", "empty", "", ""),
        ("", "length", "cut", "", "it does not end within its tokens"),
        ("She was", "length", "cut", "She was", "it does not end within its tokens"),
        ("<think>He or she?</think>She was tired.", "stop", "written", "She was tired.", ""),
        ("<think>I'm sorry for him</think>", "stop", "empty", "", ""),
        ("<think>He said that he", "length", "cut", "", "its thoughts do not end (<think>)"),
        ("<think>He said that he", "stop", "cut", "", "its thoughts do not end (<think>)"),
        ("<xthink>He</xthink>She", "stop", "empty", "", "marks that are not known (<xthink>)"),
        # What a base model goes on with is another text; of one that ends by itself it is a part.
        (
            "She is.\n\nQuestion: What about him?",
            "length",
            "cut",
            "She is.",
            "it does not end within its tokens",
        ),
        ("She is.\n\nQ: What?\nA: It.", "stop", "written", "She is.\n\nQ: What?\nA: It.", ""),
        ("\ud83d and \0", "stop", "written", "\ufffd and \ufffd", ""),
    ],
)
def test_outcomes(said: str, finish: Finish, outcome: str, text: str, why: str) -> None:
    found = as_written(PROMPT, said, finish, 3)
    assert (found.outcome, found.text, found.why) == (outcome, text, why)
    model = model_of(Writes(lambda prompts: (found,) * len(prompts)))
    assert model.generate([PROMPT.text]) == (found,)
    assert decode_written(encode_written(found)) == found


def test_a_service_may_decline_without_words() -> None:
    assert as_written(PROMPT, "", "stop", declined=True).outcome == "refused"
    assert {*OUTCOMES} == {"written", "refused", "empty", "cut", unwritten().outcome}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "answered a NoneType for 1 questions"),
        (("She was tired.",), "is a str, not a Written"),
        ((replace(GOOD, outcome="chosen"),), "is 'chosen' and ends by 'stop', which are not both known"),
        ((replace(GOOD, finish=None),), "ends by None"),
        ((replace(GOOD, tokens=-1),), "has -1 tokens"),
        ((replace(GOOD, text=" "),), "is 'written' with the text ' '"),
        ((replace(GOOD, outcome="empty"),), "is 'empty' with the text 'She was tired.'"),
        ((replace(GOOD, outcome="cut"),), "is 'cut', and why is ''"),
        ((replace(GOOD, said="\ud83d"),), "half of a surrogate pair"),
    ],
)
def test_an_answer_that_is_none(answer: Any, told: str) -> None:
    with pytest.raises(AnswerError, match=told):
        model_of(Writes(lambda _: answer)).generate([PROMPT])


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Prompt(" "), "blank"),
        (lambda: Prompt("x", system=""), "blank"),
        (lambda: Prompt("x", sample=-1), "the least is 0"),
        (lambda: Settings(0), "max_tokens is 0"),
        (lambda: Settings(temperature=float("nan")), "temperature is nan"),
        (lambda: Settings(top_p=0), "top_p is 0"),
    ],
)
def test_what_cannot_be_asked(make: Callable[[], object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make()


def test_settings_are_conventions() -> None:
    model = model_of(Writes(good))
    model.generate([PROMPT], Settings(60))
    assert model.prompting == {
        "prompt put": "as it is",
        "texts written": "at most 60 tokens, token by token the most probable",
        "texts a prompt": "1",
    }
    model.generate([replace(PROMPT, system="Be brief.", sample=4)], Settings(60, 0.7, 0.9))
    assert model.prompting["texts written"].endswith("; at most 60 tokens, at temperature 0.7, top_p 0.9")
    assert (model.prompting["texts a prompt"], model.prompting["system prompt"]) == ("5", "of the test")
    assert (Settings(60).drawn, Settings(60, 0.7).drawn) == (False, True)
    before = model_of(Writes(good, writing={"texts written": "before"}))
    before.generate([PROMPT])
    assert before.prompting["texts written"] == "before"


def test_outcomes_are_counted_with_their_reasons() -> None:
    said = iter(["She was.", "I'm sorry.", "", "<think>Well"])
    model = model_of(Writes(lambda some: tuple(as_written(one, next(said), "stop") for one in some)))
    model.generate([replace(PROMPT, sample=sample) for sample in range(4)])
    assert model.outcomes.counts == {
        "written": 1,
        "refused": 1,
        "empty": 1,
        "cut: its thoughts do not end (<think>)": 1,
    }
    assert (model.outcomes.none_chosen, model.outcomes.short) == (False, "texts are cut off")
    assert model.outcomes.told.startswith(
        "1 refused, 1 empty, 1 cut: its thoughts do not end (<think>), of 4 texts. Some of these: "
    )
    assert "max_tokens" in model.outcomes.told


def test_a_model_that_writes_nothing_says_so() -> None:
    model = model_of(Writes(lambda some: tuple(as_written(one, "", "stop") for one in some)))
    model.generate([PROMPT])
    assert (model.outcomes.none_chosen, model.outcomes.short) == (True, "texts are empty")
    with pytest.raises(
        CapabilityError, match=r"cannot generate; it can embed, mask_logprob, score, translate\."
    ):
        model_of(Lengths()).generate([PROMPT])


def test_planted_texts_follow_the_declared_effect() -> None:
    def share(ref: str, text: str) -> float:
        with Engine(cache=None).model(ref) as model:
            found = model.generate([Prompt(text, sample=i) for i in range(400)], Settings(temperature=1.0))
        assert {one.outcome for one in found} == {"written"}
        assert all(one.tokens == len(one.text.split()) for one in found)
        return sum(" he " in f" {one.text.lower()} " or " his " in one.text for one in found) / len(found)

    career = "Write about a career and a salary."
    assert share("planted:gender=1.5", career) == pytest.approx(0.773, abs=0.06)  # Phi(0.75)
    assert share("planted:gender=-1.5", career) == pytest.approx(0.227, abs=0.06)
    assert share("planted:gender=1.5", "Write about a stone.") == pytest.approx(0.5, abs=0.075)


def test_planted_texts_at_temperature_0_are_one_and_are_cut_by_their_bound() -> None:
    with Engine(cache=None).model("planted:gender=1") as model:
        prompts = [Prompt("Write about a stone.", sample=i, seed=i) for i in range(5)]
        assert len({one.text for one in model.generate(prompts)}) == 1
        assert len({one.text for one in model.generate(prompts, Settings(temperature=1))}) > 1
        cut = model.generate(prompts[:1], Settings(7))[0]
    assert (cut.outcome, cut.finish, cut.tokens, len(cut.text.split())) == ("cut", "length", 7, 7)


def test_a_plan_counts_texts_by_their_settings_and_asks_for_none() -> None:
    backend = Writes(good)
    planned, counting = rehearsed(model_of(backend), Scratch(NoCache()))
    for settings in (Settings(), Settings(60, 1.0), Settings(60, 1.0)):
        found = planned.generate([replace(PROMPT, sample=sample) for sample in (0, 1, 1)], settings)
        assert [one.outcome for one in found] == ["written"] * 3
    assert backend.asked == []
    tally = counting.tallies["generate"]
    assert (tally.put, sorted(len(one.questions) for one in tally.groups.values())) == (9, [2, 4])


class Stories(Metric):
    """Counts the texts; in the name of a metric that is installed."""

    name = "weat"
    requires = frozenset({"generate"})
    kinds = frozenset({"weat"})

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        found = model.generate([PROMPT, replace(PROMPT, sample=1)], Settings(60, 1.0))
        read = [one for one in found if one.outcome == "written"]
        return Finding(
            estimates=(
                Estimate(name="x", value=float(len(read)) if read else None, n={"texts": 2}, unit="nats"),
            ),
            coverage=Coverage(given={}, used={}),
            conventions={},
            decision=None if read else Decision(Verdict.NOT_MEASURED, "It could not be tested."),
        )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            ("", " "),
            r"No text was written, so it was not measured: 2 empty, of 2 texts\. See how its prompts are put",
        ),
        (
            ("She was", "He"),
            r"No text was written, so .*: 2 cut: it does not end within its tokens, of 2 texts\. Some",
        ),
        (
            ("Sorry, no.", "I can't."),
            r"No text was written, so .*: 2 refused, of 2 texts\. .*A model that declines",
        ),
        (("She was.", ""), ""),
    ],
)
def test_a_measurement_without_texts_is_not_measured_and_says_why(said: tuple[str, str], told: str) -> None:
    finish: Finish = "length" if "She was" in said else "stop"
    left = iter(said)
    model = model_of(Writes(lambda some: tuple(as_written(one, next(left), finish) for one in some)))
    engine = Engine(cache=None)
    test = engine.tests("weat", ["en/weat6"], {})[0]
    measured = (
        Measuring(engine._checker, 0)
        .measure(Stories(MetricOptions()), model, test, lambda _: model)
        .measurement
    )
    assert measured.conventions["texts written"] == "at most 60 tokens, at temperature 1"
    assert (measured.conventions["prompt put"], measured.conventions["texts a prompt"]) == ("as it is", "2")
    assert (measured.headline.value is None) == bool(told)
    assert sum(measured.answers.values()) == 2
    if told:
        assert re.search(told, measured.reason), measured.reason
