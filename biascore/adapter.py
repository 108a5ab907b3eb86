"""What an adapter plugin writes: ``Adapter`` opens models, and the ``Backend`` that it returns answers for one of them."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from biascore.basics.options import Configured, OptionsT
from biascore.errors import AuthError, BiascoreError, CapabilityError

if TYPE_CHECKING:  # an engine reads what every adapter declares
    from biascore.languages.language import Language
    from biascore.models.backend import Backend
    from biascore.models.model import Model
    from biascore.models.refs import ModelRef
    from biascore.stimuli import Catalogue

T = TypeVar("T")


def _cannot_open(ref: str, options: Mapping[str, Any]) -> Model:  # noqa: ARG001
    raise CapabilityError(
        f"{ref} cannot be opened here: no engine lends its models. Open the model with an Engine"
    )


@dataclass(frozen=True, slots=True)
class LoadContext:
    """What the engine lends to an adapter while it opens a model: the stimuli and, by tag, the languages it knows.

    ``open(ref, options)``: another model, for one that is made of it. It keeps no answers of its own, since those of the
    model that asks it are kept, and is closed by whoever opened it.
    """

    catalogue: Catalogue
    languages: Mapping[str, Language] = field(default_factory=lambda: MappingProxyType({}))
    open: Callable[[str, Mapping[str, Any]], Model] = _cannot_open


class Adapter(ABC, Configured[OptionsT]):
    """Opens the models of one kind, ``class CsvAdapter(Adapter[CsvOptions])``; defining it must import nothing heavy.

    ``capabilities`` lists every hook that some model of this kind can answer, so that an audit is
    checked before anything is loaded. ``extra`` names the pip extra that it needs, if any.
    ``takes_revision``: whether ``@`` in the locator begins a revision.
    ``key_env_var``: the environment variable that holds the service's key, never an option. What is sent to
    a service with a key counts against ``max_characters`` and ``max_tokens``, and ``biascore plan`` does not probe it.
    ``secret_env_vars``: others whose values no message may hold, such as a session's token. Neither they nor the
    key are ever shown: the engine takes them out of every exception.
    ``answers_version``: kept answers are used as long as it is the same; None means the version of the
    distribution, so that every upgrade asks again. ``uses_stimuli``: whether its models are made from the stimuli
    available, and so have another digest with others. ``runtime``: the module that runs its models, whose devices
    ``biascore doctor`` lists. ``code_options``: those that let a model run code of its author, so that
    ``biascore verify`` opens no model with one of them.
    ``on_workers``: whether its models have weights, so that a run with workers asks them there; services that need a key
    stay where the run is.
    """

    id: ClassVar[str]
    summary: ClassVar[str]
    example: ClassVar[str]
    capabilities: ClassVar[frozenset[str]]
    extra: ClassVar[str | None] = None
    takes_revision: ClassVar[bool] = False
    key_env_var: ClassVar[str | None] = None
    secret_env_vars: ClassVar[tuple[str, ...]] = ()
    answers_version: ClassVar[str | None] = None
    uses_stimuli: ClassVar[bool] = False
    code_options: ClassVar[frozenset[str]] = frozenset()
    runtime: ClassVar[str] = ""
    on_workers: ClassVar[bool] = True

    @classmethod
    def devices(cls) -> Sequence[str]:
        """What the ``runtime`` can run on here; what importing it raises is reported as a problem."""
        return ()

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The environment variables whose values no message may hold."""
        return (*filter(None, [self.key_env_var]), *self.secret_env_vars)

    def check(self, ref: ModelRef, options: OptionsT, context: LoadContext) -> None:
        """Raise what can be found wrong without opening the model; the default finds nothing."""

    @abstractmethod
    def load(self, ref: ModelRef, options: OptionsT, context: LoadContext) -> Backend:
        """Open the model.

        Raises MissingExtraError where an optional dependency is absent, ModelLoadError where the
        model cannot be opened.
        """


def naming_missing_key(ref: ModelRef, adapter: Adapter[Any], call: Callable[[], T]) -> T:
    """What ``call`` returns; raises AuthError where it fails and the key that the adapter declares is not set."""
    variable = adapter.key_env_var
    try:
        return call()
    except BiascoreError:
        raise
    except Exception as error:
        if variable is None or os.environ.get(variable):
            raise
        raise AuthError(
            f"{ref} needs a key, and {variable} is not set. Set it: export {variable}=..."
        ) from error
