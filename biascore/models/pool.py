"""The models of one run: each is opened when it is first needed, and closed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Self

from biascore.errors import BiascoreError
from biascore.models.model import Model
from biascore.models.transforms.prepared import Prepared
from biascore.models.usage import ModelUsed


class Pool:
    """Models by name; ``openers`` open those that are not ``given``, and only what the pool opened does it close.

    ``keys``: models with one key are one opened model under several names, which stays open from one of them to the
    next in the order of ``openers``. ``transforms`` are put on what the opener gives, in the name of the model.
    """

    def __init__(
        self,
        openers: Mapping[str, Callable[[], Model]],
        given: Mapping[str, Model] | None = None,
        *,
        keys: Mapping[str, str] | None = None,
        transforms: Mapping[str, Sequence[Prepared]] | None = None,
    ) -> None:
        self._openers = openers
        self._given = dict(given or {})
        self._keys = {name: name for name in openers} | dict(keys or {})
        self._transforms = dict(transforms or {})
        for model in self._given.values():
            model.standing.in_run = True
        self._before = {name: model.counts for name, model in self._given.items()}
        self._bases: dict[str, Model] = {}
        self._opened: dict[str, Model] = {}
        self._failed: dict[str, BiascoreError] = {}

    def model(self, name: str) -> Model:
        """The model of that name, opened now if need be; raises what opening it raises, which is tried once."""
        if name in self._given:
            return self._given[name]
        if name in self._failed:
            raise self._failed[name]
        if name not in self._opened:
            try:
                self._opened[name] = self._open(name)
            except BiascoreError as error:
                self._failed[name] = error
                raise
        return self._opened[name]

    def release(self, name: str) -> ModelUsed:
        """Close a model that the pool opened, unless what comes next is the same one; returns its record."""
        model = self._opened.pop(name)
        try:
            return model.used()
        finally:
            order = list(self._openers)
            still = {*self._opened, *order[order.index(name) + 1 :][:1]}
            self._close(self._bases.keys() - {self._keys[other] for other in still})

    @property
    def opened(self) -> tuple[str, ...]:
        """The names of the models that are open now, in the order of opening."""
        return tuple(self._opened)

    @property
    def given_used(self) -> dict[str, ModelUsed]:
        """The records of the models that were given, with the questions asked since."""
        return {name: model.used(since=self._before[name]) for name, model in self._given.items()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._opened.clear()
        self._close(set(self._bases))
        for model in self._given.values():
            model.standing.end_run()

    def _open(self, name: str) -> Model:
        key = self._keys[name]
        if key not in self._bases:
            self._bases[key] = self._openers[name]()
            self._bases[key].standing.in_run = True
        base = self._bases[key]
        transforms = self._transforms.get(name, ())
        if transforms:
            return base.through(*transforms, name=name)
        return base if base.name == name else base.view(name)

    def _close(self, keys: set[str]) -> None:
        for key in [key for key in self._bases if key in keys]:
            self._bases.pop(key).close()
