"""What a run says in three sentences and did not test, read out of fifty runs and derived again from what is stored.

The runs are of planted models, whose bias is taken as unknown: of several metrics, languages, seeds and models, with tests
that were not measured, measurements that failed, option sets, gates, and checks that fail. What is stored is read as JSON.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from biascore import Engine, Run
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.gates import Gate
from biascore.results.estimates import Estimate
from biascore.results.failure import Failure
from biascore.results.leads import Lead
from biascore.results.measurement import Measurement
from biascore.stats import Verdict

from ..builders import runs
from ..builders.runs import decided, model_used
from .test_sentence import among, audits, with_default

LAWS: Final = Path(__file__).resolve().parents[2] / "wordlists" / "biascore_mappings"
FILES: Final = {
    "the EU Charter": "eu_charter",
    "US federal law": "us_federal",
    "New York City law": "nyc_human_rights",
}
GROUNDS: Final = {
    "gender": {"sex"},
    "race": {"race"},
    "age": {"age"},
    "class": {"property", "social origin"},
    "religion": {"religion or belief"},
    "nationality": {"nationality", "national origin"},
    "health": set(),
    "social bias": set(),
}
USES: Final = {
    "weat": "associates",
    "lpbs": "associates",
    "crows-pairs": "prefers",
    "bbq": "chooses",
    "advice": "writes",
    "counterfactual": "writes",
    "gest-mt": "translates",
}
ALL_USES: Final = ("associates", "prefers", "chooses", "scores", "translates", "writes")
LANGUAGES: Final = {"en": "English", "de": "German"}
OFTEN: Final = [(0, 1.0)] * 300 + [(9, 0.001)] * 700
"""Of harmless audits, in which more is detected than in any of these runs."""
MINUS: Final = str.maketrans({"−": "-", ",": None})


@cache
def planted() -> tuple[Measurement, ...]:
    """Measurements on planted models with and without a bias."""
    engine = Engine(cache=None)
    asked = (
        ("weat", "planted:gender=1,race=1", ("en/weat3", "en/weat6", "en/weat9", "en/weat10", "en/weat1"), 0),
        ("weat", "planted:", ("en/weat3", "en/weat6", "de/GER1"), 1),
        ("weat", "planted:gender=0.4", ("en/weat7", "en/weat8"), 2),
        ("lpbs", "planted:gender=1", ("en/weat6",), 3),
        ("bbq", "planted:age=0.5", ("en/choices-age",), 4),
        ("gest-mt", "planted:gender=0.5", ("en/gest_own",), 5),
        ("advice", "planted:gender=0.5", ("en/advice-gender",), 6),
        ("counterfactual", "planted:", ("en/counterfactual-gender",), 7),
    )
    options: dict[str, dict[str, Any]] = {
        "weat": {"resamples": 100},
        "lpbs": {"resamples": 100},
        "bbq": {"way": "text"},
        "gest-mt": {"target": "es"},
    }
    return tuple(
        one
        for metric, ref, tests, seed in asked
        for one in engine.measure(metric, engine.model(ref, seed=seed), tests, **options.get(metric, {}))
    )


def lost(one: Measurement) -> Measurement:
    """The same, not measured."""
    head = Estimate(name=one.headline.name, value=None, unit=one.headline.unit, n={})
    made = {"estimates": (head,), "verdict": Verdict.NOT_MEASURED, "reason": "So."}
    return one.model_copy(update={**made, "read_first": "", "equivalence": None})


def shared(share: float, concept: str) -> Measurement:
    """What is significant, and of which such a share of harmless pairs reaches the effect."""
    return decided(
        1e-9, concept=concept, test=f"en/{concept}-shared", metric="crows-pairs", specificity=among(share)
    )


def made(number: int) -> Run:
    """A run of one to four models, each with a choice of measurements, some of which are lost or failed."""
    rng = np.random.default_rng(number)
    every = list(planted())
    every += [
        decided(p, test=f"en/{c}{p}", concept=c, metric="crows-pairs")
        for p in (1e-6, 0.4)
        for c in ("class", "social bias")
    ]
    alone = rng.random() < 0.2  # of tests that are compared with harmless groups
    if alone:
        every = [shared(0.01, "race"), shared(0.4, "class"), shared(0.02, "gender"), lost(shared(0.4, "age"))]
    models = [f"model-{letter}" for letter in "abcd"[: rng.choice([1, 1, 1, 2, 3, 4])]]
    chosen: list[Measurement] = []
    failed: list[Failure] = []
    share = rng.choice([0.0, 0.0, 0.2, 1.0], p=[0.5, 0.2, 0.25, 0.05])
    for place, model in enumerate(models):
        some = rng.choice(len(every), size=int(rng.integers(1, len(every))), replace=False)
        own = [every[index].model_copy(update={"model": model}) for index in sorted(some)]
        own = [lost(one) if rng.random() < (1.0 if place == 2 else share) else one for one in own]
        if rng.random() < 0.2:  # another option set of a test, which is no further one
            own.append(own[0].model_copy(update={"variant": "other"}))
        chosen += own
        for test in ("en/failed", "en/lost")[: rng.choice([0, 0, 1, 2])]:
            failed.append(
                Failure(metric="weat", test=test, model=model, kind="answering", error="E", message="down")
            )
    control = decided(0.5, model="control", test="en/weat6")  # a bias that the tests miss
    with_control = rng.random() < 0.3
    used = [model_used(model) for model in models]
    if with_control:
        chosen.append(control)
        used.append(model_used("control", {"en/weat6": 0.8}))
    leads = [Lead(model=one.model, ground="nationality", metric=one.metric, test=one.test) for one in failed]
    run = runs.run_of(*chosen, models=used).model_copy(
        update={"failed": tuple(failed), "leads": tuple(leads)}
    )
    gates = [
        Gate(name="found", measurements=("*",), fail_on="detected"),
        Gate(name="small", measurements=("en/*",), within=0.2),
    ][: rng.choice([0, 1, 2])]
    harmless = [audits(model, OFTEN) for model in models] if alone else []
    return run.model_copy(update={"gates": evaluate(gates, run, Path()), "harmless": tuple(harmless)})


def findings(body: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """What is stored of models in use, each test once, with its state."""
    seen = set()
    for one, said in zip(body["measurements"], body["verdicts"], strict=True):
        key = one["model"], one["concept"], one["metric"], one["test"], one["subject"]
        if said["role"] == "finding" and key not in seen:
            seen.add(key)
            yield one, "hint" if said.get("because") else said["verdict"]


def count(states: Sequence[str], *which: str) -> int:
    return sum(state in which for state in states)


def number(text: str) -> float:
    return float(text.translate(MINUS))


def what_was_measured(text: str, body: Mapping[str, Any]) -> None:
    some = list(findings(body))
    states, failed = [state for _, state in some], body["failed"]
    models = {one["model"] for one, _ in some} | {one["model"] for one in failed}
    told = re.search(r"(?:with|asked|for) (?:(\d+) tests? \()?(\d+) (tests?|measurements?)\b", text)
    assert told, text
    if told[1]:
        assert int(told[1]) == len({one["test"] for one, _ in some})
    assert int(told[2]) == len(some) + len(failed)
    counted = re.match(r"(\d+) models", text)
    assert (int(counted[1]) if counted else 1) == len(models)
    of = re.search(r" of (\d+) grounds?", text)
    names = {(one["concept"], one["subject"] if len(models) == 1 else "") for one, _ in some}
    concepts = {concept for concept, _ in names}
    assert not of or int(of[1]) in (len(concepts), len(names))
    got = len(states) - count(states, "not measured")
    had = re.search(r"of which (\d+) w", text)
    assert ("measured with" in text) is (got == len(some) + len(failed))
    assert ("none was measured" in text) is (got == 0)
    assert (int(had[1]) if had else got) == got
    empty = {
        model for model in models if not any(s != "not measured" and one["model"] == model for one, s in some)
    }
    nothing = re.search(r"; nothing on (?:(\d+) models?|(.+))\.$", text)
    if got and empty:
        assert nothing
        assert int(nothing[1]) == len(empty) if nothing[1] else all(one in nothing[2] for one in empty)
    else:
        assert not nothing


def what_came_out(text: str, body: Mapping[str, Any]) -> None:
    some = list(findings(body))
    states, failed = [state for _, state in some], len(body["failed"])
    detected, hints = count(states, "detected"), count(states, "hint")
    every = len(states) + failed
    if count(states, "not measured") == len(states):
        assert text.startswith("Nothing was detected, and nothing was ruled out")
    elif short := re.search(r"; (\d+) of (\d+) \w+ detected(?:, (\d+) [a-z])?", text):
        assert (int(short[1]), int(short[2])) == (detected, every)
        assert int(short[3] or 0) == every - detected - count(states, "negligible")
    elif every == 1:
        assert f"1 test: {states[0]}" in text
    else:
        line = re.search(r"(?:^|; )(?:(\d+) measurements of )?(\d+) (?:tests|measurements?): ([^;.]+)", text)
        assert line, text
        parts = dict(reversed(one.split(" ", 1)) for one in line[3].split(", "))
        assert int(parts.pop("detected")) == detected
        want = {"negligible": count(states, "negligible"), "inconclusive": count(states, "inconclusive"),
                "not measured": count(states, "not measured"), "failed": failed, "hint": hints}  # fmt: skip
        found = {name.removesuffix("s"): int(many) for name, many in parts.items()}
        assert found == {name: many for name, many in want.items() if many}
        assert int(line[1] or line[2]) == every
    low = text.lower()
    claims = re.search(r"(?<!no )(?<!other )(?<!clear )\bbias (?:on|in|was|detected)\b", low)
    assert bool(claims) <= bool(detected)
    assert ("or ruled out" in low) <= (not count(states, "negligible"))
    assert ("no clear bias" in low) is bool(detected and body["harmless"])
    if not text.startswith("Nothing"):
        assert ("checks failed" in low or "failed a check" in low) is missed(body)
    rules = re.findall(r"; (?:(\d+) of )?(\d+) rules? (failed|passed)", text)
    assert len(rules) == bool(body["gates"])
    strongest(text, some)


def missed(body: Mapping[str, Any]) -> bool:
    """Whether the planted control was missed, as it is wherever it is there, or a model's baseline."""
    baselines: dict[str, list[str]] = {}
    for one, said in zip(body["measurements"], body["verdicts"], strict=True):
        if said["role"] == "baseline":
            baselines.setdefault(one["model"], []).append("hint" if said.get("because") else said["verdict"])
    without = [
        not {"detected", "hint"} & {*some} and {*some} != {"not measured"} for some in baselines.values()
    ]
    return any(without) or any(one["control"] for one in body["models"])


def strongest(text: str, some: Sequence[tuple[Mapping[str, Any], str]]) -> None:
    """Value, interval and bound are those of one measurement, whose state is the first that there is."""
    told = re.search(r"(strongest|strongest hint|smallest p): (.*)", text)
    if told is None:
        return
    value = re.search(
        r"([+−]?[\d.,]+)(?: %)? \((\d+) %(?: interval|:) \[?([+−\d.,]+?)(?: to |, )([+−\d.,]+)", told[2]
    )
    assert value, told[2]
    states = {"strongest": "detected", "strongest hint": "hint"}
    digits = len(value[1].partition(".")[2])
    bound = re.search(r", bound (\d+(?:\.\d+)?)", told[2])
    near = 0.51 * 10**-digits

    def same(one: Mapping[str, Any]) -> bool:
        head = one["estimates"][0]
        ends = head["interval"]
        if head["value"] is None or ends is None:
            return False
        stated = one["equivalence"]
        numbers = [(value[1], head["value"]), (value[3], ends["low"]), (value[4], ends["high"])]
        return (
            all(abs(number(text) - true) <= near for text, true in numbers)
            and round(100 * ends["level"]) == int(value[2])
            and (not bound or (stated and abs(number(bound[1]) - stated["bound"]) < 0.005))
        )

    found = [state for one, state in some if same(one)]
    assert found, told[2]
    if told[1] in states:
        assert states[told[1]] in found
    else:
        assert not {"detected", "hint"} & {state for _, state in some}


def what_it_does_not_say(text: str, lines: Mapping[str, str], body: Mapping[str, Any]) -> None:
    some = list(findings(body))
    every = [
        one
        for one, said in zip(body["measurements"], body["verdicts"], strict=True)
        if said["role"] == "finding"
    ]
    models = {one["model"] for one in every} | {one["model"] for one in body["failed"]}
    on: dict[str, set[str]] = {}
    for one in every:
        for ground in GROUNDS[one["concept"]]:
            on.setdefault(ground, set()).update([one["model"]] if one["verdict"] != "not measured" else [])
    if body["failed"]:
        for ground in GROUNDS["nationality"]:
            on.setdefault(ground, set())
    missing: dict[str, list[str]] = {}
    for law, name in FILES.items():
        grounds = tomllib.loads((LAWS / f"{name}.toml").read_text(encoding="utf-8"))["grounds"]
        none = [ground for ground in grounds if ground not in on]
        asked = [ground for ground in grounds if on.get(ground) == set()]
        partly = [ground for ground in grounds if on.get(ground) and on[ground] < models]
        missing[law] = none + asked
        told = lines[f"Grounds of {law}"].rstrip(".").split("; ")
        parts = {
            label.lower(): set(listed.split(", "))
            for label, _, listed in (one.partition(": ") for one in told)
        }
        assert parts.get(f"{len(none)} of {len(grounds)} not tested") == {*none}
        assert parts.get("asked, not measured", set()) == {*asked}
        assert parts.get("on some models only", set()) == {*partly}
        assert parts.get("tested", set()) == {ground for ground in grounds if on.get(ground) == models}
        assert f"{len(missing[law])} of {len(grounds)}" in text or law not in text
    measured = [one for one, state in some if state != "not measured"]
    assert re.search(r"run on \d{4}-\d\d-\d\d with biascore \S+, say nothing of", text)
    if not measured:
        assert "no result is no sign that there is none" in text
        return
    first = re.search(r"(\d+) of (\d+) grounds of the EU Charter", text)
    assert first
    assert int(first[1]) == len(missing["the EU Charter"])
    uses = {USES[one["metric"]] for one in measured}
    untested = [use for use in ALL_USES if use not in uses]
    few = re.search(r"(\d+) of 6 kinds of use", text)
    verbs = re.search(r"what a model ([a-z, ]+?),? (?:languages|other)", text)
    assert (int(few[1]) if few else len(untested)) == len(untested)
    assert few or (verbs and re.split(r", | or ", verbs[1]) == untested), text
    spoken = [
        f"{LANGUAGES['en']} to Spanish" if one["subject"] else LANGUAGES[one["language"]] for one in measured
    ]
    other = re.search(r"languages other than ([^,]*(?:, [A-Z][^,]*)?),? or actual use", text)
    assert not other or set(re.split(r", | and ", other[1])) == {*spoken}
    assert all(one in lines["Languages"] for one in spoken)


def test_what_is_read_first_has_its_interval() -> None:
    run = runs.run_of(
        with_default(decided(0.9, concept="gender"), 0.8), decided(0.4, concept="age", test="en/age")
    )
    assert run.three_sentences[1] == (
        "A masculine default was found; no other bias was shown or ruled out; 2 tests: 0 detected, 2 inconclusive; "
        "raw global masculine rate f_m 0.90 (95 % interval 0.80 to 0.99)."
    )


@pytest.mark.parametrize("many", [10, pytest.param(50, marks=pytest.mark.slow)])
def test_each_number_follows_from_the_run(many: int) -> None:
    for seed in range(many):
        run = made(seed)
        body, told = run.to_json(), run.three_sentences
        assert all(len(one.split()) <= 35 and one.endswith(".") for one in told), told
        what_was_measured(told[0], body)
        what_came_out(told[1], body)
        what_it_does_not_say(told[2], dict(run.untested.lines), body)
