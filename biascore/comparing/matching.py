"""Which measurement of one run is which of another, and what keeps two of them from being compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Final

from biascore.basics.frozen import Scalar
from biascore.basics.surface import either
from biascore.basics.wording import listed, quoted
from biascore.errors import UnknownNameError
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.verdicts import Role, RunVerdict

OF_RULE: Final = frozenset({"deciding p-value", "exchanged", "specificity", "harmless groups"})
"""Conventions of the rule by which a run decides, and not of the estimates."""


@dataclass(frozen=True, slots=True)
class Side:
    """A measurement with its run and what that says of it."""

    run: Run
    measurement: Measurement
    said: RunVerdict


@dataclass(frozen=True, slots=True)
class Match:
    """The same test on the old model and on the new one."""

    old: Side
    new: Side

    @property
    def role(self) -> Role:
        """A control where either model is one; else that of the measurement."""
        roles = (self.old.said.role, self.new.said.role)
        return Role.CONTROL if Role.CONTROL in roles else roles[0]


@dataclass(frozen=True, slots=True)
class Matched:
    """What two runs have in common on some models, and what only one of them has."""

    both: tuple[Match, ...]
    only_old: tuple[Measurement, ...]
    only_new: tuple[Measurement, ...]


def models_of(old: Run, new: Run, chosen: Mapping[str, str] | None) -> dict[str, str]:
    """The new model for each old one: those ``chosen`` by name, else of the same name, else the only one of each run.

    Raises UnknownNameError where a name is none of the run's, or where nothing says which belong together.
    """
    before, after = _measured(old), _measured(new)
    for name, known, which in (
        *((name, before, "old") for name in chosen or ()),
        *((name, after, "new") for name in (chosen or {}).values()),
    ):
        if name not in known:
            raise UnknownNameError(f"the {which} run has no model {name!r}; it has: {listed(known)}")
    if chosen:
        return dict(chosen)
    same = {name: name for name in before if name in after}
    if old is not new and same:
        return same
    if old is not new and len(before) == len(after) == 1:
        return {before[0]: after[0]}
    if old is new and len(before) == 1:
        raise UnknownNameError(
            f"the run has one model, {before[0]!r}: name a second run to compare with it, as in "
            + either("biascore compare OLD NEW", "compare(old, new)")
        )
    first, second = before[0], after[-1]
    raise UnknownNameError(
        f"which models are to be compared is not clear: {listed(before)}"
        + (f" in the old run and {listed(after)} in the new one" if old is not new else " are in this run")
        + ". Name them, old and new: "
        + either(f"--models {quote(f'{first}={second}')}", f"models={{{first!r}: {second!r}}}")
    )


def matched(old: Run, new: Run, models: Mapping[str, str]) -> Matched:
    """The measurements of both by metric, test and subject; of several the one that is made most alike."""
    befores, afters = _sides(old), _sides(new)
    both: list[Match] = []
    used: set[int] = set()
    without: list[Measurement] = []
    for before in befores:
        m = before.measurement
        if m.model not in models:
            continue
        same = [
            (place, after)
            for place, after in enumerate(afters)
            if place not in used and _is(after.measurement, m, models[m.model])
        ]
        if not same:
            without.append(m)
            continue
        place, after = min(same, key=lambda one: _unlike(m, one[1].measurement))
        used.add(place)
        both.append(Match(before, after))
    wanted = set(models.values())
    more = [
        after.measurement
        for place, after in enumerate(afters)
        if place not in used and after.measurement.model in wanted
    ]
    return Matched(tuple(both), tuple(without), tuple(more))


def refusals(match: Match) -> tuple[str, ...]:
    """In what the two differ that must be the same: estimand, stimuli or conventions; empty where in nothing."""
    old, new = match.old.measurement, match.new.measurement
    found = []
    for what in ("language", "positive_means"):
        if getattr(old, what) != getattr(new, what):
            found.append(
                f"estimand: {what.replace('_', ' ')} {quoted(getattr(old, what))} and {quoted(getattr(new, what))}"
            )
    names = compared_estimates(old, new)
    if not names:
        found.append(f"estimand: {old.headline.name} and {new.headline.name}")
    for name in names:
        one, other = old.estimate(name), new.estimate(name)
        # What is no bias may follow from the answers (bbq), so that its number may differ.
        if one.unit != other.unit or (one.neutral is None) is not (other.neutral is None):
            found.append(f"estimand: {name} in {one.unit} and in {other.unit}")
    found += _stimuli(match)
    skipped = {*old.model_conventions, *new.model_conventions}
    if match.old.run.rule is not match.new.run.rule:  # of the verdicts, which are not compared then
        skipped |= OF_RULE
    otherwise = len(found)
    for name in dict.fromkeys((*old.conventions, *new.conventions)):
        one_is, other_is = old.conventions.get(name), new.conventions.get(name)
        if name not in skipped and one_is != other_is:
            found.append(f"convention {name!r}: {_shown(one_is)} and {_shown(other_is)}")
    if len(found) == otherwise:  # where a convention differs, that is why
        found += [
            f"estimand: {name} follows in another way from the items"
            for name in names
            if old.estimate(name).estimator != new.estimate(name).estimator
        ]
    return tuple(found)


def compared_estimates(old: Measurement, new: Measurement) -> tuple[str, ...]:
    """The estimates that are compared: those that both can compute from their items, else the headline of both."""
    there = {estimate.name for estimate in new.estimates}
    declared = tuple(
        estimate.name for estimate in old.estimates if estimate.estimator and estimate.name in there
    )
    if declared:
        return declared
    return (old.headline.name,) if old.headline.name == new.headline.name else ()


def _shown(value: Scalar) -> str:
    return "not stated" if value is None else quoted(value)


def _measured(run: Run) -> list[str]:
    return list(dict.fromkeys(measurement.model for measurement in run))


def _sides(run: Run) -> list[Side]:
    return [Side(run, m, said) for m, said in zip(run, run.verdicts, strict=True)]


def _is(one: Measurement, other: Measurement, model: str) -> bool:
    return (one.metric, one.test, one.subject, one.model) == (other.metric, other.test, other.subject, model)


def _unlike(one: Measurement, other: Measurement) -> tuple[bool, int]:
    names = {*one.conventions, *other.conventions}
    unlike = sum(one.conventions.get(name) != other.conventions.get(name) for name in names)
    return one.variant != other.variant, unlike


def _stimuli(match: Match) -> list[str]:
    old, new = (
        {
            used.sha256: used.file
            for used in side.run.stimuli
            if not {side.measurement.test, *side.measurement.joined}.isdisjoint(used.tests)
        }
        for side in (match.old, match.new)
    )
    if set(old) == set(new):
        return []
    changed = {**old, **new}
    files = {file for digest, file in changed.items() if (digest in old) != (digest in new)}
    return [f"stimuli: {listed(sorted(files))} of {match.old.measurement.test} is not the same file in both"]


def named(measurements: Sequence[Measurement]) -> tuple[str, ...]:
    """Measurements in a few words, without their model."""
    return tuple(dict.fromkeys(" ".join(filter(None, [m.method, m.test, m.subject])) for m in measurements))
