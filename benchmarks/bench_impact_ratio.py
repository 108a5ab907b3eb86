"""Whether impact-ratio keeps its level, and its intervals theirs: over sizes and rates, small ones too.

For each world tables of people are drawn, with categories of sex and race and their intersections. Printed in percent: how
often the test rejects, the interval of the smallest ratio covers the true one, and all intervals of ratios to the highest of
a table cover at once. A second table has 12 openings that hire at their own rates, from 20 to 60 %, each asked for by 20 to
80 % women or by half: of people taken for independent, and with the openings declared.

    python -m benchmarks.bench_impact_ratio [--sets 1000] [--draws 999]
"""

from __future__ import annotations

import argparse

import numpy as np

from biascore_metrics.impact_ratio.items import Person
from biascore_metrics.impact_ratio.tables import Tables

RACES = {"A": 0.4, "B": 0.25, "C": 0.2, "D": 0.12, "E": 0.03}
WORLDS = {
    "20 + 20 people": {("F",): 20, ("M",): 20},
    "20 + 400 people": {("F",): 20, ("M",): 400},
    "500 + 500 people": {("F",): 500, ("M",): 500},
    "sex × race, 300 people": {(s, r): round(150 * share) for s in "FM" for r, share in RACES.items()},
    "sex × race, 3000 people": {(s, r): round(1500 * share) for s in "FM" for r, share in RACES.items()},
}


def world(
    sizes: dict[tuple[str, ...], int],
    rate: float,
    ratio: float,
    sets: int,
    draws: int,
    rng: np.random.Generator,
) -> tuple[float, float, float]:
    """Shares of sets that reject, whose interval of the smallest ratio covers, and whose intervals all cover."""
    people = [Person(f"{c}{i}", c) for c, n in sizes.items() for i in range(n)]
    groups = ["sex", "race"][: len(people[0].categories)]
    rates = np.array([rate * (ratio if one.categories[0] == "F" else 1.0) for one in people])
    true = Tables.of(groups, people, rates > -1, intersections=True, below=0.0)
    names = {one.label: one for table in true.tables for one in table.categories}
    means = {label: _mean(label, people, rates, groups) for label in names}
    rejected = covered = every = measured = 0
    for _ in range(sets):
        tables = Tables.of(groups, people, rng.random(len(people)) < rates, intersections=True, below=0.0)
        compared = tables.compared(20)
        if compared is None:
            continue
        measured += 1
        smallest = min(
            min(means[one.label] for one in table.categories)
            / max(means[one.label] for one in table.categories)
            for table in compared.tables
        )
        interval = compared.interval(0.95)
        rejected += compared.test(draws, rng).p_value <= 0.05
        covered += interval.low <= smallest <= interval.high
        every += all(
            found.low <= means[f"{table.name}: {name}"] / means[table.highest.label] <= found.high
            for table in tables.tables
            if table.highest
            for name, found in table.over_highest(0.95 if len(tables.tables) == 1 else 1 - 0.05 / 3).items()
        )
    return rejected / measured, covered / measured, every / measured


def openings(
    each: int, mix: float, ratio: float, sets: int, draws: int, rng: np.random.Generator, many: int = 12
) -> tuple[float, float, float, float]:
    """Shares of sets that reject and whose interval covers, without the openings and with them."""
    found = np.zeros(4)
    for _ in range(sets):
        rates, women = rng.uniform(0.2, 0.6, many), rng.uniform(0.5 - mix, 0.5 + mix, many)
        opening = np.repeat(np.arange(many), each)
        female = rng.random(opening.size) < women[opening]
        chosen = rng.random(opening.size) < rates[opening] * np.where(female, ratio, 1.0)
        for declared in (False, True):
            people = [
                Person(str(i), ("F" if she else "M",), cluster=str(own) if declared else "")
                for i, (she, own) in enumerate(zip(female, opening, strict=True))
            ]
            compared = Tables.of(["sex"], people, chosen, intersections=True, below=0.0).compared(20)
            interval = compared.interval(0.95)
            p = max(compared.test(draws, rng).p_value, compared.by_cluster() or 0.0)
            found[2 * declared :][:2] += p <= 0.05, interval.low <= ratio <= interval.high
    return tuple(found / sets)


def _mean(label: str, people: list[Person], rates: np.ndarray, groups: list[str]) -> float:
    """The true rate of a category."""
    table, name = label.split(": ")
    places = [groups.index(group) for group in table.split(" × ")]
    own = [", ".join(one.categories[i] for i in places) == name for one in people]
    return float(rates[own].mean())


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=999)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    print("| people | rate | true ratio | rejects | smallest ratio covered | all ratios covered |")
    print("|---|---|---|---|---|---|")
    for name, sizes in WORLDS.items():
        for rate in (0.05, 0.3, 0.8):
            for ratio in (1.0, 0.7):
                found = world(sizes, rate, ratio, options.sets, options.draws, rng)
                shown = " | ".join(f"{100 * share:.1f}" for share in found)
                print(f"| {name} | {rate:g} | {ratio:g} | {shown} |", flush=True)
    print()
    print("| openings | true ratio | rejects, undeclared | covered | rejects, declared | covered |")
    print("|---|---|---|---|---|---|")
    for each, mix in ((40, 0.3), (200, 0.0), (200, 0.3)):
        for ratio in (1.0, 0.6):
            found = openings(each, mix, ratio, options.sets, options.draws, rng)
            shown = " | ".join(f"{100 * share:.1f}" for share in found)
            name = f"12 of {each} people, {100 * (0.5 - mix):.0f} to {100 * (0.5 + mix):.0f} % women"
            print(f"| {name} | {ratio:g} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
