"""A dry run: the measurements of an audit on its models, which answer with placeholders."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from biascore.audits.audit import Audit
from biascore.basics.keys import stand_ins
from biascore.engine.checking import Checker
from biascore.engine.measuring import Measuring
from biascore.engine.opening import pool_of
from biascore.engine.out_of_reach import out_of_reach
from biascore.engine.plan import Plan
from biascore.engine.planner import Planner
from biascore.models.model import Model
from biascore.models.pipeline.source import Services


def rehearse(
    audit: Audit,
    checker: Checker,
    services: Services,
    models: Sequence[Model] = (),
    *,
    probe: bool = True,
    whole: bool = True,
) -> Plan:
    """What a run of an audit will ask of each model; ``models`` are those that are open already.

    With ``probe`` each is asked a few questions for an estimate of the time, except services with a key: these are asked
    nothing, and need no key. Without ``whole`` metrics that can tell how many queries they ask at most put only some.
    """
    planner = Planner(services.cache, services.progress)
    keyed = [kind for kind in checker.plugins.adapters.items() if kind.key_env_var is not None]
    variables = {name for kind in keyed for name in kind().key_variables}
    given = {one.name: one for one in models}
    with stand_ins(variables), ExitStack() as stack:
        checked = checker.audit(audit, given)
        paid = {name for name, one in checked.every.items() if one.adapter.key_env_var is not None}
        paid |= {name for name, one in given.items() if one.source.paid}
        measuring = Measuring(checker, audit.seed, services.time_limit)
        pool = stack.enter_context(pool_of(checked, checker, services))
        for label in checked.models:
            if not checked.measurements(label):
                continue
            planner.rehearse(
                label,
                pool.model,
                checked.measurements(label),
                measuring.measure if whole else measuring.ask_some,
                probe=lambda name: probe and name not in paid,
            )
            if label in pool.opened and label not in checked.seconds:
                pool.release(label)
    return planner.plan(audit.title, out_of_reach(checked.planned), whole=whole)
