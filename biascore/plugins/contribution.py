"""What one plugin registers, checked, and held back until all of its hooks have run without error."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from biascore.models.capabilities import CAPABILITIES

if TYPE_CHECKING:
    from biascore.adapter import Adapter
    from biascore.evidence.mappings import Mapping
    from biascore.exporter import Exporter
    from biascore.languages.language import Language
    from biascore.metric import Metric
    from biascore.models.transform import Transform
    from biascore.stimuli import StimuliFile
    from biascore.stimuli.dataset import DataFormat

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*")
"""No case, so that ``Planted`` cannot stand beside ``planted``; no path, no control character."""


@dataclass(slots=True)
class Contribution:
    """What one plugin registers, held back until all of its hooks have run without error."""

    adapters: list[type[Adapter]] = field(default_factory=list)
    metrics: list[type[Metric]] = field(default_factory=list)
    languages: list[Language] = field(default_factory=list)
    wordlists: list[tuple[Path, str]] = field(default_factory=list)
    formats: list[type[DataFormat]] = field(default_factory=list)
    transforms: list[type[Transform]] = field(default_factory=list)
    exporters: list[type[Exporter]] = field(default_factory=list)
    mappings: list[Mapping] = field(default_factory=list)
    stimuli: tuple[StimuliFile, ...] = ()

    def collect(self, ask: Callable[[str, Callable[..., None]], None]) -> None:
        """Take what a plugin registers: ``ask`` calls its hook of a name with a function to register with.

        Raises TypeError, ValueError or StimuliError for what cannot be used.
        """
        ask("register_adapters", self.adapters.append)
        ask("register_metrics", self.metrics.append)
        ask("register_languages", self.languages.append)
        ask("register_wordlists", self.add_wordlist)
        ask("register_formats", self.formats.append)
        ask("register_transforms", self.transforms.append)
        ask("register_exporters", self.exporters.append)
        ask("register_mappings", self.add_mapping)
        self.check()
        if self.wordlists:
            from biascore.stimuli import Catalogue

            self.stimuli = Catalogue.from_folders(language_folders=self.wordlists).files

    def gender_languages(self) -> tuple[str, ...]:
        """The languages whose speaker's gender it tells."""
        if not self.languages:
            return ()
        from biascore.languages.language import Language

        languages = [one for one in self.languages if isinstance(one, Language)]
        return tuple(one.code for one in languages if one.speaker_gender is not None)

    def check(self) -> None:
        """Raise TypeError or ValueError for a class, name or language that cannot be used."""
        self._check_adapters()
        self._check_metrics()
        if self.formats:
            from biascore.stimuli.dataset import DataFormat

            for data_format in self.formats:
                _check_class(data_format, DataFormat, {"id": str, "summary": str, "example": str})
        if self.transforms:
            from biascore.models.transform import Transform

            for transform in self.transforms:
                _check_class(transform, Transform, {"name": str, "summary": str, "reference": str})
        if self.exporters:
            from biascore.exporter import OWN_FORMS, Exporter

            for exporter in self.exporters:
                _check_class(exporter, Exporter, {"id": str, "summary": str, "suffix": str})
                if exporter.id in OWN_FORMS:
                    raise ValueError(f"registered {exporter.id!r}, which is a format of biascore itself")
        _check_names([a.id for a in self.adapters])
        _check_names([m.name for m in self.metrics])
        _check_names([f.id for f in self.formats])
        _check_names([t.name for t in self.transforms])
        _check_names([e.id for e in self.exporters])
        if self.languages:
            from biascore.languages.language import Language
            from biascore.stimuli.entries import LANGUAGE_PATTERN

            for language in self.languages:
                if not isinstance(language, Language):
                    raise TypeError(f"registered {language!r}, which is not a Language")
                if not re.match(LANGUAGE_PATTERN, language.code):
                    raise ValueError(
                        f"registered the language {language.code!r}, which is no code such as it or pt-BR"
                    )

    def _check_adapters(self) -> None:
        if not self.adapters:
            return
        from biascore.adapter import Adapter

        for adapter in self.adapters:
            _check_class(
                adapter, Adapter, {"id": str, "summary": str, "example": str, "capabilities": frozenset}
            )
            _check_capabilities(adapter, adapter.capabilities)

    def _check_metrics(self) -> None:
        if not self.metrics:
            return
        from biascore.metric import Metric

        for metric in self.metrics:
            _check_class(
                metric, Metric, {"name": str, "summary": str, "reference": str, "requires": frozenset}
            )
            _check_class(metric, Metric, {"kinds": frozenset})
            _check_capabilities(metric, metric.requires)

    def add_wordlist(self, folder: Path, shown_as: str) -> None:
        """Note a folder of stimuli."""
        self.wordlists.append((folder, shown_as))

    def add_mapping(self, file: Path) -> None:
        """Read a mapping from grounds to articles."""
        from biascore.evidence.mappings import Mapping

        self.mappings.append(Mapping.read(file))

    def provides(self) -> tuple[str, ...]:
        """Each thing in a phrase, such as ``adapter hf``."""
        return (
            *(f"adapter {a.id}" for a in self.adapters),
            *(f"metric {m.name}" for m in self.metrics),
            *(f"language {lang.code}" for lang in self.languages),
            *(f"wordlists {shown}" for _, shown in self.wordlists),
            *(f"data format {one.id}" for one in self.formats),
            *(f"transform {one.name}" for one in self.transforms),
            *(f"format {one.id} of runs" for one in self.exporters),
            *(f"mapping {one.name} {one.version}" for one in self.mappings),
        )


def _check_class(found: object, base: type, attributes: AnyMapping[str, type]) -> None:
    if not (inspect.isclass(found) and issubclass(found, base)):
        raise TypeError(f"registered {found!r}, which is not a subclass of biascore's {base.__name__}")
    wrong = [
        f"{n}: {kind.__name__}"
        for n, kind in attributes.items()
        if not isinstance(getattr(found, n, None), kind)
    ]
    if wrong:
        raise TypeError(f"{base.__name__} {found.__name__} lacks {', '.join(wrong)}")
    if hasattr(found, "options"):
        raise TypeError(
            f"{base.__name__} {found.__name__} sets options as an attribute. Name their class in brackets: "
            f"class {found.__name__}({base.__name__}[MyOptions])"
        )
    abstract = [
        f"{n}()" for n in dir(found) if getattr(getattr(found, n, None), "__isabstractmethod__", False)
    ]
    if abstract:
        raise TypeError(f"{base.__name__} {found.__name__} lacks {', '.join(abstract)}")


def _check_capabilities(owner: type, named: frozenset[str]) -> None:
    unknown = named - set(CAPABILITIES)
    if unknown:
        raise TypeError(
            f"{owner.__name__} names {', '.join(sorted(unknown))}; there are {', '.join(CAPABILITIES)}"
        )


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"registered {name!r}, which is no name: it must be small letters, digits, '-', '_' and '.', from a letter"
            )
        if names.count(name) > 1:
            raise ValueError(f"registered {name!r} twice")
