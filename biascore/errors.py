"""Every error a user can cause: each names the input at fault and ends with the next step to take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

MAX_MESSAGE: Final = 4000
"""Characters of a message that are shown."""

NO_PICTURE: Final = (
    *range(0x80, 0xA0),  # the other control characters, of which U+009B begins an escape sequence too
    *(0x2028, 0x2029),  # line ends to some programs only
    *range(0x202A, 0x202F),  # embeddings and overrides of direction
    *range(0x2066, 0x206A),  # isolates
    *range(0xD800, 0xE000),  # halves of pairs: no file in UTF-8 can hold them
    *(0xFFFE, 0xFFFF),  # no characters, and XML cannot hold them
)
VISIBLE: Final[Mapping[int, int | str]] = {
    **{c: 0x2400 + c for c in range(0x20) if chr(c) not in "\t\n"},
    **{0x7F: 0x2421},
    **{c: f"\\u{c:04x}" for c in NO_PICTURE},
}
"""What is shown for a character that does something instead of being seen: of ASCII its picture, so ␛ for ESC."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose code it is: entry point, distribution and version of a plugin; empty where none is known."""

    name: str = ""
    dist: str = ""
    version: str = ""

    @property
    def shown(self) -> str:
        """Name, distribution and version in one phrase."""
        return f"plugin {self.name!r} of {self.dist} {self.version}" if self.dist else self.name or "a plugin"


@dataclass(frozen=True, slots=True)
class At:
    """Whose code runs, and what it is at: ``what`` says so in a phrase, such as ``opening acme:x``.

    ``model`` is the name of the model that is opened or asked, where one is.
    """

    owner: Owner
    doing: Literal["loading", "checking", "opening", "answering", "measuring", "result"]
    what: str
    model: str = ""


class BiascoreError(Exception):
    """Base of all errors that biascore raises on purpose; the command line prints its text and exits 2.

    ``at``: whose code raised it, and what that was at, where a plugin did. ``may_pass``: whether the same may
    succeed later with the same input. ``run``: that in which nothing was measured because of it. A message shows what it
    quotes of a file, also in a traceback: it holds no control characters.
    """

    at: At | None = None
    may_pass: bool = False
    run: object = None

    def __init__(self, *args: object) -> None:
        super().__init__(*(_shown(one) if isinstance(one, str) else one for one in args))

    def __reduce__(self) -> tuple[Any, ...]:
        """Travels from a worker with its text and attributes, whatever the class takes to be made."""
        return _rebuilt, (type(self), self.args, self.__dict__)


def _rebuilt(
    kind: type[BiascoreError], args: tuple[object, ...], attributes: dict[str, object]
) -> BiascoreError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


def _shown(message: str) -> str:
    """A message to be read: what it quotes made visible, and of a long value or list the middle left out.

    The input comes first in a message, and the next step last.
    """
    if not message.isprintable():
        message = message.translate(VISIBLE)
    if len(message) <= MAX_MESSAGE:
        return message
    left_out = f" ... ({len(message):,} characters in all) ... "
    end = MAX_MESSAGE // 4
    return message[: MAX_MESSAGE - end - len(left_out)] + left_out + message[-end:]


class RefError(BiascoreError):
    """A model reference that cannot be read, such as one without ``adapter:``."""


class UnknownNameError(BiascoreError):
    """A name (adapter, metric, test, list) that nothing provides; carries a did-you-mean where one is near."""


class OptionsError(BiascoreError):
    """Options that an adapter, a metric or an audit file does not take, or values of the wrong type."""


class StimuliError(BiascoreError):
    """A word list or test file that cannot be used; the text names file and line or key."""


class DataError(BiascoreError):
    """A data file that cannot be used; the text names the file and its rows."""


class GrammarError(BiascoreError):
    """A grammar file that cannot be used; the text names file and key."""


class TestKindError(BiascoreError):
    """A test handed to a metric that does not take tests of its kind."""

    __test__ = False  # pytest would otherwise collect the class by its name


class CapabilityError(BiascoreError):
    """A question that this model cannot answer; the text says which it can."""


class PluginError(BiascoreError):
    """A plugin that failed to load, is blocked, conflicts with another, or is required and absent."""


class PluginFailedError(PluginError):
    """Code of a plugin that raised what is no error of biascore, tried to end the process, or gave an impossible result.

    ``trace``: its traceback as text.
    """

    trace: str = ""


class TimeLimitError(PluginFailedError):
    """Code of a plugin that took longer than the user allows."""


class MissingExtraError(BiascoreError):
    """An optional dependency that is not installed; the text is the install command."""

    def __init__(self, what: str, extra: str, dist: str = "biascore") -> None:
        from biascore.installation import install_extra

        super().__init__(
            f"{what} needs an optional dependency. Install it with: {install_extra(extra, dist)}"
        )
        self.extra = extra


class ModelLoadError(BiascoreError):
    """A model that cannot be opened: missing, truncated, corrupt, foreign, or refused for safety."""


class QuestionError(BiascoreError):
    """A question that the model cannot take, such as a text longer than its context; the text is named."""


class UnsupportedLanguageError(QuestionError):
    """A language, or pair of languages, that a translation model or service does not have."""


class AuthError(BiascoreError):
    """A key that is missing from the environment, or that the service refuses."""


class QuotaError(BiascoreError):
    """A service whose quota for this account is used up: asking again soon does not help, later it may."""

    may_pass = True


class BudgetError(BiascoreError):
    """A question that was not sent, because it would exceed the characters that the user allows to be charged."""


class AnswerError(BiascoreError):
    """A model whose answer has the wrong shape, type or a value that no answer may have.

    ``usable``: the answers of the same call that can be kept, by the place of their question.
    """

    def __init__(self, message: str, usable: Mapping[int, object] | None = None) -> None:
        super().__init__(message)
        self.usable = dict(usable or {})


class CacheError(BiascoreError):
    """Answers that cost money cannot be kept, so no more of them are asked for."""


class TransientModelError(BiascoreError):
    """Raised by an adapter for a transient failure (a time-out, a 503); the engine asks again."""

    may_pass = True


class RateLimitError(TransientModelError):
    """Raised by an adapter when the service asks to slow down.

    ``retry_after`` is in seconds, or None where the service does not say.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class WorkerError(BiascoreError):
    """Workers of a cluster that cannot be reached, or that end while they answer."""

    may_pass = True


class RunError(BiascoreError):
    """A stored run that cannot be read or whose contents do not match their hashes."""


class _Failure(Protocol):
    """A ``Failure`` of ``results``, which is above: this module imports from no other."""

    @property
    def metric(self) -> str: ...
    @property
    def test(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def may_pass(self) -> bool: ...


class NothingMeasuredError(BiascoreError):
    """A run of which every measurement failed, for more than one reason; ``failed`` says why."""

    def __init__(self, failed: tuple[_Failure, ...]) -> None:
        reasons = tuple(dict.fromkeys(failure.message for failure in failed))
        shown = "".join(f"\n- {reason}" for reason in reasons)
        super().__init__(f"nothing could be measured, for {len(reasons)} reasons:{shown}")
        self.failed = failed
        self.may_pass = all(failure.may_pass for failure in failed)
