"""An audit: which models, which metrics, which tests; read from TOML and checked before anything is loaded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import Field, PrivateAttr, ValidationError, ValidationInfo, field_validator

from biascore.audits.gates import Gate
from biascore.audits.scenarios import Scenario
from biascore.basics.frozen import Frozen, FrozenMap
from biascore.basics.problems import Problem, problems_of
from biascore.basics.suggest import did_you_mean
from biascore.basics.surface import either
from biascore.basics.tags import LanguageTag
from biascore.basics.wording import brief, few
from biascore.errors import OptionsError, UnknownNameError
from biascore.files.paths import user_path
from biascore.files.reading import read_toml
from biascore.files.toml import dumps
from biascore.stats import Adjustment
from biascore.stimuli.dataset import HUB
from biascore.stimuli.lines import line_of

if TYPE_CHECKING:
    from biascore.models.model import Model
    from biascore.stimuli import Test

MOST_LETTERS: Final = 100
"""Of a line and a release, which are headings of a table."""


class AuditTransform(Frozen):
    """A transform of a model's vectors, by name, with its options."""

    name: str
    options: FrozenMap[Any] = Field(default_factory=dict)


class AuditModel(Frozen):
    """A model of an audit: reference, adapter options, and a short name (default: the reference).

    ``transforms`` are applied to its vectors, one after the other; with ``before`` it is also measured without them.
    """

    ref: str
    name: str = ""
    options: FrozenMap[Any] = Field(default_factory=dict)
    transforms: tuple[AuditTransform, ...] = ()
    before: bool = Field(default=False, strict=True)

    @field_validator("before")
    @classmethod
    def _of_something(cls, before: bool, info: ValidationInfo) -> bool:
        if before and not info.data.get("transforms", True):
            raise ValueError(
                "says to measure the model also before its transforms, and it has none. Add transforms = [...]"
            )
        return before

    @property
    def label(self) -> str:
        """The name that measurements carry: that given, else the reference, and after which transforms it is."""
        if self.name or not self.transforms:
            return self.name or self.ref
        return f"{self.ref} after {', '.join(one.name for one in self.transforms)}"

    @property
    def untransformed(self) -> AuditModel:
        """The model as it is before its transforms, which is itself where it has none."""
        if not self.transforms:
            return self
        name = f"{self.name} before" if self.name else ""
        return AuditModel(ref=self.ref, name=name, options=self.options)

    @property
    def measured(self) -> tuple[AuditModel, ...]:
        """What is measured of it: itself, and where that is asked for what it is before, which comes first."""
        plain = AuditModel.model_copy(self, update={"before": False})
        return (self.untransformed, plain) if self.before else (plain,)


class AuditMeasurement(Frozen):
    """A metric with its options, the tests it runs (globs), and the models by name (default: all)."""

    metric: str
    tests: tuple[str, ...] = Field(min_length=1)
    models: tuple[str, ...] | None = Field(default=None, min_length=1)
    options: FrozenMap[Any] = Field(default_factory=dict)


class AuditData(Frozen):
    """A data file that becomes the test ``language/name``: its format, where it is, and the format's options.

    ``source`` is a path (in a file relative to it) or ``hub:OWNER/NAME/PATH[@REVISION]``; ``name`` is by
    default the stem of its file name. ``licence`` and ``citation`` say what the file is under and where it is from;
    a run records them.
    """

    format: str
    source: str
    language: LanguageTag
    name: str = ""
    licence: str = ""
    citation: str = ""
    options: FrozenMap[Any] = Field(default_factory=dict)

    @classmethod
    def stated(cls, **parts: Any) -> AuditData:
        """With these values; raises OptionsError naming what is wrong."""
        try:
            return cls(**parts)
        except ValidationError as error:
            raise OptionsError("; ".join(one.text for one in problems_of(error, cls))) from error


class Audit(Frozen):
    """What is run together, and so adjusted for multiple testing together.

    Attributes:
        title: The title of the run and its report.
        line: Of which line of releases the model is, such as "our chat model"; by default its reference without version.
        release: Which release it is, such as "2.1" or "2026-11".
        design: By which named design ``biascore audit`` chose what is asked.
        not_asked: The tests that it leaves out, by id.
        seed: Fixes everything random.
        adjust: How p-values are adjusted over the measurements on one model.
        stimuli: Folders of your own ``<language>/*.toml``, relative to the file.
        require_plugins: Requirements such as ``biascore-plugin-slavic>=1``.
        data: Data files that become tests; paths are relative to the file.
        models: The models, by name and reference.
        measurements: A metric and tests each, with options.
        gates: What must hold of the run.
        scenarios: Who may be harmed, and how.
        mappings: Mappings by name, or TOML files: which articles name grounds, and what items of a text ask.
    """

    title: str = "Audit"
    line: str = Field(default="", max_length=MOST_LETTERS)
    release: str = Field(default="", max_length=MOST_LETTERS)
    seed: int = Field(default=0, ge=0, strict=True)
    adjust: Adjustment = Adjustment.HOLM
    design: Literal["", "small", "standard", "full"] = ""
    not_asked: tuple[str, ...] = ()
    stimuli: tuple[str, ...] = ()
    require_plugins: tuple[str, ...] = ()
    data: tuple[AuditData, ...] = ()
    models: tuple[AuditModel, ...] = Field(min_length=1)
    measurements: tuple[AuditMeasurement, ...] = Field(min_length=1)
    gates: tuple[Gate, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    mappings: tuple[str, ...] = ()
    _folder: Path = PrivateAttr(default_factory=Path)

    @property
    def folder(self) -> Path:
        """What its paths are relative to: the folder of its file, else the current one."""
        return self._folder

    def path(self, text: str) -> Path:
        """Where a folder of stimuli or a data file lies that the audit names."""
        return self._folder / user_path(text)

    @property
    def located_data(self) -> tuple[AuditData, ...]:
        """The data files with paths as they are from here."""
        return tuple(
            one
            if one.source.startswith(HUB)
            else one.model_copy(update={"source": str(self.path(one.source))})
            for one in self.data
        )

    def located(self, entry: AuditMeasurement, file_options: Collection[str]) -> AuditMeasurement:
        """A measurement with the files that its options name as they are from here."""
        files = {name: str(self.path(text)) for name, text in entry.options.items() if name in file_options}
        return entry.model_copy(update={"options": {**entry.options, **files}}) if files else entry

    @classmethod
    def from_parts(
        cls,
        *,
        title: str,
        models: list[dict[str, Any]],
        measurements: list[dict[str, Any]],
        seed: int = 0,
        adjust: Adjustment = Adjustment.HOLM,
        design: str = "",
        not_asked: Sequence[str] = (),
        stimuli: Sequence[str] = (),
        require_plugins: Sequence[str] = (),
        data: Sequence[dict[str, Any]] = (),
    ) -> Audit:
        """Build an audit from plain values, as from a file; raises OptionsError naming the key."""
        parts = {
            "title": title,
            "models": models,
            "measurements": measurements,
            "seed": seed,
            "adjust": adjust,
            "design": design,
            "not_asked": list(not_asked),
            "stimuli": [str(folder) for folder in stimuli],
            "require_plugins": list(require_plugins),
            "data": list(data),
        }
        try:
            return cls.model_validate(parts)
        except ValidationError as error:
            raise OptionsError("; ".join(problem.text for problem in problems_of(error, cls))) from error

    @classmethod
    def load(cls, path: str | Path) -> Audit:
        """Read an audit file; raises OptionsError naming file, line and key."""
        file = Path(path)
        if not file.exists() or file.is_dir():
            raise OptionsError(_no_file(file))
        toml = read_toml(file, str(file), OptionsError)
        try:
            audit = cls.model_validate(toml.document)
        except ValidationError as error:
            raise OptionsError(_explain(file, toml.text, toml.document, error)) from error
        audit._folder = file.parent.resolve()
        return audit

    def to_toml(self) -> str:
        """The audit as a file, with what decides results even where it is the default; TypeError for values TOML has not."""
        decisive = {"title": self.title, "seed": self.seed, "adjust": self.adjust.value}
        return dumps(decisive | self.model_dump(mode="json", exclude_defaults=True))

    def of_release(self, line: str | None, release: str | None) -> Audit:
        """The same audit of another line or release, where they are given; raises OptionsError for a text too long."""
        given = {key: text for key, text in (("line", line), ("release", release)) if text is not None}
        for key, text in given.items():
            if len(text) > MOST_LETTERS:
                raise OptionsError(
                    f"{key} has {len(text)} characters, and may have {MOST_LETTERS}. Shorten it"
                )
        return self.model_copy(update=given) if given else self

    def with_models(self, refs: Mapping[str, str], without: Sequence[str] = ()) -> Audit:
        """The same audit with other references for the models named in ``refs``, and without some models.

        A reference that is replaced keeps its name and its transforms, not its options. ``without`` a model is without
        what it is before its transforms too; that alone is left out by its own name. Measurements that only name a model
        that is left out are left out too. Raises UnknownNameError for a name that the audit has not, OptionsError
        where another model's measurement needs the one that is left out.
        """
        labels = [model.label for model in self.models]
        before = {model.untransformed.label: model.label for model in self.models if model.before}
        for name in refs:
            if name in before and name not in labels:
                raise UnknownNameError(
                    f"{name!r} is {before[name]!r} before its transforms: give the reference to {before[name]!r}"
                )
        for name in (*refs, *without):
            if name not in (*labels, *before):
                raise UnknownNameError(f"the audit has no model {name!r}; it has: {', '.join(labels)}")
        gone = {*without, *(name for name, after in before.items() if after in without)}
        models = tuple(
            _renewed(model, refs.get(model.label), gone) for model in self.models if model.label not in gone
        )
        measurements = []
        for entry in self.measurements:
            kept = entry.models and tuple(name for name in entry.models if name not in gone)
            if kept != ():
                _check_not_needed(entry, gone)
                measurements.append(entry.model_copy(update={"models": kept}))
        if not models or not measurements:
            raise OptionsError(f"without {', '.join(without)} nothing is left to measure. Leave fewer out")
        return self.model_copy(update={"models": models, "measurements": tuple(measurements)})


def _renewed(model: AuditModel, ref: str | None, gone: Collection[str]) -> AuditModel:
    """The model with another reference, if there is one, and no longer before its transforms where that is ``gone``."""
    before = model.before and model.untransformed.label not in gone
    if ref is None:
        return model.model_copy(update={"before": before})
    return AuditModel(ref=ref, name=model.label, transforms=model.transforms, before=before)


def _check_not_needed(entry: AuditMeasurement, without: Collection[str]) -> None:
    for option, value in entry.options.items():
        if value in without:
            raise OptionsError(
                f"{entry.metric} takes {value!r} as its {option}, so it cannot be left out. Put another model in its "
                f"place with {either(f'--model {value}=REF', f'refs={{{value!r}: REF}}')}, or leave out the models that "
                f"{entry.metric} measures too"
            )


def _explain(file: Path, text: str, document: dict[str, Any], error: ValidationError) -> str:
    def told(problem: Problem) -> str:
        line = line_of(text, problem.where, document)
        return f"{file}:{line}: {problem.text}" if line else f"{file}: {problem.text}"

    return (
        brief("\n".join(few(problems_of(error, Audit), told)))
        + "\nThe keys of an audit file are described in docs/audits.md."
    )


def _no_file(file: Path) -> str:
    """What to say of an audit that is not there, or is a folder: the audits that are near."""
    folder = file if file.is_dir() else file.parent
    near = [str(path) for path in sorted(folder.glob("*.toml"))] if folder.is_dir() else []
    there = f"{folder} holds {', '.join(near[:3])}" if near else f"{folder} holds no TOML file"
    what = "is a folder, and an audit is a file" if file.is_dir() else "there is no such file"
    guess = "" if file.is_dir() else did_you_mean(str(file), near)
    return f"{file}: {what}. {guess}{there}. Write one as docs/audits.md shows."


def audit_of_metric(
    metric: str,
    models: Sequence[Model | str],
    tests: Sequence[str | Test],
    options: Mapping[str, Any],
    *,
    seed: int,
    adjust: Adjustment,
) -> Audit:
    """The audit of one metric on models, open or by reference; raises OptionsError."""
    refs = [
        {"ref": one} if isinstance(one, str) else {"ref": str(one.source.ref), "name": one.name}
        for one in models
    ]
    ids = [one if isinstance(one, str) else one.id for one in tests]
    asked = [{"metric": metric, "tests": ids, "options": dict(options)}]
    return Audit.from_parts(title=metric, models=refs, measurements=asked, seed=seed, adjust=adjust)
