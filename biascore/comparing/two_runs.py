"""Two stored runs, or two models of one run, compared test by test."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote

from biascore.basics.surface import either
from biascore.comparing.changes import Changed, changes_of
from biascore.comparing.judging import judged
from biascore.comparing.matching import Match, matched, models_of, named, refusals
from biascore.errors import OptionsError, RunError
from biascore.results.comparison import Comparison, Difference, NotComparable, RunCompared
from biascore.results.run import Run
from biascore.results.run_files import RUN_FILE
from biascore.stats import Adjustment, adjust


def compare(
    old: Run | str | Path,
    new: Run | str | Path | None = None,
    models: Mapping[str, str] | None = None,
    *,
    bound: float | None = None,
    adjustment: Adjustment | str | None = None,
) -> Comparison:
    """Compare two runs, or two models of one run.

    p-values are adjusted over all changes between the same two models: findings, baselines and controls each on their own.
    Raises RunError for what is no run, UnknownNameError for models that are not clear, OptionsError for a bound that is
    not a number above 0, or where the runs have no test in common on these models.

    Args:
        old: A Run, its folder or its run.json.
        new: The same; left out, two models of ``old`` are compared.
        models: The new model for each old one; by default models of the same name, or the only one of each run.
        bound: A change within it is negligible, in the unit of each estimate; by default the equivalence bound of the
            measurement.
        adjustment: How p-values are adjusted; by default as in the new run.
    """
    if bound is not None and not 0 < bound < math.inf:
        raise OptionsError(
            f"bound={bound} is not a number above 0. Give the largest change that is negligible, such as 0.2"
        )
    before = loaded(old)
    after = before if new is None else loaded(new)
    how = after.adjustment if adjustment is None else Adjustment(adjustment)
    found = compared(before, after, models_of(before, after, models), bound=bound, how=how)
    if not (found.differences or found.not_comparable):
        on = ", ".join(one if one == other else f"{one} and {other}" for one, other in found.models.items())
        held = [", ".join(some) or "nothing" for some in (found.only_old, found.only_new)]
        failed = "".join(f" {text}." for text in found.failed)
        raise OptionsError(
            f"the two have no measurement in common on {on}: the old one holds {held[0]}, the new one {held[1]}.{failed} "
            + either(
                "Run the same audit on both: biascore run AUDIT.toml --model NAME=REF --out new-run",
                "Run the same audit on both: engine.run(audit.with_models({name: ref}))",
            )
        )
    return found


def compared(
    before: Run, after: Run, pairs: Mapping[str, str], *, bound: float | None, how: Adjustment
) -> Comparison:
    """The comparison of two runs on these models, old to new, which may have nothing in common."""
    found = matched(before, after, pairs)
    refused = [(match, refusals(match)) for match in found.both]
    changed = [(match, change) for match, reasons in refused if not reasons for change in changes_of(match)]
    return Comparison(
        old=_run(before),
        new=_run(after),
        models=dict(pairs),
        adjustment=how,
        differences=tuple(_adjusted(changed, how, bound)),
        not_comparable=tuple(_refused(match, reasons) for match, reasons in refused if reasons),
        only_old=named(found.only_old),
        only_new=named(found.only_new),
        failed=tuple(_failed(before, after, pairs)),
        controls=tuple(_controls(before, after, pairs)),
        gates=tuple(gate for gate in after.gates if gate.base and gate.base == before.results_digest()),
        warnings=(*_models(before, after, pairs), *_versions(before, after), *_rules(before, after)),
    )


def _rules(before: Run, after: Run) -> Iterator[str]:
    if before.rule is not after.rule:
        yield "the runs decide by different rules, so that their states and shares of harmless pairs are not compared"


def loaded(run: Run | str | Path) -> Run:
    """The run of a folder, or of the run.json in it."""
    if isinstance(run, Run):
        return run
    path = Path(run)
    if path.suffix == ".toml" and path.is_file():
        raise RunError(
            f"{path} is an audit file, and no stored run. Name the folder that biascore run {quote(str(path))} saved, "
            f"such as {path.with_name(f'{path.stem}-run')}"
        )
    if not path.exists():
        raise RunError(
            f"{path} is not there. Name a folder that biascore run wrote; before a first one there is none to compare with, "
            'and a gate with no_worse_than says so with no_base = "pass"'
        )
    inside = sorted(path.glob(f"*/{RUN_FILE}")) if path.is_dir() and not (path / RUN_FILE).exists() else []
    if inside:
        raise RunError(
            f"{path} is no stored run, and holds some. Name one: {', '.join(str(one.parent) for one in inside[:3])}"
        )
    return Run.load(path.parent if path.name == RUN_FILE and path.is_file() else path)


def family_of(match: Match) -> str:
    """The changes that are adjusted together: those of one role between the same two models."""
    old, new = match.old.measurement.model, match.new.measurement.model
    return f"{match.role.value}s from {old} to {new}" if old != new else f"{match.role.value}s on {old}"


def _adjusted(
    changed: Sequence[tuple[Match, Changed]], how: Adjustment, bound: float | None
) -> Iterator[Difference]:
    families: dict[str, list[int]] = {}
    for place, (match, _) in enumerate(changed):
        families.setdefault(family_of(match), []).append(place)
    adjusted: dict[int, tuple[float, int]] = {}
    for members in families.values():
        p = [
            one.p_values[0].value if one.p_values else None for one in (changed[i][1].change for i in members)
        ]
        tests = sum(value is not None for value in p)
        values = adjust(p, how)
        adjusted |= {
            i: (float(v), tests) for i, v, own in zip(members, values, p, strict=True) if own is not None
        }
    for place, (match, change) in enumerate(changed):
        yield judged(match, change, family_of(match), adjusted.get(place), how, bound)


def _refused(match: Match, reasons: tuple[str, ...]) -> NotComparable:
    m = match.old.measurement
    return NotComparable(
        metric=m.metric,
        variant=m.variant,
        subject=m.subject,
        test=m.test,
        old_model=m.model,
        new_model=match.new.measurement.model,
        reasons=reasons,
    )


def _run(run: Run) -> RunCompared:
    return RunCompared(
        title=run.title,
        results_digest=run.results_digest(),
        models={model.name: model.digest for model in run.models},
        biascore_version=run.provenance.biascore_version,
        plugins={used.name: f"{used.dist} {used.version}" for used in run.provenance.plugins},
    )


def _failed(old: Run, new: Run, pairs: Mapping[str, str]) -> Iterator[str]:
    """What could not be measured on these models, and so is not compared."""
    for which, run, names in (("old", old, [*pairs]), ("new", new, [*pairs.values()])):
        for failure in run.failed:
            if failure.model in names:
                yield f"{failure.what} could not be measured in the {which} run: {failure.message}"


def _controls(old: Run, new: Run, pairs: Mapping[str, str]) -> Iterator[str]:
    """Which of them have a known bias."""
    for one, other in pairs.items():
        sides = [(one, "old", old), (other, "new", new)]
        known = [f"{name} in the {which} run" for name, which, run in sides if name in run.controls]
        if known:
            yield (
                f"{' and '.join(known)}: {'controls' if len(known) > 1 else 'a control'} with a known bias. The change "
                "checks the test and says nothing of a model in use"
            )


def _models(old: Run, new: Run, pairs: Mapping[str, str]) -> Iterator[str]:
    """That the two are one and the same."""
    same = old is not new and old.results_digest() == new.results_digest()
    if same:
        yield "the two runs have the same results, to the last digit: was one run named twice?"
    digests = [{model.name: model.digest for model in run.models} for run in (old, new)]
    for one, other in pairs.items():
        if not same and digests[0].get(one) == digests[1].get(other):
            yield f"{one if one == other else f'{one} and {other}'}: the model is the same in both, by its digest"


def _versions(old: Run, new: Run) -> Iterator[str]:
    """That what measured them was not the same, which may change numbers."""
    one, other = old.provenance, new.provenance
    if one.biascore_version != other.biascore_version:
        yield f"measured with biascore {one.biascore_version} and {other.biascore_version}"
    before, after = ({used.name: used.version for used in run.plugins} for run in (one, other))
    changed = [
        f"{name} {before[name]} and {after[name]}"
        for name in before
        if before[name] != after.get(name, before[name])
    ]
    if changed:
        yield f"measured with other versions of plugins: {', '.join(changed)}"
