"""What was checked: models that can be opened, and which metrics measure which tests on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from biascore.adapter import Adapter
from biascore.audits.audit import AuditModel
from biascore.audits.base_runs import BaseRuns
from biascore.basics.options import Options
from biascore.metric import Metric
from biascore.models.model import Model
from biascore.models.refs import ModelRef
from biascore.models.transforms.prepared import Prepared
from biascore.stimuli import Catalogue, Test


@dataclass(frozen=True, slots=True)
class Opening:
    """A model that was checked and can be opened; ``transforms`` are applied to it one after the other."""

    spec: AuditModel
    ref: ModelRef
    adapter: Adapter
    options: Options
    transforms: tuple[Prepared, ...] = ()

    @property
    def capabilities(self) -> frozenset[str]:
        """What some model of its kind can answer, through its transforms."""
        return self.adapter.capabilities & {"embed"} if self.transforms else self.adapter.capabilities

    @property
    def after(self) -> str:
        """The names of its transforms, or ""."""
        return ", ".join(one.name for one in self.transforms)

    @property
    def key(self) -> str:
        """The same for what can be one opened model: reference and options."""
        return repr((str(self.ref), sorted(self.options.model_dump(mode="json").items())))


@dataclass(frozen=True, slots=True)
class Step:
    """A metric that was checked, its tests, the models it is for, and second models that its options name."""

    metric: Metric
    tests: tuple[Test, ...]
    models: frozenset[str]
    seconds: Mapping[str, Opening]


@dataclass(frozen=True, slots=True)
class Checked:
    """What can be measured: ``models`` are the names of the models in order, each to be opened or ``given`` open.

    ``twins``: of models that are also measured before their transforms, the name of what they are before. ``seconds``
    are the further models that options of metrics name, ``bases`` the runs that its gates compare with.
    """

    catalogue: Catalogue
    models: tuple[str, ...]
    openings: Mapping[str, Opening]
    steps: tuple[Step, ...]
    given: Mapping[str, Model] = field(default_factory=dict)
    duplicates: Mapping[str, str] = field(default_factory=dict)
    bases: BaseRuns = field(default_factory=BaseRuns)

    @property
    def seconds(self) -> dict[str, Opening]:
        """The second models of all steps by name."""
        return {name: opening for step in self.steps for name, opening in step.seconds.items()}

    def second_models(self, metric: Metric) -> tuple[str, ...]:
        """The names of the second models that the options of one of its metrics name."""
        return tuple(name for step in self.steps if step.metric is metric for name in step.seconds)

    @property
    def every(self) -> dict[str, Opening]:
        """All models that are to be opened, by name."""
        return {**self.openings, **self.seconds}

    @property
    def refs(self) -> tuple[str, ...]:
        """The references of ``models``."""
        return tuple(
            str(self.given[name].source.ref if name in self.given else self.openings[name].ref)
            for name in self.models
        )

    def measurements(self, model: str) -> list[tuple[Metric, Test]]:
        """What is measured on a model, in order."""
        return [(step.metric, test) for step in self.steps if model in step.models for test in step.tests]

    @property
    def planned(self) -> list[tuple[Metric, Test]]:
        """What is measured on one model or more, in order."""
        return [(step.metric, test) for step in self.steps for test in step.tests]

    @property
    def each(self) -> list[tuple[str, str, str]]:
        """Metric, test and model of each measurement, in order."""
        return [(metric.name, test.id, label) for group in self.groups for label, metric, test in group]

    @property
    def groups(self) -> list[list[tuple[str, Metric, Test]]]:
        """What is measured, in order, model by model; a model before and after its transforms test by test."""
        after = {before: name for name, before in self.duplicates.items()}
        together = [
            (name, after[name]) if name in after else (name,)
            for name in self.models
            if self.duplicates.get(name) not in self.models
        ]
        return [
            [
                (name, step.metric, test)
                for step in self.steps
                for test in step.tests
                for name in names
                if name in step.models
            ]
            for names in together
        ]
