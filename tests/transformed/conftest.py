"""An installation with transforms that are made here, beside few of the plugins that come with biascore."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pytest

from biascore import Engine
from biascore.api.transforms import FittedTransform, Options, Transform, TransformContext, Vectors, hookimpl
from biascore.plugins.loading import Plugins

from ..builders.points import own
from ..builders.transforms import Centre, Centred
from ..cli.conftest import biascore  # noqa: F401  # a fixture of the command line

BESIDE = (
    "adapter-planted",
    "kinds",
    "adapter-fasttext",
    "adapter-answers",
    "metric-weat",
    "metric-lpbs",
    "wordlists-en",
    "wordlists-es",
)
Wrong = Literal["shape", "rows", "type", "nan", "raise", "no fit", "digest", "fact"]


class WrongOptions(Options):
    """What goes wrong."""

    how: Wrong


class Mistaken(Centred):
    """Gives what cannot be."""

    how: ClassVar[str]

    def apply(self, vectors: npt.NDArray[np.float32], words: Sequence[str]) -> npt.NDArray[np.float32]:
        new = super().apply(vectors, words)
        if self.how == "shape":
            return new[:, 1:]
        if self.how == "rows":
            return new[1:]
        if self.how == "type":
            return new.astype(np.float64)  # type: ignore[return-value]
        if self.how == "nan":
            new[words.index("rose")] = np.nan
        return new


class Wrongly(Transform[WrongOptions]):
    """Does what no transform may."""

    name = "wrongly"
    summary = "go wrong"
    reference = "made for a test"
    mended: ClassVar[bool] = False
    tried: ClassVar[list[str]] = []

    def words(self, context: TransformContext) -> Mapping[str, Sequence[str]]:
        return {"centre": ("rose", "ant")}

    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        how = "" if self.mended else self.options.how
        self.tried.append(how)
        if how == "raise":
            raise ZeroDivisionError("nothing to divide by")
        if how == "no fit":
            return "fitted"  # type: ignore[return-value]
        mean = learnt_from["centre"].rows.mean(axis=0)
        kind = type("Made", (Mistaken,), {"how": how})
        if how == "digest":
            kind.digest = "md5:0"  # type: ignore[assignment]
        if how == "fact":
            kind.facts = {"accuracy": float("nan")}  # type: ignore[assignment]
        return kind(mean, 1, 1)  # type: ignore[no-any-return]


class Wary(Centre):
    """Warns of what it learnt."""

    name = "wary"

    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        fitted = super().fit(learnt_from, context)
        assert isinstance(fitted, Centred)
        return Centred(fitted.mean, fitted.step, fitted.parts, ("few words were known",))


@pytest.fixture(scope="session")
def plugins() -> Iterator[Plugins]:
    """The plugins that there are: reading all of them takes a while."""
    module = types.ModuleType("made_transforms")

    def register_transforms(register: Callable[[type[Transform]], None]) -> None:
        for one in (Centre, Wary, Wrongly):
            register(one)

    module.register_transforms = hookimpl(register_transforms)  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module
    yield Plugins([*own(*BESIDE), metadata.EntryPoint("made", "made_transforms", "biascore")])
    del sys.modules[module.__name__]


@pytest.fixture(autouse=True)
def _installed(plugins: Plugins, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("engine.engine", "archive.bundle", "cli.inspect", "cli.loaded"):
        monkeypatch.setattr(f"biascore.{place}.Plugins", lambda **_: plugins)
    Centre.fits.clear()
    Wrongly.tried.clear()
    monkeypatch.setattr(Wrongly, "mended", False)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Engine]:
    """An engine with them, and a cache of its own."""
    engine = Engine(cache=tmp_path / "cache")
    yield engine
    engine.close()
