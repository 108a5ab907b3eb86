"""Hooks grow by new arguments: an implementation without the newest works, one with an argument that no hook has is told."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from biascore import Engine
from biascore.api.adapters import Adapter, Backend, Identity, ModelRef, Options, hookimpl
from biascore.api.queries import Choice, Chosen, Masked, TokenLogprobs
from biascore.api.writing import Written
from biascore.errors import PluginError
from biascore.hookspecs import CapabilitySpecs, DiscoverySpecs
from biascore.models.questions.capabilities import CAPABILITIES

from .made import engine_with, module_of, plugins_of

DISCOVERY = sorted(name for name in vars(DiscoverySpecs) if not name.startswith("_"))
ANSWERS: dict[str, Any] = {
    "embed": np.ones((1, 2), dtype=np.float32),
    "mask_logprob": (TokenLogprobs(("x",), ((0, 1),), (-1.0,)),),
    "translate": ("Eccola.",),
    "score": np.array([-3.0]),
    "choose": (Chosen("text", (float("nan"),) * 2, 0),),
    "generate": (Written("She rests.", "stop", 3, "written"),),
}
ASKED: dict[str, Callable[[Any], Any]] = {
    "embed": lambda model: model.embed(["x"]),
    "mask_logprob": lambda model: model.mask_logprob([Masked("x", ((0, 1),))]),
    "translate": lambda model: model.translate(["Here she is."], "en", "it"),
    "score": lambda model: model.score(["x"], "log_likelihood"),
    "choose": lambda model: model.choose([Choice("Who?", ("she", "he"))], "text"),
    "generate": lambda model: model.generate(["Who?"]),
}


def arguments(specs: type, hook: str) -> list[str]:
    return [name for name in inspect.signature(getattr(specs, hook)).parameters if name != "self"]


def implementing(hook: str, names: list[str], answer: Callable[[], Any]) -> Callable[..., Any]:
    """A method of this name with these arguments, as somebody would write it."""
    made: dict[str, Any] = {"answer": answer}
    exec(f"def {hook}({', '.join(names)}): return answer()", made)
    function: Callable[..., Any] = made[hook]
    return function


def model_of(monkeypatch: pytest.MonkeyPatch, backend: dict[str, Any]) -> Any:
    """A model of these hooks."""
    identity = Identity("test:made", quantities=("log_likelihood",), ways=("text",))
    own = type("Made", (Backend,), {"identity": identity, **{k: hookimpl(v) for k, v in backend.items()}})

    class MadeAdapter(Adapter[Options]):
        id = "made"
        summary = "made"
        example = "made:x"
        capabilities = frozenset(CAPABILITIES)

        def load(self, ref: ModelRef, options: Options, context: Any) -> Backend:
            return own()

    engine: Engine = engine_with(monkeypatch, plugins_of(monkeypatch), adapters=[MadeAdapter])
    return engine.model("made:x")


@pytest.mark.parametrize("hook", DISCOVERY)
def test_a_plugin_without_the_newest_argument_works(monkeypatch: pytest.MonkeyPatch, hook: str) -> None:
    calls: list[str] = []
    names = arguments(DiscoverySpecs, hook)
    module = module_of("a", **{hook: implementing(hook, names[:-1], lambda: calls.append(hook) or [])})
    plugins = plugins_of(monkeypatch, module)
    (record,) = (one for one in plugins.records if one.name == "a")
    assert (record.status, record.hooks) == ("loaded", (hook,))
    assert calls == [hook]


@pytest.mark.parametrize("hook", DISCOVERY)
def test_an_argument_that_the_hook_never_had_is_named(monkeypatch: pytest.MonkeyPatch, hook: str) -> None:
    names = [*arguments(DiscoverySpecs, hook), "elsewhere"]
    plugins = plugins_of(monkeypatch, module_of("a", **{hook: implementing(hook, names, list)}))
    (record,) = (one for one in plugins.records if one.name == "a")
    assert record.status == "failed"
    assert f"hook '{hook}'" in record.reason
    assert "{'elsewhere'}" in record.reason


@pytest.mark.parametrize("hook", CAPABILITIES)
def test_a_model_without_the_newest_argument_answers(monkeypatch: pytest.MonkeyPatch, hook: str) -> None:
    own = implementing(hook, ["self", *arguments(CapabilitySpecs, hook)[:-1]], lambda: ANSWERS[hook])
    with model_of(monkeypatch, {hook: own}) as model:
        found = ASKED[hook](model)
    assert repr(list(found)) == repr(list(ANSWERS[hook]))


@pytest.mark.parametrize("hook", CAPABILITIES)
def test_a_model_with_an_argument_that_the_hook_never_had_is_told(
    monkeypatch: pytest.MonkeyPatch, hook: str
) -> None:
    names = ["self", *arguments(CapabilitySpecs, hook), "elsewhere"]
    with pytest.raises(PluginError, match=rf"hook '{hook}'[\s\S]*\{{'elsewhere'\}}"):
        model_of(monkeypatch, {hook: implementing(hook, names, lambda: ANSWERS[hook])})


def test_all_hooks_are_here() -> None:
    assert len(DISCOVERY) == 12
    assert set(ANSWERS) == set(ASKED) == set(CAPABILITIES)
