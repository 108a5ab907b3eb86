"""Changes that were computed once, kept in the user's cache; what is damaged there is computed again."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from itertools import islice
from os import cpu_count
from typing import Final

from pydantic import ValidationError

from biascore.basics.frozen import Frozen
from biascore.basics.progress import Progress
from biascore.basics.threads import started
from biascore.board.reading import Stored
from biascore.comparing.items import no_items
from biascore.comparing.matching import Side
from biascore.comparing.steps import Change, change_between
from biascore.errors import BiascoreError
from biascore.models.pipeline.cache import Cache
from biascore.results.comparison import Difference

_FORMAT: Final = "board 1"
_MOST_THREADS: Final = 4
_AT_ONCE: Final = 16
"""Changes between two writes of what was computed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The change that is asked for: two runs, each with the number of a measurement."""

    old: Stored
    old_number: int
    new: Stored
    new_number: int

    def key(self, version: str) -> bytes:
        """The same for the same two measurements of the same two runs by the same version, and for nothing else."""
        parts = (
            _FORMAT,
            version,
            self.old.digest,
            str(self.old_number),
            self.new.digest,
            str(self.new_number),
        )
        return hashlib.sha256("\0".join(parts).encode()).digest()

    def made(self) -> Change:
        """The change, computed."""
        try:
            old, new = self.old.whole(), self.new.whole()
        except BiascoreError as error:
            return Change(None, (f"items cannot be read: {error}",))
        sides = (
            Side(old, old[self.old_number], self.old.verdicts[self.old_number]),
            Side(new, new[self.new_number], self.new.verdicts[self.new_number]),
        )
        return change_between(*sides)


class _Entry(Frozen):
    """A change as it is kept."""

    difference: dict[str, object] | None
    refused: tuple[str, ...]


def changes(asked: Sequence[Asked], cache: Cache, progress: Progress, label: str) -> list[Change]:
    """The changes asked for, in order; those that are not kept are computed, and kept."""
    version = metadata.version("biascore")
    keys = [one.key(version) for one in asked]
    known = {key: change for key, value in cache.get(keys).items() if (change := _read(value)) is not None}
    missing = {key: one for one, key in zip(asked, keys, strict=True) if key not in known}
    uses = Counter(side for one in missing.values() for side in (one.old, one.new))
    with progress.task(label, max(len(missing), 1)) as advance:
        for start in range(0, len(missing), _AT_ONCE):
            some = dict(islice(missing.items(), start, start + _AT_ONCE))
            made = dict(zip(some, _at_once([one.made for one in some.values()]), strict=True))
            # What could not be read may be there the next time.
            cache.put({key: _written(one) for key, one in made.items() if not _unread(one)})
            known |= made
            advance(len(some))
            uses.subtract(side for one in some.values() for side in (one.old, one.new))
            for side in [side for side, left in uses.items() if not left]:
                side.forget()
    return [known[key] for key in keys]


def _at_once(calls: Sequence[Callable[[], Change]]) -> list[Change]:
    """What the calls give, on all cores: drawing lets go of the interpreter. Each has random numbers of its own."""
    many = min(cpu_count() or 1, _MOST_THREADS, len(calls)) or 1
    shares = [range(start, len(calls), many) for start in range(many)]

    def work(places: range) -> list[Change]:
        return [calls[place]() for place in places]

    running = [started(partial(work, places), "biascore-board") for places in shares]
    found: dict[int, Change] = {}
    for places, future in zip(shares, running, strict=True):
        found |= dict(zip(places, future.result(), strict=True))
    return [found[place] for place in range(len(calls))]


def _unread(one: Change) -> bool:
    return any(text.startswith("items cannot be read") for text in one.refused)


def _written(one: Change) -> bytes:
    difference = None if one.difference is None else one.difference.model_dump(mode="json")
    return _Entry(difference=difference, refused=one.refused).model_dump_json().encode()


def _read(value: bytes) -> Change | None:
    """A change that was kept, or None where it is none."""
    try:
        entry = _Entry.model_validate_json(value)
        if entry.difference is None:
            return Change(None, entry.refused)
        return Change(Difference.model_validate({**entry.difference, "items": no_items()}), entry.refused)
    except (ValidationError, ValueError, TypeError):
        return None
