"""A run as records of Every Eval Ever, the shared schema of the EvalEval Coalition (schema version 0.3.0).

Source: ``eval.schema.json`` of github.com/evaleval/every_eval_ever. One record is about one model.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

from biascore.basics.visible import visible_json
from biascore.exporter import Exported, Exporter
from biascore.exporting.tables import DIGITS, rounded
from biascore.results.one_model import by_model
from biascore.results.summary import SummaryRow, summary_rows
from biascore.results.verdicts import Role

if TYPE_CHECKING:
    from biascore.models.usage import ModelUsed
    from biascore.results.run import Run

SCHEMA: Final = "0.3.0"
_HUB: Final = "hf"
_DISTANCE: Final = (
    "The score is the distance of the estimate from its neutral value, no bias; its sign is in the details."
)


class EveryEvalEver(Exporter):
    """A record for each model, a result for each finding that could be estimated."""

    id: ClassVar[str] = "every-eval-ever"
    summary: ClassVar[str] = f"records of Every Eval Ever (schema {SCHEMA})"
    suffix: ClassVar[str] = ".json"

    def export(self, run: Run) -> tuple[Exported, ...]:
        """One JSON object a model."""
        return tuple(
            Exported(
                visible_json(json.dumps(_record(model, part), ensure_ascii=False, indent=1)) + "\n",
                model.name,
            )
            for model, part in by_model(run)
        )


def _record(model: ModelUsed, run: Run) -> dict[str, Any]:
    provenance = run.provenance
    adapter, _, locator = model.ref.partition(":")
    path = locator.startswith((".", "/", "~")) or ":" in locator  # C:/model
    hub = adapter == _HUB and locator.count("/") == 1 and not path
    moment = f"{provenance.finished:z.0f}"
    digest = run.results_digest()
    id = locator.partition("@")[0] if hub else f"unknown/{_in_a_path(model.ref)}"
    sources = {test: one.source for one in run.stimuli for test in one.tests}
    rows = summary_rows(run, [Role.FINDING])
    roles = zip(run.measurements, run.verdicts, strict=True)
    neutral = [one.headline.neutral for one, said in roles if said.role is Role.FINDING]
    results = [
        _result(row, row.effect, zero, sources.get(row.test, ""))
        for row, zero in zip(rows, neutral, strict=True)
        if row.effect is not None and zero is not None
    ]
    left_out = len(rows) - len(results)
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"biascore/{id}/{digest}",
        "evaluation_timestamp": f"{provenance.started:z.0f}",
        "retrieved_timestamp": moment,
        "source_metadata": {
            "source_name": run.title,
            "source_type": "evaluation_run",
            "source_organization_name": "not stated",
            "evaluator_relationship": "other",
            "additional_details": {
                "results_digest": digest,
                "seed": str(provenance.seed),
                **(
                    {"left_out": f"{left_out} without a value, or without a value that means no bias"}
                    if left_out
                    else {}
                ),
            },
        },
        "eval_library": {"name": "biascore", "version": provenance.biascore_version},
        "model_info": {
            "name": model.name,
            "id": id,
            "developer": id.partition("/")[0],
            "additional_details": {
                "deployment_type": "self_deployed" if hub else "unknown",
                "model_availability": "open_weights" if hub else "unknown",
                "ref": model.ref,
                "digest": model.digest,
                **({"revision": model.revision} if model.revision else {}),
            },
        },
        "evaluation_results": results,
    }


def _in_a_path(text: str) -> str:
    """Text as a part of a path on every system; the reference itself is in the details."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-.") or "model"


def _result(row: SummaryRow, effect: float, neutral: float, source: str) -> dict[str, Any]:
    details = {
        "effect": effect,
        "effect_lower": row.ci_low,
        "effect_upper": row.ci_high,
        "neutral": neutral,
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
    ends = [end - neutral for end in (row.ci_low, row.ci_high) if end is not None]
    interval = {
        "lower": 0.0
        if ends and ends[0] <= 0 <= ends[-1]
        else rounded(min(map(abs, ends), default=None), DIGITS),
        "upper": rounded(max(map(abs, ends), default=None), DIGITS),
        "confidence_level": row.ci_level,
        "method": row.ci_method,
    }
    return {
        "evaluation_result_id": f"{row.metric}/{row.test}",
        "evaluation_name": f"{row.metric} {row.test}",
        "source_data": {
            "dataset_name": row.test,
            "source_type": "other",
            **({"additional_details": {"source": source}} if source else {}),
        },
        "metric_config": {
            "evaluation_description": f"{row.concept or 'bias'}: {row.estimate}. {_DISTANCE}",
            "metric_id": f"biascore.{row.metric}",
            "metric_name": row.estimate,
            "metric_unit": row.unit,
            "lower_is_better": True,
            # Without a type of score a validator asks for the names of levels, and with this one for both ends.
            "score_type": "continuous",
            "min_score": 0,
            "max_score": "Infinity",
            "additional_details": {"conventions": row.conventions},
        },
        "score_details": {
            "score": rounded(abs(effect - neutral), DIGITS),
            "details": {
                name: str(rounded(value, DIGITS))
                for name, value in details.items()
                if value not in (None, "")
            },
            **({"uncertainty": {"confidence_interval": interval}} if row.ci_low is not None else {}),
        },
    }
