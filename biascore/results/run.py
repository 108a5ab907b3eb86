"""A run: what was measured, with everything needed to say how; stored as a folder of JSON and Parquet."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pydantic import SerializerFunctionWrapHandler, ValidationError, model_serializer

from biascore.basics.frozen import Frozen
from biascore.basics.problems import problems_of
from biascore.basics.wording import few
from biascore.errors import RunError
from biascore.files.paths import user_path
from biascore.files.reading import parse_json, read_bytes
from biascore.files.writing import finish, new_folder
from biascore.models.usage import ModelUsed, QuestionCounts
from biascore.results.attached import attached
from biascore.results.comparison import Comparison
from biascore.results.estimators import unreadable
from biascore.results.failure import Failure
from biascore.results.gates import GateResult
from biascore.results.harmless import HarmlessAudits
from biascore.results.hashes import canonical, content_hash, hashed, item_hash
from biascore.results.item_tables import read_items, write_items
from biascore.results.leads import Lead
from biascore.results.mappings import MappingUsed
from biascore.results.measurement import Measurement
from biascore.results.provenance import Provenance
from biascore.results.run_files import ITEMS_FOLDER, RUN_FILE, check_replaceable, items_path
from biascore.results.scenarios import ScenarioResult
from biascore.results.sensitivity import Sensitivity, seen_lines
from biascore.results.stimuli_used import StimuliUsed, TestUsed
from biascore.results.untested import Untested
from biascore.results.verdicts import Rule, RunVerdict, contradiction, describe_verdict, run_verdicts, unseen
from biascore.results.words.agreement import Agreement, Order, agreements, orders
from biascore.results.words.answers import Answer, answers
from biascore.results.words.result import checks_of
from biascore.results.words.sentence import result_lines
from biascore.stats import Adjustment

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

SCHEMA_VERSION: Final = 2
_PRINTED: Final = ("three_sentences", "untested")  # which JSON that was printed has, too


class Run(Frozen):
    """The measurements of one audit, in order, and their provenance: a frozen sequence.

    Attributes:
        title: The audit's title.
        adjustment: How p-values are adjusted over the measurements on one model; ``verdicts`` follow from it.
        rule: By which rule ``verdicts`` follow; that of before in runs that state none.
        measurements: The measurements that were made.
        models: The models, with references, digests and facts.
        stimuli: The files that the tests are from, with their digests.
        tests: The tests that were measured, with their words; empty in runs stored before these were kept.
        provenance: Where and when: versions, seed, time, and the audit as it was given.
        warnings: Warnings that concern the whole run.
        failed: Measurements that could not be made; the same command later requests only what they need.
        gates: The results of the audit's gates.
        scenarios: The results of the audit's scenarios.
        mappings: The mappings from which articles are named, with what the run offers to their items.
        harmless: Of each model in use, what audits with harmless groups in the place of the tests' own detect.
        line: Of which line of releases the model is, as the audit says; or empty.
        release: Which release of the line it is; or empty.
        leads: The test that represents each ground on each model; empty in runs stored before these were kept.
        report_path: Where its page was written, relative to its folder; empty where that is not next to it or in it.
    """

    schema_version: int = SCHEMA_VERSION
    title: str
    adjustment: Adjustment = Adjustment.BENJAMINI_HOCHBERG
    rule: Rule = Rule.LABELS
    measurements: tuple[Measurement, ...]
    models: tuple[ModelUsed, ...]
    stimuli: tuple[StimuliUsed, ...]
    tests: tuple[TestUsed, ...] = ()
    provenance: Provenance
    warnings: tuple[str, ...] = ()
    failed: tuple[Failure, ...] = ()
    gates: tuple[GateResult, ...] = ()
    scenarios: tuple[ScenarioResult, ...] = ()
    mappings: tuple[MappingUsed, ...] = ()
    harmless: tuple[HarmlessAudits, ...] = ()
    line: str = ""
    release: str = ""
    leads: tuple[Lead, ...] = ()
    report_path: str = ""

    @model_serializer(mode="wrap")
    def _without_empty(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without what says nothing and has not always been there."""
        new = ("line", "release", "leads", "report_path")
        return {name: value for name, value in serialize(self).items() if value or name not in new}

    def __len__(self) -> int:
        return len(self.measurements)

    def __getitem__(self, index: int) -> Measurement:
        return self.measurements[index]

    def __iter__(self) -> Iterator[Measurement]:  # type: ignore[override]  # a run is a sequence of measurements
        return iter(self.measurements)

    def __repr__(self) -> str:
        lines = [f"<Run {self.title!r}: {len(self)} measurement(s) on {len(self.models)} model(s)>"]
        for measurement, verdict in zip(self.measurements, self.verdicts, strict=True):
            lines.append(measurement.line(describe_verdict(measurement, verdict), verdict.p_adjusted))
        return "\n  ".join(lines)

    __str__ = __repr__

    @property
    def verdicts(self) -> tuple[RunVerdict, ...]:
        """What this run says of each measurement, in its order."""
        return run_verdicts(self.measurements, self.controls, self.adjustment, self.rule)

    @property
    def sensitivities(self) -> tuple[Sensitivity | None, ...]:
        """The minimum detectable effect of each inconclusive measurement; None for the others."""
        pairs = zip(self.measurements, self.verdicts, strict=True)
        return tuple(unseen(measurement, said) for measurement, said in pairs)

    @property
    def seen_lines(self) -> tuple[str, ...]:
        """For each estimate a sentence on the minimum detectable effects of its inconclusive measurements."""
        pairs = zip(self.measurements, self.sensitivities, strict=True)
        return seen_lines([(measurement.test, seen) for measurement, seen in pairs])

    @property
    def agreements(self) -> tuple[Agreement, ...]:
        """What each of several methods says of one concept on one model."""
        return agreements(self.measurements, self.verdicts)

    @property
    def orders(self) -> tuple[Order, ...]:
        """How far each two methods rank tests, models or groups alike."""
        return orders(self.measurements, self.verdicts)

    @property
    def controls(self) -> dict[str, Mapping[str, float]]:
        """The models whose bias is known, by name, with the injected effects by test id."""
        return {model.name: model.control for model in self.models if model.control is not None}

    @property
    def control_lines(self) -> tuple[str, ...]:
        """A sentence on each control and each model's baselines: whether the tests find what is known."""
        return tuple(check.line for check in checks_of(self.answers, self.harmless))

    @property
    def result_lines(self) -> tuple[str, ...]:
        """The result in a sentence of at most 25 words for each model in use; of more than 3, one for all."""
        return result_lines(self.answers, self.failed, self.harmless)

    @property
    def three_sentences(self) -> tuple[str, str, str]:
        """What was measured, what came out, and what this does not say: of at most 35 words each, to be quoted."""
        return attached("three_sentences")(self)  # type: ignore[no-any-return]

    @property
    def untested(self) -> Untested:
        """The grounds of discrimination, kinds of use and languages of which this run holds no result."""
        return attached("untested")(self)  # type: ignore[no-any-return]

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What the run answers, in sentences: one answer for each model, concept and role of its measurements."""
        return answers(self.measurements, self.verdicts, self.controls)

    @property
    def duplicates(self) -> tuple[tuple[str, str], ...]:
        """The names of models that were measured before and after transforms: before, after."""
        measured = {measurement.model for measurement in self.measurements}
        some = [model for model in self.models if model.name in measured]
        pairs = ((next((one for one in some if model.is_after(one)), None), model) for model in some)
        return tuple((before.name, model.name) for before, model in pairs if before is not None)

    @property
    def duplicates_line(self) -> str:
        """What has to be said where a model is measured before and after transforms, or an empty text."""
        if not self.duplicates:
            return ""
        some = "; ".join(f"{before} and {after}" for before, after in self.duplicates)
        return (
            f"models before and after transforms are counted twice: {some}. Two different verdicts do not show that the "
            "effect changed: weat-change gives the change with its interval"
        )

    @property
    def questions(self) -> QuestionCounts:
        """The questions of all models together."""
        counts = [model.questions for model in self.models]
        return QuestionCounts(
            **{name: sum(getattr(c, name) for c in counts) for name in QuestionCounts.model_fields}
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per estimate of every measurement, and one for what ``failed``, with the reason."""
        return attached("frame")(self)  # type: ignore[no-any-return]

    def summary(self) -> pd.DataFrame:
        """One row per measurement in the eight columns that answer first; ``to_frame`` has all."""
        return attached("summary")(self)  # type: ignore[no-any-return]

    def report(self, path: str | Path, form: str = "", **options: Any) -> Path:
        """Write the page of this run, or another form of it; takes and raises what ``biascore.report.forms.report`` does."""
        return attached("report")(self, path, form, **options)  # type: ignore[no-any-return]

    def plot(self, metric: str = "", *, slide: bool = False) -> alt.TopLevelMixin:
        """The effects with their intervals, of one metric or of all, as an Altair chart.

        ``slide``: a picture for a slide instead, of the findings on each model, with title and caption in it.

        Raises MissingExtraError without ``biascore[report]``, UnknownNameError for a metric that the run does not hold,
        RunError where a slide would have fewer than 3 points.
        """
        return attached("plot")(self, metric, slide=slide)  # type: ignore[no-any-return]

    def compare(
        self, other: Run | str | Path | None = None, models: Mapping[str, str] | None = None
    ) -> Comparison:
        """What changed from this run to another, or between two of its models; see ``biascore.compare``."""
        return attached("compare")(self, other, models)  # type: ignore[no-any-return]

    def _repr_html_(self) -> str:
        """The run as a notebook shows it."""
        return str(attached("run_html")(self))

    def results_digest(self) -> str:
        """SHA-256 over every result and verdict, item tables included; equal for runs with equal results.

        Times, counts of questions and the machine are no part of it.
        """
        return _digest([measurement.model_dump(mode="json") for measurement in self.measurements], self)

    def to_json(self) -> dict[str, Any]:
        """The run as stored in ``run.json``: everything but the item tables, with its hashes."""
        body = self.model_dump(mode="json")
        body["item_hashes"] = [item_hash(m.items) for m in self.measurements]
        body["verdicts"] = _stored(self)
        body["sensitivities"] = [seen and seen.model_dump(mode="json") for seen in self.sensitivities]
        body["results_digest"] = self.results_digest()
        body["content_sha256"] = content_hash(body)
        return body

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the run as a folder, whole or not at all, and return its path.

        Raises RunError where the folder exists, or holds anything but a run, or cannot be written;
        what was there before is then still there.
        """
        target = check_replaceable(Path(folder), overwrite=overwrite)
        try:
            with new_folder(target) as new:
                self._write(new)
        except (OSError, ValueError) as error:  # ValueError: a name that the file format cannot hold
            raise RunError(
                f"{target} cannot be written: {error}. Free space or choose another folder."
            ) from error
        return user_path(folder)

    def _write(self, folder: Path) -> None:
        (folder / ITEMS_FOLDER).mkdir()
        for number, measurement in enumerate(self.measurements):
            write_items(measurement.items, folder / items_path(number, measurement.metric, measurement.test))
        text = json.dumps(self.to_json(), ensure_ascii=False, indent=1)
        with (folder / RUN_FILE).open("w", encoding="utf-8") as stream:
            stream.write(text + "\n")
            stream.flush()
            os.fsync(stream.fileno())

    @classmethod
    def load(cls, folder: str | Path) -> Run:
        """Read a stored run; raises RunError where it is missing, changed or of another schema."""
        if Path(folder).suffix == ".zip" and Path(folder).is_file():
            raise RunError(
                f"{folder} is an archive. Unpack it, unzip {quote(str(folder))}, and name the folder run in it"
            )
        problems, run = read_run(Path(folder))
        if not (Path(folder) / RUN_FILE).exists():
            raise RunError(f"{folder}: {problems[0]}. Name a folder that biascore run wrote")
        if run is None or problems:
            raise RunError(
                f"{folder}: " + "; ".join(problems) + f". See: biascore verify {quote(str(folder))}"
            )
        return run


def read_run(folder: Path, *, tables: bool = True) -> tuple[list[str], Run | None]:
    """Read a stored run, with ``tables`` of items or not, and derive its hashes again: what is wrong, and the run if any."""
    if not folder.exists():
        finish(folder.parent)  # a command that was killed may have left it nowhere
    if not (folder / RUN_FILE).exists():
        return [f"no {RUN_FILE} here, so this is not a stored run"], None
    try:
        body = parse_json(read_bytes(folder / RUN_FILE, RUN_FILE, RunError).decode("utf-8"))
        # A ValueError for half of a surrogate pair, which no file of it holds.
        json.dumps(body, ensure_ascii=False).encode()
    except RunError as error:  # no regular file, or more than memory holds
        return [str(error)], None
    except ValueError as error:  # no UTF-8, no JSON
        return [f"{RUN_FILE} cannot be read ({error})"], None
    if not isinstance(body, dict) or body.get("schema_version") != SCHEMA_VERSION:
        found = body.get("schema_version") if isinstance(body, dict) else type(body).__name__
        return [f"schema version {found} is not {SCHEMA_VERSION}, which this biascore reads"], None
    body = {key: value for key, value in body.items() if key not in _PRINTED}
    problems = []
    if body.pop("content_sha256", None) != content_hash(body):
        problems.append(f"{RUN_FILE} was changed after it was written")
    stored_digest = body.pop("results_digest", None)
    stored_verdicts = body.pop("verdicts", None)
    body.pop("sensitivities", None)  # for readers: they follow from the measurements
    try:
        run = _from_body(body, folder if tables else None, problems)
    except ValidationError as error:
        what = "; ".join(few(problems_of(error, Measurement, list_known=False), attrgetter("text")))
        return [*problems, f"{RUN_FILE} does not have the form of a run ({what})"], None
    except (ValueError, KeyError, TypeError) as error:
        return [*problems, f"{RUN_FILE} does not have the form of a run ({error})"], None
    problems += _unfounded(run, stored_verdicts, tables=tables and not problems)
    # Of what is stored, as it is: it may be of a form of before.
    if tables and not problems and _digest(body["measurements"], run) != stored_digest:
        problems.append("the results do not have the digest they were stored with")
    return problems, run


def _unfounded(run: Run, stored: object, *, tables: bool) -> list[str]:
    """What is said in a stored run and does not follow from its p-values, intervals and (where whole) ``tables``."""
    problems = []
    for number, measurement in enumerate(run, start=1):
        if problem := contradiction(measurement):
            text = f"the verdict of measurement {number} ({measurement!r}) does not follow: {problem}"
            problems.append(text)
        for one in measurement.estimates:
            if tables and (problem := unreadable(one.estimator, measurement.items)):
                problems.append(f"{one.name} of measurement {number} cannot be computed again: {problem}")
    derived = _stored(run)
    if not isinstance(stored, list) or len(stored) != len(derived):
        return [*problems, "the stored verdicts are not one for each measurement"]
    for number, (said, own) in enumerate(zip(stored, derived, strict=True), start=1):
        if said not in (own, hashed(own)):
            problems.append(
                f"what is stored of measurement {number} after adjustment ({said}) does not follow from the p-values "
                f"({own})"
            )
    return problems


def _digest(measurements: Iterable[dict[str, Any]], run: Run) -> str:
    """The digest of the results of a run, whose measurements are these as JSON."""
    digest = hashlib.sha256()
    for plain, measurement in zip(measurements, run.measurements, strict=True):
        digest.update(canonical(hashed(plain)))
        digest.update(item_hash(measurement.items).encode())
    digest.update(canonical([hashed(one) for one in _stored(run)]))
    return f"sha256:{digest.hexdigest()}"


def _stored(run: Run) -> list[dict[str, Any]]:
    """The verdicts as they are stored; runs of the rule of before state no reasons of hints."""
    verdicts = [verdict.model_dump(mode="json") for verdict in run.verdicts]
    if run.rule is Rule.LABELS:
        for one in verdicts:
            one.pop("because", None)
    return verdicts


def _from_body(body: dict[str, Any], folder: Path | None, problems: list[str]) -> Run:
    measurements = []
    hashes = body.pop("item_hashes")
    for number, (entry, expected) in enumerate(zip(body["measurements"], hashes, strict=True)):
        measurement = Measurement.model_validate(entry)
        if folder is None:
            measurements.append(measurement)
            continue
        name = items_path(number, measurement.metric, measurement.test)
        try:
            items = read_items(folder / name, str(name))
            if item_hash(items) != expected:
                problems.append(f"{name} was changed after it was written")
        except RunError as error:
            problems.append(str(error))
            items = pa.table({})
        # A changed byte may leave a text that is no UTF-8 (ValueError), or make a column of dates (the last two).
        except (OSError, ValueError, pa.ArrowException, OverflowError, TypeError) as error:
            problems.append(f"{name} cannot be read ({error})")
            items = pa.table({})
        measurements.append(measurement.model_copy(update={"items": items}))
    return Run.model_validate({**body, "measurements": tuple(measurements)})
