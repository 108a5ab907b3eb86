"""Questions that every model is asked when it is opened, because no class list answers them.

Does padding behind a text move the states of its tokens? Convolutions, Fourier transforms and pooling do that, and
then only texts of equal length may share a batch. Does the first state move with the tokens after it? Then the model
sees to both sides, and has no log-likelihood of a text. And of a causal one: are the states of texts in a tree of prefixes
those of the texts alone? Recurrence, convolutions and positions that are counted in the row know nothing of branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore_adapters.transformer.prefixes import LONGEST, TOKENS, Branches, Prefixes
from biascore_adapters.transformer.tokens import Input

Floats = npt.NDArray[np.floating]
Run = Callable[[Sequence[Sequence[int]]], Sequence[Floats]]
"""Token ids of some texts, run in one padded batch; for each the states of its own tokens, (t, width)."""

# Of the largest number of a state. Measured: rounding moves states by some 1e-6 in float32, and by up to a hundredth
# in 16 bits; convolutions over padding by 1e-2.
TOLERANCE: Final = 3e-5
TOLERANCE_16_BIT: Final = 3e-2
SEES_ITSELF: Final = (
    "a token of this model sees the whole text, itself included, so that its probability given the tokens before it "
    "is not what the model computes"
)
MOVES_HEAD: Final = "moves the head's outputs: only texts of equal length share a batch"
NO_TREES: Final = "not used: this model's states are others where texts that begin alike are one tree"
_NOTHING: Final = 1e-6  # in any type: the sums that a masked token has no part in are the very same
_LENGTHS: Final = (3, 6, 13)


def moved_by_padding(run: Run, ids: Sequence[int], limit: int | None, tolerance: float = TOLERANCE) -> bool:
    """Whether the states of a text are others where a longer one shares its batch.

    True also where that cannot be found out, because the model fails: texts of equal length are the safe way.
    """
    texts = [[ids[i % len(ids)] for i in range(min(length, limit or length))] for length in _LENGTHS]
    try:
        together = run(texts)
        alone = [run([text])[0] for text in texts[:-1]]
    except Exception:  # whatever the model's own code raises on a padded batch
        return True
    moved = [_moved(one, other) for one, other in zip(alone, together, strict=False)]
    # Damaged weights give numbers that are none on both sides; they are found, with the text, when a question is asked.
    return any(some > tolerance for some in moved)


def moved_by_what_follows(run: Run, ids: Sequence[int], limit: int | None, tolerance: float) -> bool:
    """Whether the states of a text are others where padding follows it than where tokens do: in batches of one shape.

    For a model that sees to the left only, in 16 bits: rounding depends on the shape of a batch and increases with the
    layers, until a text alone differs from the same text in a batch by more than what tells padding.
    """
    most = min(_LENGTHS[-1], limit or _LENGTHS[-1])
    longest = [ids[i % len(ids)] for i in range(most)]
    try:
        padded = run([longest[:length] for length in _LENGTHS])
        # One token is left to padding: without any, another kernel may run.
        followed = run([longest[: most - 1], longest[: most - 1], longest])
    except Exception:  # whatever the model's own code raises on a padded batch
        return True
    pairs = zip(padded, followed, strict=False)
    return any(_moved(one[: len(other)], other[: len(one)]) > tolerance for one, other in pairs)


def sees_later(run: Run, ids: Sequence[int], limit: int | None, tolerance: float = TOLERANCE) -> bool | None:
    """Whether the first state of a text moves with the tokens after it; None where that is not known.

    A model that sees to the left only gives the very same numbers, or nearly: its first state has no other input,
    and its last one moves. In 16 bits experts that are run in other groups round it otherwise, by up to the tolerance;
    what sees both sides moves it by far more.
    """
    length = min(6, limit or 6)
    if length < 3 or len(ids) < 2 * length - 2:
        return None
    text, other = list(ids[:length]), [ids[0], *ids[length : 2 * length - 2], ids[length - 1]]
    try:
        one, two = run([text])[0], run([other])[0]
    except Exception:  # whatever the model's own code raises
        return None
    first, last = _moved(one[:1], two[:1]), _moved(one[-1:], two[-1:])
    if first > 3 * tolerance:
        return True
    return False if first <= _NOTHING and last > tolerance else None


def takes_trees(
    run: Run,
    in_tree: Callable[[Branches], Floats],
    ids: Sequence[int],
    limit: int | None,
    tolerance: float = TOLERANCE,
) -> bool:
    """Whether texts have the same states in a tree, where ``in_tree`` gives those of a row, (t, width), as together.

    The row is as long as any, and so is a text in it: windows and changes of frequency that begin later meet none. False
    also where that cannot be found out.
    """
    longest = min(LONGEST, limit or LONGEST)
    if longest < 2 or len(ids) < 2:
        return False
    rng = np.random.default_rng(0)
    texts, left = [[ids[i % len(ids)] for i in range(longest)]], TOKENS - longest
    while left > 0 and len(texts) < TOKENS:
        begun = int(rng.integers(1, longest))
        own = rng.choice(ids, min(longest - begun, left)).tolist()
        texts.append([*texts[0][:begun], *own])
        left = TOKENS - len(_every_state(texts).rows[0].ids)
    tree = _every_state(texts)
    try:
        plain, row = run(texts), in_tree(tree.rows[0])
    except Exception:  # a family that takes no positions, or no such mask
        return False
    found = tree.answers([[row[place] for place, _ in tree.wanted()[0]]])
    return all(_moved(np.array(states), plain[number]) <= tolerance for number, states in found)


def _every_state(texts: Sequence[Sequence[int]]) -> Prefixes[Floats]:
    return Prefixes(
        {i: (Input(one), [(place, 0) for place in range(len(one))]) for i, one in enumerate(texts)}
    )


def described(*, causal: bool, padding: bool) -> dict[str, str]:
    """What the probes showed, as facts of a model's identity."""
    return {
        "context": "a token sees those before it" if causal else "a token sees the whole text",
        "padding": "moves no state" if padding else "moves states: only texts of equal length share a batch",
    }


def _moved(one: Floats, other: Floats) -> float:
    """The largest difference of two states at one place, relative to the largest number in them; NaN for no numbers."""
    size = np.maximum(np.abs(one).max(axis=-1), 1e-6)
    return float((np.abs(one - other).max(axis=-1) / size).max())
