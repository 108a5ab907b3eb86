"""What a run holds of what serves the items of a mapping: measurements by globs, and records by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Final, TypeAlias

from biascore.basics.wording import counted
from biascore.mapping import Item, Offer, Record
from biascore.mapping import Mapping as TextMapping
from biascore.models.usage import DIGEST
from biascore.results.mappings import ItemResult, OfferResult, OfferState
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.verdicts import Role, State
from biascore.stats import Adjustment

_Found: TypeAlias = tuple[OfferState, str]
_SERVE: Final = (Role.FINDING, Role.DESCRIPTION, Role.CHANGE)
"""What a measurement is for that speaks of a model in use: not a check of a test."""


def offered(mapping: TextMapping, run: Run) -> tuple[ItemResult, ...]:
    """What the run offers to each item of the mapping."""
    return tuple(_item(item, run) for item in mapping.items)


def _item(item: Item, run: Run) -> ItemResult:
    return ItemResult(
        id=item.id,
        says=item.says,
        source=item.source,
        date=item.date.isoformat(),
        confirmed=item.confirmed,
        offers=tuple(_offer(offer, run) for offer in item.offers),
        cannot=item.cannot,
    )


def _offer(offer: Offer, run: Run) -> OfferResult:
    if not offer.records:
        state, found = _measured(offer, run)
    else:
        every = [_RECORDS[record](run) for record in offer.records]
        state, found = OfferState.of(tuple(one for one, _ in every)), "; ".join(text for _, text in every)
    return OfferResult(what=offer.what, state=state, found=found)


def _measured(offer: Offer, run: Run) -> _Found:
    """The states of the measurements that serve it; in part where some could not be made."""
    own = [
        State.of(one, said)
        for one, said in zip(run, run.verdicts, strict=True)
        if said.role in _SERVE
        and _matches(offer, one.metric, one.test, one.concept)
        and _estimates(offer, one)
    ]
    concepts = {one.test: one.ground for one in run.leads} | {one.test: one.concept for one in run}
    own += [
        State.NOT_MEASURED
        for one in run.failed
        if one.model not in run.controls and _matches(offer, one.metric, one.test, concepts.get(one.test))
    ]
    lost = own.count(State.NOT_MEASURED)
    told = ", ".join(
        f"{many} {state}" for state, many in Counter(own).items() if state is not State.NOT_MEASURED
    )
    if len(own) == lost:
        return OfferState.NOT, f"{lost} not measured" if lost else "nothing of it is in the run"
    if lost:
        return OfferState.PART, f"{len(own) - lost} measured: {told}; {lost} not measured"
    return OfferState.OFFERED, f"{len(own)} measured: {told}"


def _matches(offer: Offer, metric: str, test: str, concept: str | None) -> bool:
    """Whether it names these; a concept that is not known is none that it names."""
    pairs = ((offer.metrics, metric), (offer.tests, test), (offer.concepts, concept or ""))
    return all(not globs or any(fnmatchcase(name, glob) for glob in globs) for globs, name in pairs)


def _estimates(offer: Offer, one: Measurement) -> bool:
    """Whether it has an estimate that the offer names."""
    names = [estimate.name for estimate in one.estimates]
    return not offer.estimates or any(fnmatchcase(name, glob) for name in names for glob in offer.estimates)


def _effects(run: Run) -> list[Measurement]:
    """Measurements of models in use that have a value."""
    return [
        one
        for one, said in zip(run, run.verdicts, strict=True)
        if said.role in _SERVE and one.headline.value is not None
    ]


def _some(have: int, of: int, what: str) -> _Found:
    state = OfferState.NOT if not have else OfferState.OFFERED if have == of else OfferState.PART
    return state, f"{have} of {of} {what}"


def _any(many: int, noun: str) -> _Found:
    return OfferState.OFFERED if many else OfferState.NOT, counted(many, noun) if many else f"no {noun}"


def _intervals(run: Run) -> _Found:
    every = _effects(run)
    return _some(
        sum(one.headline.interval is not None for one in every), len(every), "effects with an interval"
    )


def _sizes(run: Run) -> _Found:
    every = _effects(run)
    return _some(sum(bool(one.headline.n) for one in every), len(every), "effects with their n")


def _adjustment(run: Run) -> _Found:
    many = len([one for one in _effects(run) if one.p_value is not None])
    if run.adjustment is Adjustment.NONE or not many:
        return OfferState.NOT, "p-values are not adjusted" if many else "no p-value"
    return OfferState.OFFERED, f"{counted(many, 'p-value')}, adjusted ({run.adjustment})"


def _harmless(run: Run) -> _Found:
    return _any(sum(one.specificity is not None for one in _effects(run)), "harmless-group comparison")


def _controls(run: Run) -> _Found:
    return _any(sum(said.role is Role.CONTROL for said in run.verdicts), "known-bias measurement")


def _gates(run: Run) -> _Found:
    if not run.gates:
        return OfferState.NOT, "no gate"
    passed = sum(one.passed for one in run.gates)
    return OfferState.OFFERED, f"{counted(len(run.gates), 'gate')} stated, of which {passed} passed"


def _digests(run: Run) -> _Found:
    own = [one for one in run.models if one.control is None]
    return _some(
        sum(DIGEST.fullmatch(one.digest) is not None for one in own), len(own), "models with a digest"
    )


def _limits(run: Run) -> _Found:
    many = sum(len(one.warnings) for one in run)
    return (OfferState.OFFERED if len(run) else OfferState.NOT), counted(many, "caveat")


def _release(run: Run) -> _Found:
    named = " ".join(filter(None, [run.line, run.release]))
    return OfferState.OFFERED if named else OfferState.NOT, named or "no release is named"


def _mitigation(run: Run) -> _Found:
    changes = sum(said.role is Role.CHANGE for said in run.verdicts)
    return _any(changes or len(run.duplicates), "before-and-after comparison")


_RECORDS: Final[Mapping[Record, Callable[[Run], _Found]]] = MappingProxyType(
    {
        Record.INTERVALS: _intervals,
        Record.SAMPLE_SIZES: _sizes,
        Record.ADJUSTMENT: _adjustment,
        Record.HARMLESS_GROUPS: _harmless,
        Record.CONTROLS: _controls,
        Record.GATES: _gates,
        Record.SCENARIOS: lambda run: _any(len(run.scenarios), "scenario"),
        Record.TEST_DATA: lambda run: _any(len(run.stimuli), "hashed file of test data"),
        Record.MODEL_DIGESTS: _digests,
        Record.VERSIONS: lambda run: _any(len(run.provenance.packages), "package version"),
        Record.LIMITS: _limits,
        Record.RELEASE: _release,
        Record.MITIGATION: _mitigation,
    }
)
