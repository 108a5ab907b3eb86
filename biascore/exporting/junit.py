"""A run as JUnit XML, which systems of continuous integration show."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar
from xml.etree import ElementTree

from biascore.basics.visible import visible
from biascore.exporter import Exported, Exporter
from biascore.results.summary import summary_rows
from biascore.results.verdicts import Role

if TYPE_CHECKING:
    from biascore.results.run import Run


class Junit(Exporter):
    """A suite for each model, a case for each finding.

    A bias that was detected is a failure, what cannot be told is skipped, and what could not be measured is an error.
    Controls, baselines and descriptions are no cases: that a bias is seen where one was put in is no failure of a model.
    """

    id: ClassVar[str] = "junit"
    summary: ClassVar[str] = "JUnit XML: detected fails, inconclusive is skipped, what failed is an error"
    suffix: ClassVar[str] = ".xml"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """The XML."""
        suites = ElementTree.Element("testsuites", name=visible(run.title))
        rows = summary_rows(run, [Role.FINDING])
        names = dict.fromkeys([*(row.model for row in rows), *(failure.model for failure in run.failed)])
        for model in names:
            suite = ElementTree.SubElement(suites, "testsuite", name=visible(model))
            counts = dict.fromkeys(("tests", "failures", "skipped", "errors"), 0)
            for row in rows:
                if row.model != model:
                    continue
                case = _case(suite, row.metric, row.test)
                counts["tests"] += 1
                text = f"{row.estimate} {row.size} {row.unit}, interval {row.interval}, n = {row.n}, {row.verdict}"
                if row.verdict == "detected":
                    counts["failures"] += 1
                    ElementTree.SubElement(case, "failure", message=visible(text), type="detected")
                elif row.verdict == "inconclusive":
                    counts["skipped"] += 1
                    ElementTree.SubElement(
                        case, "skipped", message=visible(f"cannot tell: {text} {row.note}")
                    )
                out = ElementTree.SubElement(case, "system-out")
                out.text = visible("\n".join(f"{name}: {value}" for name, value in row._asdict().items()))
            for failure in run.failed:
                if failure.model == model:
                    counts["tests"] += 1
                    counts["errors"] += 1
                    case = _case(suite, failure.metric, failure.test)
                    ElementTree.SubElement(
                        case, "error", message=visible(failure.message), type=visible(failure.error)
                    )
            for name, count in counts.items():
                suite.set(name, str(count))
        ElementTree.indent(suites)
        return (Exported(ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"),)


def _case(suite: ElementTree.Element, metric: str, test: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=visible(metric), name=visible(test))
