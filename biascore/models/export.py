"""Exporting a model for another adapter, and how far the answers of the copy are from the original's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.errors import AnswerError, ModelLoadError
from biascore.files.own_folders import check_own_folder, files_of
from biascore.files.writing import new_folder
from biascore.models.model import Model
from biascore.models.questions.questions import Masked, Text

EXPORT_FILE: Final = "biascore_export.json"

PROBES: Final = (
    "The nurse told the engineer that she would be late.",
    "He is a cautious person.",
    "My neighbour has opened a shop near the station.",
    "Der Arzt ist freundlich.",
    "Questa è la sorella del maestro.",
)
"""Plain sentences of several lengths and languages, which ask nothing about any group."""

_COMPARED: Final = frozenset({"embed", "mask_logprob", "score"})


@dataclass(frozen=True, slots=True)
class Deviation:
    """How far a quantity of the copy is from the original's: the largest absolute difference of ``values`` numbers.

    ``magnitude`` is the largest absolute value of the original, in the same unit; for ``"score"`` the
    quantity is named with the output, ``"score: log_likelihood"``.
    """

    quantity: str
    values: int
    largest: float
    magnitude: float


@dataclass(frozen=True, slots=True)
class Exported:
    """An exported model: its reference, and its deviations from the original on ``PROBES``."""

    ref: str
    deviations: tuple[Deviation, ...]


def export_model(
    open_model: Callable[[str], Model],
    original: Model,
    folder: Path,
    *,
    int8: bool = False,
    overwrite: bool = False,
) -> Exported:
    """Export a model into a folder, whole or not at all, and compare what it answers with the original.

    ``open_model`` opens the copy by its reference; it is asked before it counts. Raises CapabilityError for a model
    that cannot be exported, RunError for a folder that exists (with ``overwrite``: that holds more than an earlier
    export) or cannot be written, ModelLoadError where the copy cannot be opened.
    """
    target = check_target(folder, overwrite=overwrite)
    try:
        with new_folder(target) as new:
            adapter = original.export(new, int8=int8)
            found = _compared(open_model, original, adapter, new)
            _record(new, original, found, int8=int8)
    except OSError as error:
        raise ModelLoadError(
            f"{folder} cannot be written: {error}. Free space or choose another folder"
        ) from error
    return Exported(f"{adapter}:{folder}", found)


def _compared(
    open_model: Callable[[str], Model], original: Model, adapter: str, folder: Path
) -> tuple[Deviation, ...]:
    try:
        with open_model(f"{adapter}:{folder}") as copy:
            return deviations(original, copy)
    except (ModelLoadError, AnswerError) as error:  # what was written, and not the user's files, is at fault
        reason = " ".join(str(error).replace(f"{folder}/", "").split()).partition(". ")[0][:300]
        raise ModelLoadError(
            f"{original.name} was exported, but {adapter}: cannot run the copy, so that it was not kept ({reason}). Use the "
            "original as it is"
        ) from error


def deviations(original: Model, copy: Model) -> tuple[Deviation, ...]:
    """How far the copy's answers are from the original's on ``PROBES``, for every quantity that both answer.

    A value that is missing (NaN) from one of them only deviates infinitely.
    """
    return tuple(
        _deviation(name, one, other)
        for (name, one), (_, other) in zip(_answers(original, copy), _answers(copy, original), strict=True)
    )


def _answers(model: Model, beside: Model) -> Iterator[tuple[str, npt.NDArray[np.float64]]]:
    both = model.capabilities & beside.capabilities & _COMPARED
    if "embed" in both:
        yield "embed: sentence", model.embed([Text(p) for p in PROBES], "sentence").astype(np.float64)
        words = [Text(p, (start, end)) for p in PROBES for start, end in _words(p)]
        yield "embed: token", model.embed(words, "token").astype(np.float64)
    if "mask_logprob" in both:
        queries = [Masked(p, spans=None, one_at_a_time=True) for p in PROBES]
        answers = model.mask_logprob(queries)
        yield "mask_logprob", np.array([p for answer in answers for p in answer.logprobs])
    if "score" in both:
        for quantity in sorted({*model.identity.quantities} & {*beside.identity.quantities}):
            yield f"score: {quantity}", model.score(PROBES, quantity)


def _words(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for word in text.split(" "):
        yield start, start + len(word)
        start += len(word) + 1


def _deviation(name: str, original: npt.NDArray[np.float64], copy: npt.NDArray[np.float64]) -> Deviation:
    if original.shape != copy.shape:
        raise ModelLoadError(
            f"the exported model answers {name} with {copy.shape} numbers where the original has {original.shape}. "
            "Report this to the adapter's authors"
        )
    missing = np.isnan(original)
    if np.array_equal(missing, np.isnan(copy)):
        difference = np.abs(original - copy)[~missing]
        largest = float(difference.max(initial=0.0))
    else:
        largest = float("inf")
    magnitude = float(np.abs(original[~missing]).max(initial=0.0))
    return Deviation(name, int(original.size), largest, magnitude)


def check_target(folder: Path, *, overwrite: bool) -> Path:
    """Where an exported model can be written: ``folder``, or what it links to.

    Raises RunError where it exists (with ``overwrite``: where it holds more than an exported model).
    """
    return check_own_folder(folder, EXPORT_FILE, "an exported model", overwrite=overwrite)


def _record(folder: Path, original: Model, found: tuple[Deviation, ...], *, int8: bool) -> None:
    """What the copy was made of; the original by its digest, because its path says nothing elsewhere."""
    record = {
        "biascore": metadata.version("biascore"),
        "adapter": original.source.ref.adapter,
        "digest": original.identity.digest,
        "revision": original.identity.revision,
        "int8": int8,
        "deviations": [asdict(one) for one in found],
        "files": files_of(folder),
    }
    (folder / EXPORT_FILE).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
