"""Audits of harmless groups: how many of their tests are detected, and how often a run says that there is bias.

    python -m benchmarks.bench_harmless encoder glove
    python -m benchmarks.bench_harmless --engine encoder

In each audit a pair of groups that do not ship (tests/metrics/other_people.toml, and topics) takes the place of each pair of
groups of the English audit, in all its tests. At most 5 % of the audits should be called biased. Standard errors are over
audits, and in the second place over the groups of the pool (drawn again with replacement). With ``--engine`` two audits are
run by the engine as well, which should say the same of each test.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from biascore import Engine
from biascore.models.model import Model
from biascore.results.verdicts import State
from biascore.results.words.sentence import results_of
from biascore.stats import Adjustment
from biascore.stimuli import WordList
from tests.metrics.harmless import Group, other_people, other_topics

from .harmless_worlds import Floats, Place, audited, decided, drawn_groups, own_audits, percent, vectors

AUDITS = 1000
POOLS = 40


def main() -> None:
    """Print the table."""
    engine, which = "--engine" in sys.argv, [one for one in sys.argv[1:] if not one.startswith("--")]
    if not engine:
        print(
            "| vectors, groups | tests detected | % of tests (SE; by group) | own harmless audits | called biased, % |"
        )
        print("|---|---|---|---|---|")
    for name, model, _, found in audited(which):
        for kind, pool in (("people", other_people()), ("topics", other_topics())):
            if engine:
                by_engine(model, found, pool)
                break
            of_pool(name, kind, model, found, pool)


def of_pool(name: str, kind: str, model: Model, found: list[Place], pool: list[Group]) -> None:
    """A row of the table, and what is detected most."""
    names, usable, units = vectors(model, pool)
    tables = tables_of(found, usable, units)
    how, rng = Adjustment.HOLM, np.random.default_rng(7)
    audits = own_audits(found, how)
    drawn = drawn_groups(found, pool, names, AUDITS, rng)
    detected, shared = decided(*of_drawn(tables, drawn), how)
    counts = detected.sum(axis=1)
    biased = [audits.exceeds(one) for one in shared]
    means, shares = [], []
    for _ in range(POOLS):
        some = rng.integers(len(names), size=len(names))
        again = [names[place] for place in dict.fromkeys(some.tolist())]
        of_some = drawn_groups(found, pool, again, 200, rng)
        at = {place: names.index(one) for place, one in enumerate(again)}
        moved = [{test: (at[a], at[b]) for test, (a, b) in one.items()} for one in of_some]
        those, told = decided(*of_drawn(tables, moved), how)
        means.append(100 * those.mean())
        shares.append(100 * np.mean([audits.exceeds(one) for one in told]))
    print(
        f"| {name}, {len(names)} groups of {kind} | {counts.mean():.2f} of {len(found)} | "
        f"{percent(detected.mean(axis=1))[:-1]}; {np.std(means):.1f}) | {audits.mean:.2f} | "
        f"{percent(np.array(biased))[:-1]}; {np.std(shares):.1f}) |",
        flush=True,
    )
    specific = np.mean([share[np.triu_indices(len(names), 1)] <= 0.05 for _, share, _ in tables])
    print(f"<!-- share <= .05, all pairs and tests: {100 * specific:.1f} % -->")
    rates = {one.test.id[9:]: 100 * rate for one, rate in zip(found, detected.mean(axis=0), strict=True)}
    often = sorted(rates, key=lambda test: -rates[test])[:6]
    print("<!-- most: " + ", ".join(f"{test} {rates[test]:.0f} %" for test in often) + " -->")
    of_group = {group: [0, 0] for group in names}
    for row, pairs in zip(detected, drawn, strict=True):
        for test, pair in pairs.items():
            for place in pair:
                of_group[names[place]][0] += int(row[test])
                of_group[names[place]][1] += 1
    rate = {group: 100 * hit / max(1, all_) for group, (hit, all_) in of_group.items()}
    print(
        "<!-- groups: "
        + ", ".join(f"{one} {rate[one]:.0f} %" for one in sorted(rate, key=lambda g: -rate[g])[:8])
        + " -->"
    )


def tables_of(
    found: list[Place], usable: list[np.ndarray], units: Floats
) -> list[tuple[Floats, Floats, Floats]]:
    """Of each test effect, share and p-value of each pair."""
    tables = []
    for one in found:
        tables.append(one.other(usable, units))
        one.forget()
    return tables


def of_drawn(
    tables: list[tuple[Floats, Floats, Floats]], drawn: list[dict[int, tuple[int, int]]]
) -> tuple[Floats, Floats]:
    """P-values and shares (audits, tests)."""
    p_values, shares = (
        np.array([[tables[test][which][pair] for test, pair in sorted(one.items())] for one in drawn])
        for which in (2, 1)
    )
    return p_values, shares


def by_engine(model: Model, found: list[Place], pool: list[Group]) -> None:
    """Two audits as the engine runs them, next to what the tables say."""
    names, usable, units = vectors(model, pool)
    tables = tables_of(found, usable, units)
    drawn = drawn_groups(found, pool, names, 2, np.random.default_rng(3))
    detected, shared = decided(*of_drawn(tables, drawn), Adjustment.HOLM)
    audits = own_audits(found, Adjustment.HOLM)
    words = {one.name: one.words for one in pool}
    for row, one, said in zip(detected, drawn, shared, strict=True):
        tests = []
        for number, place in enumerate(found):
            a, b = (WordList(names[at], words[names[at]]) for at in one[number])
            tests.append(replace(place.test, roles={**place.test.roles, "A": a, "B": b}))
        run = Engine(cache=None).measure("weat", model, tests, bound=0.5, resamples=200)
        gaps_p, gaps_share, same = [], [], 0
        by_id = {
            measurement.test: (measurement, verdict)
            for measurement, verdict in zip(run, run.verdicts, strict=True)
        }
        for number, place in enumerate(found):
            measurement, verdict = by_id[place.test.id]
            _, share, p_value = tables[number]
            pair = one[number]
            assert measurement.specificity
            assert measurement.specificity.share
            assert measurement.headline.value is not None
            assert np.isclose(abs(measurement.headline.value), abs(tables[number][0][pair]), atol=1e-5)
            gaps_p.append(abs((measurement.p_value or 0) - p_value[pair]))
            gaps_share.append(abs(measurement.specificity.share - share[pair]))
            same += (State.of(measurement, verdict) is State.DETECTED) == bool(row[number])
        says = results_of(run.answers, run.failed, run.harmless)[0].biased
        print(
            f"engine: {same} of {len(found)} states equal; largest gap of p {max(gaps_p):.4f}, of share "
            f"{max(gaps_share):.4f}; "
            f"bias said {says}, tables {audits.exceeds(said)}; harmless audits' mean {run.harmless[0].mean:.2f} and "
            f"{audits.mean:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
