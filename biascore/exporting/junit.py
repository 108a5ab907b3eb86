"""A run as JUnit XML, which systems of continuous integration show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar
from xml.etree import ElementTree

from biascore.basics.visible import visible
from biascore.exporter import Exported, Exporter
from biascore.exporting.tables import counts
from biascore.results.comparison import Outcome
from biascore.results.gates import GateOutcome
from biascore.results.summary import SummaryRow, summary_rows
from biascore.results.verdicts import Role

if TYPE_CHECKING:
    from biascore.results.comparison import Comparison
    from biascore.results.gates import GateResult
    from biascore.results.run import Run


class Junit(Exporter):
    """A suite for the gates, a case for each; and a suite for each model, a case for each finding.

    A gate that does not hold is a failure, one that passed with a warning is skipped. A hint and what is inconclusive is
    skipped. What is not measured is a failure, unless a gate lets it pass; what failed is an error. A bias that was
    detected is a failure; where there are gates, these say what must hold, and it is skipped. A last case of each model
    says whether anything was decided, so that a run in which all is skipped does not look passed. Controls, baselines and
    descriptions are no cases: that a bias is detected where it is known is no failure of a model.
    """

    id: ClassVar[str] = "junit"
    summary: ClassVar[str] = (
        "JUnit XML: a gate that does not hold fails, without gates what is detected; inconclusive is skipped, "
        "not measured fails"
    )
    suffix: ClassVar[str] = ".xml"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """The XML."""
        suites = ElementTree.Element("testsuites", name=visible(run.title))
        if run.gates:
            _gates(suites, run.gates)
        rows = summary_rows(run, [Role.FINDING])
        unmeasured = [one for gate in run.gates if gate.passed for one in gate.of(GateOutcome.NOT_MEASURED)]
        let_pass = {
            (one.model, one.test, ", ".join(filter(None, [one.method, one.subject]))) for one in unmeasured
        }
        for model in dict.fromkeys(
            [*(row.model for row in rows), *(failure.model for failure in run.failed)]
        ):
            some = [row for row in rows if row.model == model]
            failed = [failure for failure in run.failed if failure.model == model]
            name = ", ".join(
                filter(None, [counts([row.verdict for row in some]), f"{len(failed)} failed" * bool(failed)])
            )
            suite = ElementTree.SubElement(suites, "testsuite", name=visible(f"{model}: {name}"))
            for row in some:
                passes = (row.model, row.test, row.metric) in let_pass
                _finding(suite, row, judged=bool(run.gates), let_pass=passes)
            for failure in failed:
                case = _case(suite, failure.metric, failure.test)
                ElementTree.SubElement(
                    case, "error", message=visible(failure.message), type=visible(failure.error)
                )
            if some:
                _decided(suite, some, judged=bool(run.gates))
            _count(suite)
        return (Exported(_text(suites)),)


def junit_of_gates(title: str, gates: Sequence[GateResult]) -> str:
    """The suite of these gates on the run of this title."""
    suites = ElementTree.Element("testsuites", name=visible(title))
    _gates(suites, gates)
    return _text(suites)


def junit_of_comparison(found: Comparison) -> str:
    """A case for each change of a finding: an increased bias or a changed sign fails, inconclusive is skipped.

    What could not be compared is an error, and a last case fails where no change was decided.
    """
    suites = ElementTree.Element("testsuites", name=visible(f"{found.old.title} and {found.new.title}"))
    if found.gates:
        _gates(suites, found.gates)
    suite = ElementTree.SubElement(suites, "testsuite", name="changes")
    changes = [one for one in found if one.role is Role.FINDING]
    for one in changes:
        case = _case(suite, one.method, f"{one.test} ({one.models}): {one.estimate}")
        if one.outcome in (Outcome.INCREASED, Outcome.CHANGED_SIGN):
            ElementTree.SubElement(
                case, "failure", message=visible(f"{one.outcome}: {one.reason}"), type="change"
            )
        elif one.outcome is Outcome.INCONCLUSIVE:
            ElementTree.SubElement(case, "skipped", message=visible(f"{one.outcome}: {one.reason}"))
    for other in found.not_comparable:
        case = _case(suite, other.metric, f"{other.test} ({other.old_model}, {other.new_model})")
        ElementTree.SubElement(
            case, "error", message=visible("; ".join(other.reasons)), type="not comparable"
        )
    for text in found.failed:
        ElementTree.SubElement(_case(suite, "failed", text), "error", message=visible(text), type="failed")
    case = _case(suite, "comparison", "the comparison could decide at least one change")
    if all(one.outcome is Outcome.INCONCLUSIVE for one in changes):
        ElementTree.SubElement(case, "failure", message="no change was decided", type="undecided")
    _count(suite)
    return _text(suites)


def _text(suites: ElementTree.Element) -> str:
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _finding(suite: ElementTree.Element, row: SummaryRow, *, judged: bool, let_pass: bool) -> None:
    """The case of a measurement; ``judged``: gates say whether it may be detected, ``let_pass``: and not measured."""
    case = _case(suite, row.metric, row.test)
    text = f"{row.estimate} {row.size} {row.unit}, interval {row.interval}, n = {row.n}, {row.told}"
    if row.verdict == "detected" and judged:
        ElementTree.SubElement(case, "skipped", message=visible(f"for the gates to judge: {text}"))
    elif row.verdict == "detected" or (row.verdict == "not measured" and not let_pass):
        ElementTree.SubElement(case, "failure", message=visible(text), type=row.verdict)
    elif row.verdict != "negligible":
        ElementTree.SubElement(case, "skipped", message=visible(f"{row.verdict}: {text}"))
    out = ElementTree.SubElement(case, "system-out")
    out.text = visible("\n".join(f"{name}: {value}" for name, value in row._asdict().items()))


def _decided(suite: ElementTree.Element, rows: Sequence[SummaryRow], *, judged: bool) -> None:
    """A case that fails where nothing was decided; gates say themselves what becomes of that."""
    case = _case(suite, "audit", "the audit could decide at least one test")
    if any(row.verdict in ("detected", "negligible") for row in rows):
        return
    names = ", ".join(dict.fromkeys(row.test for row in rows))
    text = f"{counts([row.verdict for row in rows])}: neither a bias nor its absence was shown in {names}"
    if judged:
        ElementTree.SubElement(case, "skipped", message=visible(f"for the gates to judge: {text}"))
    else:
        ElementTree.SubElement(case, "failure", message=visible(text), type="undecided")


def _gates(suites: ElementTree.Element, gates: Sequence[GateResult]) -> None:
    """A case for each gate, with all its checks and cautions."""
    suite = ElementTree.SubElement(suites, "testsuite", name="gates")
    for gate in gates:
        case = _case(suite, "gate", gate.name)
        checks = [f"{check.held}: {check.what} ({check.criterion}): {check.reason}" for check in gate.checks]
        text = visible("\n".join([*checks, *(f"warning: {caution}" for caution in gate.cautions)]))
        if not gate.passed:
            ElementTree.SubElement(case, "failure", message=visible(gate.line), type="gate").text = text
        elif gate.warned:
            ElementTree.SubElement(case, "skipped", message=visible(gate.line))
        if gate.passed:
            ElementTree.SubElement(case, "system-out").text = text
    _count(suite)


def _count(suite: ElementTree.Element) -> None:
    suite.set("tests", str(len(suite)))
    for name, tag in (("failures", "failure"), ("skipped", "skipped"), ("errors", "error")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))


def _case(suite: ElementTree.Element, metric: str, test: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=visible(metric), name=visible(test))
