"""What the classifiers of a removal found, as facts, warnings and a row for each round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from biascore.api.transforms import IN_SHORT, Scalar
from biascore.stats.proportions import wilson_interval
from biascore.stats.removal import Accuracy, Fitted, IterativeRemoval, padded_accuracy
from biascore_transforms.rows import LabelledRows

PADDED: Final = 6000
"""Rows of the matrix that Omrani Sabbaghi and Caliskan's code scored."""
COARSE: Final = 0.6
"""Where accuracies up to this cannot be separated from chance, the held-out words are too few to stop by."""

WHY: Final = {
    "chance": "held-out accuracy at chance",
    "maximum": "the greatest number of rounds was reached",
    "exhausted": "no direction was left to remove",
}


def facts_of(
    found: IterativeRemoval, words: LabelledRows, confidence: float, *, padded: bool = True
) -> dict[str, Scalar]:
    """Directions, rounds, why it stopped, and held-out accuracy before and after with its interval.

    ``padded``: also as Omrani Sabbaghi and Caliskan's code computes it.
    """
    names, both = words.names, zip(found.steps[0].fitted, found.steps[-1].fitted, strict=True)
    facts: dict[str, Scalar] = {
        IN_SHORT: in_short(
            found.basis.shape[1],
            {told_apart(one, names): (one.held_out, last.held_out) for one, last in both},
            len(words.train.labels),
            confidence,
        ),
        "directions": found.basis.shape[1],
        "rounds": len(found.steps) - 1,
        "stopped because": WHY[found.stopped],
    }
    several = len(found.steps[0].fitted) > 1
    for place, fitted in enumerate(found.steps[0].fitted):
        label = f" ({told_apart(fitted, names)})" if several else ""
        for when, step in (("before", found.steps[0]), ("after", found.steps[-1])):
            accuracy = step.fitted[place].held_out
            facts[f"held-out accuracy {when}{label}"] = round(accuracy.share, 6)
            facts[f"held-out accuracy {when}, {confidence:.0%} interval{label}"] = span(accuracy)
        facts[f"held-out words{label}"] = fitted.held_out.trials
        facts[f"accuracy of guessing{label}"] = round(fitted.held_out.chance, 6)
        printed = _printed(found.steps[-1].fitted[place], len(found.steps) - 1)
        if padded and printed is not None:
            facts[f"held-out accuracy after, padded to {PADDED} rows as in the authors' code{label}"] = (
                printed
            )
    return facts


def in_short(
    directions: int, accuracies: Mapping[str, tuple[Accuracy, Accuracy]], words: int, confidence: float
) -> str:
    """Directions, held-out accuracy before and after of each classifier, and how many words it was learnt from."""
    several = len(accuracies) > 1
    changes = "; ".join(
        f"{classes + ' ' if several else ''}{before.share:.3f} -> {after.share:.3f} "
        f"({confidence:.0%} interval {span(after)})"
        for classes, (before, after) in accuracies.items()
    )
    removed = "1 direction" if directions == 1 else f"{directions} directions"
    return f"{removed} removed, held-out accuracy {changes}, learnt from {words} words"


def warnings_of(found: IterativeRemoval, names: Sequence[str], confidence: float) -> tuple[str, ...]:
    """What a reader must know of these numbers."""
    said = []
    first, last = found.steps[0], found.steps[-1]
    if first.at_chance:
        shown = "; ".join(
            f"{fitted.held_out.share:.3f} ({span(fitted.held_out)}) for {told_apart(fitted, names)}"
            for fitted in first.fitted
        )
        said.append(
            "nothing to remove, and nothing was removed: a classifier is at chance on held-out words from the start, "
            f"{shown}"
        )
    elif not last.at_chance:
        left = [fitted for fitted in last.fitted if not fitted.held_out.at_chance]
        shown = "; ".join(f"{told_apart(x, names)} {x.held_out.share:.3f} ({span(x.held_out)})" for x in left)
        said.append(
            f"not removed whole: {WHY[found.stopped]}, and held-out words are still separated: {shown}. Allow more rounds"
        )
    unsure = [step for step in found.steps if not all(fitted.converged for fitted in step.fitted)]
    if unsure:
        said.append(
            f"the classifier did not converge in {len(unsure)} of {len(found.steps)} fits, so another seed or machine "
            'finds other directions. Use solver = "primal"'
        )
    trials = min(fitted.held_out.trials for fitted in first.fitted)
    chance = first.fitted[0].held_out.chance
    limit = _greatest_at_chance(trials, chance, confidence)
    if limit > COARSE and limit > chance + 0.1:
        said.append(
            f"{trials} held-out words are few: accuracies up to {limit:.3f} cannot be separated from chance, so it may stop "
            "too early. Hold out more"
        )
    return tuple(said)


def trace_of(
    found: IterativeRemoval, names: Sequence[str], *, padded: bool = True
) -> tuple[dict[str, Scalar], ...]:
    """A row for each round, the first before anything was removed."""
    several = len(found.steps[0].fitted) > 1
    rows = []
    for number, step in enumerate(found.steps):
        row: dict[str, Scalar] = {"step": number, "directions": step.directions}
        for fitted in step.fitted:
            label = f" ({told_apart(fitted, names)})" if several else ""
            outer = fitted.held_out
            row |= {
                f"training accuracy{label}": round(fitted.train.share, 6),
                f"held-out accuracy{label}": round(outer.share, 6),
                f"held-out accuracy, low{label}": round(outer.interval.low, 6),
                f"held-out accuracy, high{label}": round(outer.interval.high, 6),
                f"held-out words{label}": outer.trials,
                f"converged{label}": fitted.converged,
            }
            if padded:
                row[f"held-out accuracy, padded as in the authors' code{label}"] = _printed(fitted, number)
        rows.append(row)
    return tuple(rows)


def told_apart(fitted: Fitted, names: Sequence[str]) -> str:
    """The classes of a classifier: "masculine, feminine"."""
    return ", ".join(names[code] for code in fitted.classes)


def span(accuracy: Accuracy) -> str:
    """The interval, as facts and warnings write it."""
    return f"{accuracy.interval.low:.3f} to {accuracy.interval.high:.3f}"


def _printed(fitted: Fitted, number: int) -> float | None:
    """Two classes alone; the first round was scored on the held-out words alone, and no more than fit."""
    outer = fitted.held_out
    if len(fitted.classes) != 2 or outer.trials > PADDED:
        return None
    return round(padded_accuracy(outer.correct, outer.trials, PADDED) if number else outer.share, 6)


def _greatest_at_chance(trials: int, chance: float, confidence: float) -> float:
    for correct in range(trials, -1, -1):
        if wilson_interval(correct, trials, level=confidence).low <= chance:
            return correct / trials
    return 0.0
