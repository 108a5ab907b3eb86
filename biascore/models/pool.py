"""The models of one run: each is opened when it is first needed, and closed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Self

from biascore.errors import BiascoreError
from biascore.models.model import Model
from biascore.models.used import ModelUsed


class Pool:
    """Models by name; ``openers`` open those that are not ``given``, and only what the pool opened does it close."""

    def __init__(
        self, openers: Mapping[str, Callable[[], Model]], given: Mapping[str, Model] | None = None
    ) -> None:
        self._openers = openers
        self._given = dict(given or {})
        self._before = {name: model.counts for name, model in self._given.items()}
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
                self._opened[name] = self._openers[name]()
            except BiascoreError as error:
                self._failed[name] = error
                raise
        return self._opened[name]

    def release(self, name: str) -> ModelUsed:
        """Close a model that the pool opened; returns its record."""
        model = self._opened.pop(name)
        try:
            return model.used()
        finally:
            model.close()

    @property
    def opened(self) -> tuple[str, ...]:
        """The names of the models that are open now, in the order of opening."""
        return tuple(self._opened)

    @property
    def given_used(self) -> dict[str, ModelUsed]:
        """The records of the models that were given, with the questions put to them since."""
        return {name: model.used(since=self._before[name]) for name, model in self._given.items()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for model in self._opened.values():
            model.close()
        self._opened.clear()
