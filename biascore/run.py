"""A run: what was measured, with everything needed to say how; stored as a folder of JSON and Parquet."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from biascore.errors import RunError
from biascore.failure import Failure
from biascore.files import new_folder, user_path
from biascore.frozen import Frozen, FrozenMap, Scalar
from biascore.measurement import Measurement
from biascore.stats.multiple import benjamini_hochberg, holm

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION: Final = 1
RUN_FILE: Final = "run.json"
REPORT_FILE: Final = "report.html"
ITEMS_FOLDER: Final = "items"


class PluginUsed(Frozen):
    """A loaded plugin by entry-point name, distribution and version."""

    name: str
    dist: str
    version: str


class QuestionCounts(Frozen):
    """How many questions were put; how many of them were repeats, in the cache, or asked of the model.

    ``characters``: the code points of those that were asked, by which services charge.
    """

    put: int = 0
    repeated: int = 0
    cached: int = 0
    asked: int = 0
    characters: int = 0


class ModelUsed(Frozen):
    """A model as it was opened: reference, all options (also the defaults), weights and transforms."""

    name: str
    ref: str
    revision: str | None
    digest: str
    options: FrozenMap[Any]
    explicit_options: FrozenMap[Any]
    facts: FrozenMap[Scalar]
    transforms: tuple[str, ...] = ()
    questions: QuestionCounts = QuestionCounts()


class StimuliUsed(Frozen):
    """A stimuli file that tests of this run came from, with the hash of its bytes, source and licence."""

    file: str
    sha256: str
    source: str
    licence: str
    tests: tuple[str, ...]


class Adjusted(Frozen):
    """A headline p-value adjusted for the tests that were run together."""

    holm: float | None
    benjamini_hochberg: float | None


class Provenance(Frozen):
    """Where and when: versions, seed, seconds since the epoch, and the audit as it was given."""

    biascore_version: str
    python_version: str
    platform: str
    started: float
    finished: float
    seed: int
    audit: FrozenMap[Any]
    plugins: tuple[PluginUsed, ...]


class Run(Frozen):
    """The measurements of one audit, in order, and their provenance: a frozen sequence.

    ``failed`` are the measurements that could not be made, because a model or a plugin failed; the same command
    later asks for what they need and nothing else.
    """

    schema_version: int = SCHEMA_VERSION
    title: str
    measurements: tuple[Measurement, ...]
    models: tuple[ModelUsed, ...]
    stimuli: tuple[StimuliUsed, ...]
    provenance: Provenance
    warnings: tuple[str, ...] = ()
    failed: tuple[Failure, ...] = ()

    def __len__(self) -> int:
        return len(self.measurements)

    def __getitem__(self, index: int) -> Measurement:
        return self.measurements[index]

    def __iter__(self) -> Iterator[Measurement]:  # type: ignore[override]  # a run is a sequence of measurements
        return iter(self.measurements)

    def __repr__(self) -> str:
        lines = [f"<Run {self.title!r}: {len(self)} measurement(s) on {len(self.models)} model(s)>"]
        return "\n  ".join([*lines, *(repr(m) for m in self.measurements)])

    __str__ = __repr__

    @property
    def adjusted(self) -> tuple[Adjusted, ...]:
        """Holm and Benjamini-Hochberg over the headline p-values of this run, in its order."""
        p = np.array(
            [np.nan if m.p_value is None else m.p_value for m in self.measurements], dtype=np.float64
        )
        return tuple(
            Adjusted(holm=_number(h), benjamini_hochberg=_number(b))
            for h, b in zip(holm(p), benjamini_hochberg(p), strict=True)
        )

    @property
    def questions(self) -> QuestionCounts:
        """The questions of all models together."""
        counts = [model.questions for model in self.models]
        return QuestionCounts(
            **{name: sum(getattr(c, name) for c in counts) for name in QuestionCounts.model_fields}
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per estimate of every measurement; adjusted p-values stand beside the headlines.

        What could not be measured has a row too, with the reason under ``failed``.
        """
        import pandas as pd

        frames = []
        for measurement, adjusted in zip(self.measurements, self.adjusted, strict=True):
            frame = measurement.to_frame()
            first = frame.index == 0
            frame["p_holm"] = np.where(first, np.nan if adjusted.holm is None else adjusted.holm, np.nan)
            bh = adjusted.benjamini_hochberg
            frame["p_bh"] = np.where(first, np.nan if bh is None else bh, np.nan)
            frames.append(frame)
        # Through records: pandas warns of columns that are empty in one frame and not in another.
        rows = [{**row, "failed": None} for frame in frames for row in frame.to_dict("records")]
        rows += [
            {"model": f.model, "metric": f.metric, "test": f.test, "failed": f.message} for f in self.failed
        ]
        return pd.DataFrame(rows)

    def results_digest(self) -> str:
        """SHA-256 over every result, item tables included; equal for runs with equal results.

        Times, counts of questions and the machine are no part of it.
        """
        digest = hashlib.sha256()
        for measurement in self.measurements:
            digest.update(_canonical(measurement.model_dump(mode="json")))
            digest.update(item_hash(measurement.items).encode())
        return f"sha256:{digest.hexdigest()}"

    def to_json(self) -> dict[str, Any]:
        """The run as stored in ``run.json``: everything but the item tables, with its hashes."""
        body = self.model_dump(mode="json")
        body["item_hashes"] = [item_hash(m.items) for m in self.measurements]
        body["adjusted"] = [a.model_dump(mode="json") for a in self.adjusted]
        body["results_digest"] = self.results_digest()
        body["content_sha256"] = content_hash(body)
        return body

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the run as a folder, whole or not at all.

        Raises RunError where the folder exists, or holds anything but a run, or cannot be written;
        what was there before is then still there.
        """
        target = user_path(folder)
        check_replaceable(target, overwrite=overwrite)
        try:
            with new_folder(target) as new:
                self._write(new)
        except (OSError, ValueError) as error:  # ValueError: a name that the file format cannot hold
            raise RunError(
                f"{target} cannot be written: {error}. Free space or choose another folder."
            ) from error
        return target

    def _write(self, folder: Path) -> None:
        (folder / ITEMS_FOLDER).mkdir()
        for number, measurement in enumerate(self.measurements):
            pq.write_table(measurement.items, folder / _items_path(number, measurement))
        text = json.dumps(self.to_json(), ensure_ascii=False, indent=1)
        with (folder / RUN_FILE).open("w", encoding="utf-8") as stream:
            stream.write(text + "\n")
            stream.flush()
            os.fsync(stream.fileno())

    @classmethod
    def load(cls, folder: str | Path) -> Run:
        """Read a stored run; raises RunError where it is missing, changed or of another schema."""
        problems, run = read_run(Path(folder))
        if run is None or problems:
            raise RunError(f"{folder}: " + "; ".join(problems) + ". See: biascore verify " + str(folder))
        return run


def read_run(folder: Path) -> tuple[list[str], Run | None]:
    """Read a stored run and re-derive its hashes: what is wrong with it, and the run if it can be read."""
    try:
        body = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return [f"no {RUN_FILE} here, so this is not a stored run"], None
    except (OSError, ValueError, RecursionError) as error:  # no UTF-8, no JSON, or nested without end
        return [f"{RUN_FILE} cannot be read ({error})"], None
    if not isinstance(body, dict) or body.get("schema_version") != SCHEMA_VERSION:
        found = body.get("schema_version") if isinstance(body, dict) else type(body).__name__
        return [f"schema version {found} is not {SCHEMA_VERSION}, which this biascore reads"], None
    problems = []
    if body.pop("content_sha256", None) != content_hash(body):
        problems.append(f"{RUN_FILE} was changed after it was written")
    stored_digest = body.pop("results_digest", None)
    body.pop("adjusted", None)
    try:
        run = _from_body(body, folder, problems)
    # pydantic's ValidationError is a ValueError.
    except (ValueError, KeyError, TypeError) as error:
        return [*problems, f"{RUN_FILE} does not have the form of a run ({error})"], None
    if not problems and run.results_digest() != stored_digest:
        problems.append("the results do not have the digest they were stored with")
    return problems, run


def _from_body(body: dict[str, Any], folder: Path, problems: list[str]) -> Run:
    measurements = []
    hashes = body.pop("item_hashes")
    for number, (entry, expected) in enumerate(zip(body["measurements"], hashes, strict=True)):
        measurement = Measurement.model_validate(entry)
        path = folder / _items_path(number, measurement)
        try:
            items = pq.read_table(path)
            if item_hash(items) != expected:
                problems.append(f"{path.relative_to(folder)} was changed after it was written")
        # A ValueError: a changed byte may leave a text that is no UTF-8.
        except (OSError, ValueError, pa.ArrowException) as error:
            problems.append(f"{path.relative_to(folder)} cannot be read ({error})")
            items = pa.table({})
        measurements.append(measurement.model_copy(update={"items": items}))
    return Run.model_validate({**body, "measurements": tuple(measurements)})


def content_hash(body: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON of a stored run."""
    return hashlib.sha256(_canonical(body)).hexdigest()


def item_hash(items: pa.Table) -> str:
    """SHA-256 over names, types and values of an item table, whatever file holds it."""
    digest = hashlib.sha256()
    for name, column in zip(items.column_names, items.columns, strict=True):
        digest.update(_canonical([name, str(column.type)]))
        digest.update(_canonical(column.to_pylist()))
    return digest.hexdigest()


def _items_path(number: int, measurement: Measurement) -> Path:
    name = f"{measurement.metric}-{measurement.test}"
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)
    return Path(ITEMS_FOLDER) / f"{number:04d}-{safe[:60]}.parquet"


def check_replaceable(target: Path, *, overwrite: bool) -> None:
    """Raise RunError where a run cannot be saved at ``target``: it exists, or holds more than a run and its report."""
    if not target.exists():
        return
    if not overwrite:
        raise RunError(f"{target} exists already. Choose another folder, or say overwrite=True (--force).")
    names = {entry.name for entry in target.iterdir()} if target.is_dir() else {""}
    if names and (RUN_FILE not in names or names - {RUN_FILE, ITEMS_FOLDER, REPORT_FILE}):
        raise RunError(
            f"{target} is not a run and nothing else, so it is not overwritten. Choose another folder."
        )


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
