"""A section of a model card: Hugging Face's ``model-index`` metadata, and a part of the text.

Source of the metadata's form: the model card specification of the Hub (``huggingface_hub.EvalResult``).
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, ClassVar, Final

from biascore.basics.visible import visible_in
from biascore.basics.wording import capital
from biascore.exporter import Exported, Exporter
from biascore.exporting.tables import answer_lines, markdown, markdown_lines, result_lines, rounded, titles_of
from biascore.results.one_model import by_model
from biascore.results.summary import SummaryRow, summary_rows
from biascore.results.verdicts import Role

if TYPE_CHECKING:
    from biascore.models.usage import ModelUsed
    from biascore.results.run import Run

_DIGITS: Final = 4
"""Significant digits in the metadata."""
_COLUMNS: Final = ("title", "test", "metric", "effect", "interval", "n", "p", "p_adjusted", "verdict")
LIMITS = (
    "These scores ask a model for associations in test words and sentences. They do not show what the model does in "
    "a use of it, and a test that finds nothing does not show that there is no bias."
)


class ModelCard(Exporter):
    """A card's metadata and section for each model."""

    id: ClassVar[str] = "model-card"
    summary: ClassVar[str] = "metadata (model-index) and a section for a model card of Hugging Face"
    suffix: ClassVar[str] = ".md"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """One text a model."""
        return tuple(Exported(_card(model, part), model.name) for model, part in by_model(run))


def _card(model: ModelUsed, run: Run) -> str:
    rows = summary_rows(run, [Role.FINDING])
    titles = titles_of(run)
    results = [_result(row, titles[row.test]) for row in rows if row.effect is not None]
    index = [{"name": model.name, "results": results}]
    provenance = run.provenance
    day = time.strftime("%Y-%m-%d", time.gmtime(provenance.started))
    return "\n".join(
        [
            "---",
            *(["model-index:", *_yaml(index, 0)] if results else []),
            "---",
            "",
            "## Social bias",
            "",
            *result_lines(run),
            "",
            f"Measured on {day} with biascore {provenance.biascore_version}, seed {provenance.seed}, as "
            f"{markdown(model.ref)} (weights {markdown(model.digest)}).",
            "",
            *answer_lines(run),
            "",
            LIMITS,
            "",
            "In three sentences:",
            "",
            f"> {markdown(' '.join(run.three_sentences))}",
            "",
            "Not tested:",
            "",
            *(f"- {markdown(capital(about))}: {markdown(told)}" for about, told in run.untested.lines),
            "",
            f"**{markdown(run.title)}**",
            "",
            *markdown_lines(run, _COLUMNS),
        ]
    )


def _result(row: SummaryRow, title: str) -> dict[str, Any]:
    """A result with rounded numbers; conventions are in the text, each once."""
    args = {
        "estimate": row.estimate,
        "unit": row.unit,
        "ci_low": row.ci_low,
        "ci_high": row.ci_high,
        "ci_level": row.ci_level,
        "n": row.n,
        "p_value": row.p_value,
        "p_kind": row.p_kind,
        "p_adjusted": row.p_adjusted,
        "adjustment": row.adjustment,
        "verdict": row.verdict,
        "specificity": row.specificity,
        "caveats": row.caveats,
        "positive_means": row.positive_means,
        "warnings": row.warnings,
    }
    return {
        "task": {"type": "other", "name": f"Social bias: {row.concept}" if row.concept else "Social bias"},
        "dataset": {"type": row.test, "name": title or row.test},
        "metrics": [
            {
                "type": row.metric,
                "name": f"{row.metric}, {row.estimate}",
                "value": rounded(row.effect, _DIGITS),
                "args": {
                    name: rounded(value, _DIGITS) for name, value in args.items() if value not in (None, "")
                },
                "verified": False,
            }
        ],
    }


def _yaml(value: Any, depth: int) -> list[str]:
    """Block YAML whose scalars are JSON, which YAML reads as it is."""
    pad = "  " * depth
    if isinstance(value, list):
        lines = []
        for entry in value:
            first, *rest = _yaml(entry, depth + 1)
            lines += [f"{pad}- {first.lstrip()}", *rest]
        return lines
    lines = []
    for key, entry in value.items():
        if isinstance(entry, dict | list) and entry:
            lines += [f"{pad}{key}:", *_yaml(entry, depth + 1)]
        else:
            lines.append(f"{pad}{key}: {json.dumps(visible_in(entry), ensure_ascii=False)}")
    return lines
