"""The contract of an exporter, checked on runs made here: ``check_exporter("my-form")``."""

from __future__ import annotations

import re
import tempfile
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from biascore.engine.engine import Engine
from biascore.errors import BiascoreError
from biascore.exporter import NO_FACTS, Exported, Exporter
from biascore.results.failure import Failure
from biascore.results.run import Run
from biascore.testing.contract import Contract, NotAskedError, check_all, hold

_MISSING = re.compile(r"(?<![\w.])(nan|NaN|None)(?![\w.])")


@dataclass
class ExporterContract(Contract):
    """What ``check_exporter`` takes."""

    kind = "exporter"
    exporter: str
    runs: Sequence[Run] = ()
    engine: Engine = field(default_factory=lambda: Engine(cache=None))
    facts: Mapping[str, str] = field(default_factory=lambda: NO_FACTS)

    @cached_property
    def _whole(self) -> tuple[Run, ...]:
        """The runs given, or one of two tests on two planted models."""
        if self.runs:
            return tuple(self.runs)
        models = ["planted:en/weat7=1", "planted:en/weat7=0"]
        return (self.engine.measure("weat", models, ["en/weat7", "en/weat8"], draws=199, resamples=100),)

    @cached_property
    def _unmeasured(self) -> Run:
        """A run with a measurement that has no value, for want of words."""
        test = self.engine.catalogue.test("en/weat7")
        short = {role: replace(one, words=one.words[:1]) for role, one in test.roles.items()}
        return self.engine.measure("weat", "planted:en/weat7=1", replace(test, id="en/short", roles=short))

    @property
    def _kind(self) -> type[Exporter]:
        return self.engine.plugins.exporters.get(self.exporter)

    def _texts(self, run: Run) -> tuple[Exported, ...]:
        try:
            one = self._kind()
            one.stated = self.facts
            found = one.export(run)
        except BiascoreError as error:
            raise AssertionError(str(error)) from error
        hold(
            isinstance(found, tuple) and found,
            f"export gives {type(found).__name__} of {len(found)}, not a tuple of Exported",
        )
        hold(
            all(isinstance(one, Exported) and isinstance(one.text, str) for one in found),
            "export gives something else than Exported",
        )
        return found

    def check_declares(self) -> None:
        for name in ("id", "summary", "suffix"):
            hold(isinstance(getattr(self._kind, name, None), str), f"{self._kind.__name__} has no {name}")
        hold(self._kind.suffix.startswith("."), f"the suffix is {self._kind.suffix!r}, without a dot")

    def check_texts(self) -> None:
        for run in self._whole:
            for text, of in self._texts(run):
                text.encode()
                control = {c for c in text if unicodedata.category(c) == "Cc" and c not in "\n\r\t"}
                hold(not control, f"a text holds the control characters {control}")
                hold(
                    of == "" or of in {model.name for model in run.models},
                    f"a text is on {of!r}, which is no model of the run",
                )

    def check_same(self) -> None:
        for run in self._whole:
            before = run.model_dump_json()
            one = self._texts(run)
            hold(self._texts(run) == one, "exported twice, the texts differ")
            hold(run.model_dump_json() == before, "the run is changed")
            with tempfile.TemporaryDirectory() as folder:
                run.save(Path(folder) / "run")
                hold(
                    self._texts(Run.load(Path(folder) / "run")) == one,
                    "of the run as it was stored, the texts differ",
                )

    def check_failed(self) -> None:
        """The last measurement of each run failed instead."""
        if not any(len(run.measurements) > 1 for run in self._whole):
            raise NotAskedError("no answer: no run has two measurements, of which one could have failed")
        for run in self._whole:
            *done, last = run.measurements
            why = Failure(
                metric=last.metric,
                test=last.test,
                model=last.model,
                kind="answering",
                error="AnswerError",
                message="no",
            )
            if done:
                self._texts(run.model_copy(update={"measurements": tuple(done), "failed": (why,)}))

    def check_names(self) -> None:
        for run in self._whole:
            texts = self._texts(run)
            for model in run.models:
                said = " ".join(text for text, of in texts if of in ("", model.name))
                hold(said, f"no text is on the model {model.name}")
                missing = {m.test for m in run.measurements if m.model == model.name and m.test not in said}
                hold(
                    not missing or len({m.test for m in run.measurements}) == 1,
                    f"the tests {sorted(missing)} of {model.name} are not named",
                )
            whole = " ".join(text for text, _ in texts)
            for model in run.models:
                hold(
                    any(of == model.name for _, of in texts) or model.name in whole,
                    f"the model {model.name} is not named",
                )

    def check_missing(self) -> None:
        for run in self.runs or (*self._whole, self._unmeasured):
            for text, _ in self._texts(run):
                found = _MISSING.search(text)
                hold(
                    found is None,
                    f"a text holds {found and text[max(0, found.start() - 40) : found.end() + 10]!r}",
                )


def check_exporter(
    exporter: str, *runs: Run, engine: Engine | None = None, facts: Mapping[str, str] = NO_FACTS
) -> dict[str, str]:
    """Check an installed exporter on runs, by default one of WEAT on two planted models, and on one with a missing value.

    ``facts`` are those that it asks for. Raises AssertionError, which lists each clause that is broken. Returns those that
    were skipped, each with the reason.
    """
    return check_all(ExporterContract(exporter, runs, engine or Engine(cache=None), facts).clauses())
