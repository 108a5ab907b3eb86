"""Training a masked language model further: what is asked of an adapter, and where it leaves its state meanwhile."""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from biascore.basics.surface import either
from biascore.errors import OptionsError, RunError
from biascore.files.own_folders import check_own_folder, files_of
from biascore.files.reading import parse_json, read_bytes
from biascore.files.writing import new_folder

CHECKPOINT_FILE: Final = "biascore_checkpoint.json"
LAST_RATE: Final = 1e-7


@dataclass(frozen=True, slots=True)
class Training:
    """How a masked language model is trained; the defaults are those of Shrestha et al. 2025, A.5.3.

    In each of ``epochs`` every text comes once, in random order, ``batch`` texts a step. A token is chosen with
    probability ``masked`` each time anew (dynamic masking, Liu et al. 2019); of the chosen, 80 % are hidden, 10 % a random
    token represents and 10 % stay (Devlin et al. 2019). AdamW with ``weight_decay``, gradients clipped at a norm of 1; the
    learning rate rises from 0 over ``warmup_steps`` to ``learning_rate`` and falls to 1e-7, as a polynomial of degree
    ``power``. The paper does not give the last three values: those of weight decay and clipping are of the code of
    Bartl et al. 2020, the degree is that of the library. ``seed`` fixes all that is random.
    Raises OptionsError for a value out of bounds.
    """

    epochs: int = 3
    batch: int = 16
    learning_rate: float = 2e-5
    warmup_steps: int = 500
    masked: float = 0.15
    weight_decay: float = 0.0
    power: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, ok, wanted in (
            ("epochs", _whole(self.epochs, 1), "a whole number from 1"),
            ("batch", _whole(self.batch, 1), "a whole number from 1"),
            ("learning_rate", 1e-7 < self.learning_rate < math.inf, "a number above 1e-7"),
            ("warmup_steps", _whole(self.warmup_steps, 0), "a whole number from 0"),
            ("masked", 0 < self.masked < 1, "a share between 0 and 1"),
            ("weight_decay", 0 <= self.weight_decay < math.inf, "a number from 0"),
            ("power", 0 < self.power < math.inf, "a number above 0"),
            ("seed", _whole(self.seed, 0), "a whole number from 0"),
        ):
            if not ok:
                raise OptionsError(f"{name}={getattr(self, name)!r} is not {wanted}. Choose another value")

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of a step, counted from 0, of so many."""
        if step < self.warmup_steps:
            return self.learning_rate * step / self.warmup_steps
        left = 1 - (step - self.warmup_steps) / max(1, steps - self.warmup_steps)
        return LAST_RATE + (self.learning_rate - LAST_RATE) * math.pow(left, self.power)


@dataclass(frozen=True, slots=True)
class Trained:
    """What training came to: the id of the adapter that opens the folder, steps, and mean loss of each epoch in nats.

    ``pieces``: how many texts there were once those longer than the model takes were cut in pieces.
    """

    adapter: str
    pieces: int
    steps: int
    losses: tuple[float, ...]


class Checkpoints:
    """Where the state of a training is kept while it lasts, so that the same training goes on from there.

    ``recipe`` is all that the result depends on; a state that is there belongs to it, or is refused. The state is a
    folder, replaced whole at most every ``minutes``.
    """

    def __init__(
        self, folder: Path, recipe: Mapping[str, Any], *, minutes: float, overwrite: bool = False
    ) -> None:
        """Raises RunError for a folder that is something else, or the state of another training.

        With ``overwrite`` that is left aside, and replaced by the first state that is kept.
        """
        self._folder = check_own_folder(folder, CHECKPOINT_FILE, "the state of a training", overwrite=True)
        self._recipe: dict[str, Any] = json.loads(json.dumps(recipe))
        self._seconds = 60 * minutes
        self._kept = time.monotonic()
        self.latest = self._found(folder, overwrite=overwrite)

    def due(self) -> bool:
        """Whether it is time to keep the state."""
        return time.monotonic() - self._kept >= self._seconds

    @contextmanager
    def keep(self) -> Iterator[Path]:
        """An empty folder to write the state into; it is in its place, whole, when the block ends. Raises RunError."""
        try:
            with new_folder(self._folder) as new:
                yield new
                record = {"recipe": self._recipe, "files": files_of(new)}
                (new / CHECKPOINT_FILE).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise RunError(
                f"{self._folder} cannot be written: {error}. Free space, and give the same command again: it goes on"
            ) from error
        self._kept = time.monotonic()

    def remove(self) -> None:
        """Remove the state that was kept, once the training is over."""
        if (self._folder / CHECKPOINT_FILE).is_file():
            shutil.rmtree(self._folder, ignore_errors=True)

    def _found(self, folder: Path, *, overwrite: bool) -> Path | None:
        if not (self._folder / CHECKPOINT_FILE).is_file():
            return None
        before = parse_json(read_bytes(self._folder / CHECKPOINT_FILE, CHECKPOINT_FILE, RunError)).get(
            "recipe"
        )
        if before == self._recipe:
            return self._folder
        if overwrite:
            return None
        raise RunError(
            f"{folder} is the state of another training ({_difference(before, self._recipe)}). Go on with that by its own "
            f"command, or begin anew with {either('--force', 'overwrite=True')}"
        )


def differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> Sequence[str]:
    """The keys, dotted, whose values differ."""
    return [
        name
        for key in sorted({*before, *now})
        if (one := before.get(key)) != (other := now.get(key))
        for name in (
            [f"{key}.{inner}" for inner in differing(one, other)]
            if isinstance(one, Mapping) and isinstance(other, Mapping)
            else [key]
        )
    ]


def _difference(before: object, now: Mapping[str, Any]) -> str:
    if not isinstance(before, Mapping):
        return "of unknown make"
    return f"another {', '.join(list(differing(before, now))[:5])}"


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
