"""A run as records of Every Eval Ever, the shared schema of the EvalEval Coalition (schema version 0.2.2).

Source: ``eval.schema.json`` of github.com/evaleval/every_eval_ever. One record is about one model.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, ClassVar, Final

from biascore.basics.visible import visible_json
from biascore.exporter import Exported, Exporter
from biascore.exporting.one_model import by_model
from biascore.exporting.tables import DIGITS, rounded
from biascore.results.summary import SummaryRow, summary_rows
from biascore.results.verdicts import Role

if TYPE_CHECKING:
    from biascore.models.usage import ModelUsed
    from biascore.results.run import Run

SCHEMA: Final = "0.2.2"
_HUB: Final = "hf"
_DIRECTION: Final = (
    "The nearer to the neutral value, the less bias: lower_is_better, which the schema asks for, is of the "
    "distance to it."
)
_NO_RANGE: Final = (
    "not stated; min_score and max_score are the largest numbers, because the schema asks for some"
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
    hub = adapter == _HUB and locator.count("/") == 1 and not locator.startswith((".", "/", "~"))
    moment = f"{provenance.finished:.0f}"
    sources = {test: one for one in run.stimuli for test in one.tests}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"biascore/{model.name}/{moment}",
        "evaluation_timestamp": f"{provenance.started:.0f}",
        "retrieved_timestamp": moment,
        "source_metadata": {
            "source_name": run.title,
            "source_type": "evaluation_run",
            "source_organization_name": "not stated",
            "evaluator_relationship": "other",
            "additional_details": {"results_digest": run.results_digest(), "seed": str(provenance.seed)},
        },
        "eval_library": {"name": "biascore", "version": provenance.biascore_version},
        "model_info": {
            "name": model.name,
            "id": locator.partition("@")[0] if hub else model.ref,
            **({"developer": locator.partition("/")[0]} if hub else {}),
            "additional_details": {
                "ref": model.ref,
                "digest": model.digest,
                **({"revision": model.revision} if model.revision else {}),
            },
        },
        "evaluation_results": [
            _result(row, sources[row.test].source if row.test in sources else "")
            for row in summary_rows(run, [Role.FINDING])
            if row.effect is not None
        ],
    }


def _result(row: SummaryRow, source: str) -> dict[str, Any]:
    details = {
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
    interval = {
        "lower": rounded(row.ci_low, DIGITS),
        "upper": rounded(row.ci_high, DIGITS),
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
            "evaluation_description": f"{row.concept or 'bias'}: {row.estimate}. {_DIRECTION}",
            "metric_id": f"biascore.{row.metric}",
            "metric_name": row.estimate,
            "metric_unit": row.unit,
            "lower_is_better": True,
            # Without a type of score a validator asks for the names of levels, and with this one for both ends.
            "score_type": "continuous",
            "min_score": -sys.float_info.max,
            "max_score": sys.float_info.max,
            "additional_details": {"conventions": row.conventions, "score_range": _NO_RANGE},
        },
        "score_details": {
            "score": rounded(row.effect, DIGITS),
            "details": {
                name: str(rounded(value, DIGITS))
                for name, value in details.items()
                if value not in (None, "")
            },
            **({"uncertainty": {"confidence_interval": interval}} if row.ci_low is not None else {}),
        },
    }
