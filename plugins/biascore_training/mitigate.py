"""Mitigation: a copy of a masked language model, trained further on a corpus in which gender is swapped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from biascore.api.adapters import Checkpoints, Model, Progress, Trained, Training
from biascore.api.commands import Silent, check_own_folder, files_of, new_folder
from biascore.api.queries import Masked
from biascore.api.stimuli import Catalogue
from biascore.api.support import either
from biascore.errors import AnswerError, CapabilityError, ModelLoadError
from biascore_training.corpus import (
    ENGLISH_PAIRS,
    Corpus,
    Counterfactual,
    Method,
    Pairs,
    counterfactual,
    method_of,
    read_corpus,
    read_pairs,
)

if TYPE_CHECKING:
    from biascore import Engine

MITIGATION_FILE: Final = "biascore_mitigation.json"
_PROBE: Final = "He is a cautious person."


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a model is trained on: a corpus, the pairs and names swapped in it, how, and the texts that come of it."""

    corpus: Corpus
    pairs: tuple[Pairs, ...]
    names: tuple[Pairs, ...]
    method: Method
    texts: Counterfactual

    @property
    def record(self) -> dict[str, Any]:
        """All of it but the texts themselves, of which their SHA-256; files by name, for a path says nothing elsewhere."""
        return {
            "corpus": {"file": self.corpus.file, "sha256": self.corpus.sha256},
            "pairs": [{"source": one.source, "sha256": one.sha256} for one in self.pairs],
            "names": [{"source": one.source, "sha256": one.sha256} for one in self.names],
            "method": str(self.method),
            "swapped": {**self.texts.counts, "sha256": _digest(self.texts.texts)},
        }


@dataclass(frozen=True, slots=True)
class Mitigated:
    """The model that was made: its reference, and how it was made, as the JSON file in its folder says."""

    ref: str
    record: dict[str, Any]


def prepare(
    catalogue: Catalogue,
    corpus: str | Path,
    *,
    pairs: Sequence[str | Path] = ENGLISH_PAIRS,
    names: Sequence[str | Path] = (),
    method: str = Method.AUGMENTATION,
    seed: int = 0,
    progress: Progress | None = None,
) -> Recipe:
    """The corpus read and swapped: ``pairs`` and ``names`` are addresses of lists of pairs, or tables of two columns.

    Raises DataError, UnknownNameError or OptionsError.
    """
    read = read_corpus(corpus)
    chosen = tuple(read_pairs(one, catalogue) for one in pairs)
    named = tuple(read_pairs(one, catalogue) for one in names)
    how = method_of(method)
    return Recipe(
        read, chosen, named, how, counterfactual(read, chosen, named, how, seed, progress or Silent())
    )


def mitigate(
    engine: Engine,
    original: Model,
    recipe: Recipe,
    folder: str | Path,
    training: Training | None = None,
    *,
    checkpoint_minutes: float = 10.0,
    overwrite: bool = False,
) -> Mitigated:
    """Train a copy of a masked language model further on the texts of a recipe, and put it in a new folder.

    The folder is there whole or not at all, and opens with the adapter of the original. The state of the training is
    kept next to it in ``FOLDER.checkpoint`` every so many minutes, until the folder is there: the same call after an
    interruption goes on from it. Raises CapabilityError for a model that is no masked language model or cannot be trained,
    RunError for a folder that exists (with ``overwrite``: that is no earlier model of this function) or cannot be
    written and for the state of another training, OptionsError for a training that comes apart.
    """
    training = training or Training()
    target = check_target(Path(folder), overwrite=overwrite)
    if "mask_logprob" not in original.capabilities:
        can = ", ".join(sorted(original.capabilities))
        raise CapabilityError(
            f"{original.name} is no masked language model (it can {can}), and no other is trained here. Name one, such as "
            "hf:google-bert/bert-base-uncased"
        )
    made_of = {
        "model": {
            "adapter": original.source.ref.adapter,
            "digest": original.identity.digest,
            "revision": original.identity.revision,
            "facts": dict(original.identity.facts),
        },
        **recipe.record,
        "training": asdict(training),
    }
    checkpoints = Checkpoints(
        target.with_name(f"{target.name}.checkpoint"),
        made_of,
        minutes=checkpoint_minutes,
        overwrite=overwrite,
    )
    try:
        with new_folder(target) as new:
            trained = original.fine_tune(new, recipe.texts.texts, training, checkpoints)
            _check_opens(engine, trained, new)
            record = _record(new, made_of, trained)
    except OSError as error:
        raise ModelLoadError(
            f"{folder} cannot be written: {error}. Free space or choose another folder"
        ) from error
    checkpoints.remove()
    return Mitigated(f"{trained.adapter}:{folder}", record)


def check_target(folder: Path, *, overwrite: bool) -> Path:
    """Where a model can be written: ``folder``, or what it links to.

    Raises RunError where it exists (with ``overwrite``: where it holds more than a model of ``mitigate``).
    """
    return check_own_folder(folder, MITIGATION_FILE, "a mitigated model", overwrite=overwrite)


def _check_opens(engine: Engine, trained: Trained, folder: Path) -> None:
    """Raise ModelLoadError where the new model cannot be opened, or computes no number."""
    try:
        with engine.model(f"{trained.adapter}:{folder}") as copy:
            copy.mask_logprob([Masked(_PROBE, None)])
    except (ModelLoadError, AnswerError, CapabilityError) as error:
        reason = " ".join(str(error).replace(f"{folder}/", "").split()).partition(". ")[0][:300]
        raise ModelLoadError(
            f"the model was trained, but cannot be used, so that it was not kept ({reason}). Give a lower "
            + either("--learning-rate", "learning_rate")
        ) from error


def _record(folder: Path, made_of: dict[str, Any], trained: Trained) -> dict[str, Any]:
    record = {
        "biascore": metadata.version("biascore"),
        **made_of,
        "pieces": trained.pieces,
        "steps": trained.steps,
        "losses": list(trained.losses),
        "files": files_of(folder),
    }
    (folder / MITIGATION_FILE).write_text(
        json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return record


def _digest(texts: Sequence[str]) -> str:
    total = hashlib.sha256()
    for text in texts:
        total.update(text.encode() + b"\n")
    return total.hexdigest()
