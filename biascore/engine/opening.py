"""A model that was checked is opened by its adapter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

import pluggy

from biascore.adapter import LoadContext, naming_missing_key
from biascore.audits.audit import AuditModel
from biascore.basics.guard import guarded
from biascore.basics.key_logs import keep_keys_out_of_logs
from biascore.basics.progress import Silent
from biascore.engine.checking import Checker
from biascore.engine.steps import Checked, Opening
from biascore.errors import At, Owner, PluginError
from biascore.models.backend import Backend, Identity
from biascore.models.model import Model
from biascore.models.pipeline.cache import NoCache
from biascore.models.pipeline.source import Services, Source
from biascore.models.pool import Pool
from biascore.models.refs import ModelRef


def pool_of(checked: Checked, checker: Checker, services: Services) -> Pool:
    """The models of what was checked, each opened when it is first asked for."""
    every = checked.every
    return Pool(
        {name: partial(open_model, opening, checker, services) for name, opening in every.items()},
        checked.given,
        keys={name: opening.key for name, opening in every.items()},
        transforms={name: opening.transforms for name, opening in every.items()},
    )


def open_model(opening: Opening, checker: Checker, services: Services) -> Model:
    """Open a model as it is before its transforms.

    Raises MissingExtraError or ModelLoadError as the adapter does, its foreign errors as PluginFailedError,
    TimeLimitError, and PluginError where its hooks take arguments that none has.
    """
    record = checker.plugins.adapters.owner(opening.ref.adapter)
    stated = opening.adapter.answers_version
    source = Source(
        name=opening.spec.untransformed.label,
        ref=opening.ref,
        answers_version=f"{record.dist} {record.version}"
        if stated is None
        else f"{record.dist}, answers {stated}",
        options=opening.options.model_dump(mode="json"),
        explicit_options=opening.options.model_dump(mode="json", exclude_unset=True),
        paid=opening.adapter.key_env_var is not None,
        key_variables=opening.adapter.key_variables,
        unusual=opening.options.model_dump(
            mode="json", exclude_defaults=True, exclude=set(opening.options.without_effect)
        ),
        owner=record.owner,
        # What charges is asked from here, so that a worker that dies never makes anybody pay twice.
        elsewhere=services.workers is not None
        and opening.adapter.key_env_var is None
        and opening.adapter.on_workers
        and bool(record.dist),
    )
    here = partial(load_here, opening, checker, services)
    backend = services.workers.open(source, here) if services.workers and source.elsewhere else here()
    return _model(source, backend, checker, services)


def load_here(opening: Opening, checker: Checker, services: Services) -> Backend:
    """What answers for the model, opened in this process; raises as ``open_model``."""
    plugins, catalogue = checker.plugins, checker.catalogue

    def second(ref: str, options: Mapping[str, Any]) -> Model:
        spec = AuditModel(ref=ref, options=dict(options))
        # The model that asks it keeps what comes of its answers, shows how far it is, and asks again what may pass.
        lent = replace(services, cache=NoCache(), progress=Silent(), attempts=1)
        return open_model(checker.model(spec), checker, lent)

    keep_keys_out_of_logs()
    context = LoadContext(catalogue, plugins.languages, second)
    at = At(
        plugins.adapters.owner(opening.ref.adapter).owner,
        "opening",
        f"opening {opening.ref}",
        opening.spec.label,
    )
    keys = opening.adapter.key_variables
    return guarded(at, lambda: _load(opening, context), services.time_limit, keys=keys)


def _model(source: Source, backend: Backend, checker: Checker, services: Services) -> Model:
    try:
        return Model(source, backend, replace(services, transforms=checker.transforms))
    except pluggy.PluginValidationError as error:
        backend.close()
        raise PluginError(
            f"{source.ref}: its Backend does not fit the hooks: {error}. See: biascore plugins"
        ) from error


def given_model(backend: Backend, name: str | None, checker: Checker, services: Services) -> Model:
    """A model that a Backend answers for, which no adapter opened; raises as ``open_model``."""
    ref = ModelRef("python", type(backend).__name__)
    # Of a version of its own: its code is known to nobody, and another one may have the same digest.
    source = Source(name or str(ref), ref, uuid4().hex, {}, {}, owner=Owner(f"{ref.locator} (from Python)"))
    if not isinstance(getattr(backend, "identity", None), Identity):
        raise PluginError(
            f"the Backend {ref.locator} has no identity. Set self.identity = Identity(digest=...)"
        )
    return _model(source, backend, checker, services)


def _load(opening: Opening, context: LoadContext) -> Backend:
    backend = naming_missing_key(
        opening.ref, opening.adapter, lambda: opening.adapter.load(opening.ref, opening.options, context)
    )
    if not isinstance(backend, Backend):
        raise TypeError(f"load returned a {type(backend).__name__}, which is no Backend")
    if not isinstance(getattr(backend, "identity", None), Identity):
        raise TypeError("the Backend has no identity, which is an Identity")
    return backend
