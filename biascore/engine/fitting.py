"""Whether a model fits a metric: can it answer what the metric asks, and has it the transform that is measured?"""

from __future__ import annotations

from biascore.basics.surface import either
from biascore.errors import CapabilityError, OptionsError
from biascore.metric import Metric
from biascore.models.model import Model
from biascore.plugins.loading import Plugins


def check_open(metric: Metric, model: Model, plugins: Plugins) -> None:
    """Raise CapabilityError where this model, now that it is open, cannot answer what the metric asks."""
    check_capabilities(metric, model.name, model.capabilities, plugins, lacks=model.lacks, after=model.after)


def check_transformed(metric: Metric, model: str, *, after: str = "") -> None:
    """Raise OptionsError where the metric compares a model with what it was, and this one has no transform."""
    if metric.needs_transform and not after:
        raise OptionsError(
            f"{metric.name} compares a model with what it was before a transform, and {model} has none. Add one, "
            f"{either('--transform NAME:key=value of biascore measure', 'model.with_transform(NAME, key=value)')}, "
            "transforms = [...] in an audit; see: biascore list transforms"
        )


def check_capabilities(
    metric: Metric,
    model: str,
    capabilities: frozenset[str],
    plugins: Plugins,
    *,
    lacks: str = "",
    after: str = "",
) -> None:
    """Raise CapabilityError where the model cannot answer what the metric asks; it names metrics that fit.

    ``lacks`` is why this model cannot, where others of its kind can; ``after`` are the transforms it is measured
    through.
    """
    missing = metric.requires - capabilities
    others = (metric.precomputed, metric.causal.requires if metric.causal else None)
    if missing and not any(other and other <= capabilities for other in others):
        why = f" ({lacks})" if lacks else ""
        if after:
            why = f" ({after} changes vectors alone, so anything else would be an answer without it)"
        raise CapabilityError(
            f"{metric.name} needs a model that can {', '.join(sorted(missing))}, and {model} can "
            f"{', '.join(sorted(capabilities))}{why}. {_alternatives(metric, capabilities, plugins)}"
            f"leave {model!r} out of this measurement"
        )


def _alternatives(metric: Metric, capabilities: frozenset[str], plugins: Plugins) -> str:
    fitting = [
        other.name
        for other in plugins.metrics.items()
        if other.kinds & metric.kinds
        and (other.requires <= capabilities or (other.causal and other.causal.requires <= capabilities))
        and not other.needs_transform
    ]
    return (
        f"For such tests it can take {', '.join(fitting)}; use one, or "
        if fitting
        else "Use another model, or "
    )
