"""The tables of Local Law 144: of each category the people, those selected, the rate and the impact ratio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from biascore.api.exporters import Exported, Exporter, Measurement, Run
from biascore.errors import RunError
from biascore_metrics.impact_ratio.metric import RATE, RATIO_OF, ImpactRatio

HEAD = ("people", "selected", "rate", "impact ratio", "interval")


class ImpactTables(Exporter):
    """A Markdown table for each group and each two groups of every measurement of ``impact-ratio``."""

    id: ClassVar[str] = "impact-tables"
    summary: ClassVar[str] = (
        "selection rates and impact ratios of each category, as Local Law 144 asks for (Markdown)"
    )
    suffix: ClassVar[str] = ".md"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """One text; raises RunError where the run has no measurement of ``impact-ratio``."""
        measured = [one for one in run if one.metric == ImpactRatio.name]
        if not measured:
            raise RunError(
                f"{run.title}: no measurement is of {ImpactRatio.name}, so there are no impact ratios. Choose another format"
            )
        return (Exported("\n".join(line for one in measured for line in _tables(one))),)


def _tables(measured: Measurement) -> Iterator[str]:
    outcome = measured.conventions["outcome"]
    yield f"# {_cell(measured.test_title)}"
    yield ""
    yield f"Outcome: {_cell(str(outcome))}, from {_cell(measured.model)}. Rate: {measured.conventions['rate']}."
    found = {one.name: one for one in measured.estimates}
    table = ""
    for name, rate in found.items():
        if not name.startswith(RATE) or rate.value is None:
            continue
        own, _, category = name.removeprefix(RATE).partition(": ")
        if own != table:
            table = own
            yield from ("", f"| {_cell(own)} | {' | '.join(HEAD)} |", f"|---|{'---:|' * len(HEAD)}")
        ratio = found.get(f"{RATIO_OF}{own}: {category}")
        value, low, high = ratio.texts() if ratio else ("left out", "", "")
        interval = f"{low} to {high}" if low else ""
        cells = (str(rate.n["people"]), str(rate.n["selected"]), f"{rate.value:.3f}", value, interval)
        yield f"| {_cell(category)} | {' | '.join(cells)} |"
    yield ""
    yield from (f"- {_cell(text)}" for text in measured.warnings)
    yield ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
