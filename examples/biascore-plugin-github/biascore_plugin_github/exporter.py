"""A run as annotations of a GitHub workflow: what is detected is a warning next to the pull request."""

from biascore.api.exporters import Exported, Exporter, summary_rows


class GithubExporter(Exporter):
    """One command of a workflow for each measurement, and for each that failed."""

    id = "github"
    summary = "annotations of a GitHub workflow"
    suffix = ".txt"

    def export(self, run):
        """Bias that is known, of a control, is no warning."""
        lines = []
        for row in summary_rows(run):
            level = "warning" if (row.role, row.verdict) == ("finding", "detected") else "notice"
            value = row.note if row.effect is None else f"{row.estimate} = {row.effect:.2f}"
            lines.append(_command(level, f"{row.metric} {row.test}: {row.verdict}", f"{row.model}: {value}"))
        for failure in run.failed:
            title = f"{failure.metric} {failure.test}: not measured"
            lines.append(_command("error", title, f"{failure.model}: {failure.message}"))
        return (Exported("".join(lines)),)


def _command(level, title, message):
    return f"::{level} title={_escaped(title, ':,')}::{_escaped(message)}\n"


def _escaped(text, also=""):
    """A workflow reads %, line ends, and in a title also colon and comma, as %25, %0A and so on."""
    return "".join(f"%{ord(one):02X}" if one in f"%\r\n{also}" else one for one in text)
