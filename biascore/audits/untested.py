"""What a run did not test, by one rule for every surface; see `biascore.results.untested`.

A ground counts as tested where a test that names it came to a result on a model in use: a control, a baseline, a description
or the change by a transform is no test of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from biascore.errors import BiascoreError
from biascore.languages.names import language_name
from biascore.mapping import Mapping as Law
from biascore.mapping import grounds_of
from biascore.plugins.loading import Plugins
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.untested import USES, Covered, GroundTold, LawTold, Untested
from biascore.results.verdicts import BASELINE, Role
from biascore.stats import Verdict
from biascore.stimuli.given import UNDETERMINED

LAWS: Final = {
    "eu-charter": "the EU Charter",
    "us-federal": "US federal law",
    "nyc-human-rights": "New York City law",
}
"""The mappings whose grounds every report lists, and what they are called; those that the audit names follow."""


class _Asked(NamedTuple):
    """Something that was asked of a model in use, and whether it came to a result."""

    model: str
    name: str
    measured: bool


def untested(run: Run) -> Untested:
    """What a run tested of the models in use, and what it did not; mappings and metrics are those that are installed."""
    plugins = Plugins()
    laws, absent = _laws(run, plugins)
    found = _findings(run)
    controls = run.controls
    failed = [one for one in run.failed if one.model not in controls]
    models = tuple(dict.fromkeys([*(one.model for one in found), *(one.model for one in failed)]))
    concepts = list(_concepts(run, found))
    asked = [
        _Asked(one.model, ground.value, one.measured) for one in concepts for ground in grounds_of(one.name)
    ]
    of = _states(asked, models)
    known = {one.test for one in run}
    names = [*(one.metric for one in found), *(one.metric for one in failed)]
    metrics = {name: _use(name, plugins) for name in dict.fromkeys(names)}
    uses = [
        *(_Asked(one.model, metrics[one.metric], _measured(one)) for one in found),
        *(_Asked(one.model, metrics[one.metric], measured=False) for one in failed),
    ]
    spoken = [
        _Asked(one.model, name, _measured(one))
        for one in found
        if (name := _language(one, metrics[one.metric]))
    ]
    return Untested(
        models=models,
        laws=tuple(_told(law, of, concepts) for law in laws),
        absent=tuple(absent),
        nameless=_nameless(found, laws),
        # Lead tests are of every ground that was asked; runs stored before there were any record none of these.
        lost=() if run.leads else tuple(dict.fromkeys(one.test for one in failed if one.test not in known)),
        uses={use: _states(uses, models).get(use, Covered.NOT) for use in USES},
        unknown=tuple(name for name, use in metrics.items() if use not in USES),
        languages=_states(spoken, models),
    )


def _laws(run: Run, plugins: Plugins) -> tuple[list[Law], list[str]]:
    """The mappings to list, and those of the audit that cannot be: what a run records of them is their digest alone."""
    recorded = {one.name: one for one in run.mappings}
    laws, absent = [], []
    for name in dict.fromkeys([*LAWS, *recorded]):
        try:
            law = plugins.mappings.get(name)
        except BiascoreError:
            absent.append(f"{name} is not installed here, so its grounds are not listed")
            continue
        if name not in LAWS and law.sha256 != recorded[name].sha256:
            absent.append(f"{name} has changed since this run, so its grounds are not listed")
        elif law.grounds:
            laws.append(law)
    return laws, absent


def _findings(run: Run) -> list[Measurement]:
    """What asks whether a model in use is biased."""
    return [one for one, said in zip(run, run.verdicts, strict=True) if said.role is Role.FINDING]


def _measured(one: Measurement) -> bool:
    return one.verdict is not Verdict.NOT_MEASURED


def _concepts(run: Run, found: Iterable[Measurement]) -> Iterator[_Asked]:
    """The concepts of what was asked; of what failed those of the lead tests, which are recorded before anything is."""
    for one in found:
        for name in (one.concept, *one.dimensions):
            yield _Asked(one.model, name, _measured(one))
    others = {
        (one.model, one.metric, one.test)
        for one, said in zip(run, run.verdicts, strict=True)
        if said.role is not Role.FINDING
    }
    for lead in run.leads:
        if (lead.model, lead.metric, lead.test) not in others:
            yield _Asked(lead.model, lead.ground, measured=False)


def _states(asked: Iterable[_Asked], models: tuple[str, ...]) -> dict[str, Covered]:
    """What became of each name that was asked."""
    of: dict[str, set[str]] = {}
    for one in asked:
        of.setdefault(one.name, set()).update([one.model] if one.measured else [])
    return {
        name: Covered.ASKED if not some else Covered.TESTED if some >= {*models} else Covered.IN_PART
        for name, some in of.items()
    }


def _told(law: Law, of: Mapping[str, Covered], concepts: Iterable[_Asked]) -> LawTold:
    some = list(dict.fromkeys(one.name for one in concepts))
    return LawTold(
        name=law.name,
        title=law.title,
        short=LAWS.get(law.name, law.title),
        version=law.version,
        source=law.source,
        grounds=tuple(
            GroundTold(
                ground=ground,
                articles=articles,
                state=of.get(ground, Covered.NOT),
                concepts=tuple(one for one in some if ground in [each.value for each in grounds_of(one)]),
            )
            for ground, articles in law.grounds.items()
        ),
    )


def _nameless(found: Iterable[Measurement], laws: Iterable[Law]) -> dict[str, tuple[str, ...]]:
    """Concepts of findings that name no ground of these laws, with their tests."""
    named = {ground for law in laws for ground in law.grounds}
    tests: dict[str, list[str]] = {}
    for one in found:
        about = {ground.value for name in (one.concept, *one.dimensions) for ground in grounds_of(name)}
        if not about & named and one.concept != BASELINE:
            tests.setdefault(one.concept or "no concept named", []).append(one.test)
    return {concept: tuple(dict.fromkeys(some)) for concept, some in tests.items()}


def _use(metric: str, plugins: Plugins) -> str:
    """What it tests a model for, as its class states; of what ships without importing it."""
    if metric not in plugins.metrics.names:
        return ""
    stated = plugins.metrics.holder(metric).says("use")
    return stated or str(getattr(plugins.metrics.item(metric), "use", ""))


def _language(one: Measurement, use: str) -> str:
    """In which language it was measured, in words, or empty; of a translation from which to which, as its subject says."""
    if use == "translates" and one.subject:
        return one.subject.partition(",")[0]
    return "" if one.language in ("", UNDETERMINED) else language_name(one.language)
