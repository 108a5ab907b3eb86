"""A run as JUnit XML, which systems of continuous integration show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar
from xml.etree import ElementTree

from biascore.basics.visible import visible
from biascore.exporter import Exported, Exporter
from biascore.results.summary import summary_rows
from biascore.results.verdicts import Role

if TYPE_CHECKING:
    from biascore.results.gates import GateResult
    from biascore.results.run import Run


class Junit(Exporter):
    """A suite for the gates, a case for each; and a suite for each model, a case for each finding.

    A gate that does not hold is a failure, one that passed with a warning is skipped. What cannot be told is skipped, and
    what could not be measured is an error. A bias that was detected is a failure; where there are gates, these say what must
    hold, and it is skipped. Controls, baselines and descriptions are no cases: that a bias is seen where one was put in is
    no failure of a model.
    """

    id: ClassVar[str] = "junit"
    summary: ClassVar[str] = (
        "JUnit XML: a gate that does not hold fails, without gates what is detected; inconclusive is skipped"
    )
    suffix: ClassVar[str] = ".xml"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """The XML."""
        suites = ElementTree.Element("testsuites", name=visible(run.title))
        if run.gates:
            _gates(suites, run.gates)
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
                text = (
                    f"{row.estimate} {row.size} {row.unit}, interval {row.interval}, n = {row.n}, {row.told}"
                )
                if row.verdict == "detected" and run.gates:
                    counts["skipped"] += 1
                    message = f"for the gates to say whether it may be: {text}"
                    ElementTree.SubElement(case, "skipped", message=visible(message))
                elif row.verdict == "detected":
                    counts["failures"] += 1
                    ElementTree.SubElement(case, "failure", message=visible(text), type="detected")
                elif row.verdict == "inconclusive":
                    counts["skipped"] += 1
                    ElementTree.SubElement(case, "skipped", message=visible(f"cannot tell: {text}"))
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
            _count(suite, counts)
        ElementTree.indent(suites)
        return (Exported(ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"),)


def _gates(suites: ElementTree.Element, gates: Sequence[GateResult]) -> None:
    """A case for each gate, with all its checks and what has to be known beside."""
    suite = ElementTree.SubElement(suites, "testsuite", name="gates")
    counts = {"tests": len(gates), "failures": 0, "skipped": 0, "errors": 0}
    for gate in gates:
        case = _case(suite, "gate", gate.name)
        checks = [f"{check.held}: {check.what} ({check.criterion}): {check.reason}" for check in gate.checks]
        text = visible("\n".join([*checks, *(f"warning: {caution}" for caution in gate.cautions)]))
        if not gate.passed:
            counts["failures"] += 1
            ElementTree.SubElement(case, "failure", message=visible(gate.line), type="gate").text = text
        elif gate.warned:
            counts["skipped"] += 1
            ElementTree.SubElement(case, "skipped", message=visible(gate.line))
        if gate.passed:
            ElementTree.SubElement(case, "system-out").text = text
    _count(suite, counts)


def _count(suite: ElementTree.Element, counts: Mapping[str, int]) -> None:
    for name, count in counts.items():
        suite.set(name, str(count))


def _case(suite: ElementTree.Element, metric: str, test: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=visible(metric), name=visible(test))
