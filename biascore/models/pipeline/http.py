"""Requests to a service, within limits of time and size; transient failures are separated from those that stay."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

from biascore.basics.threads import started
from biascore.errors import (
    AnswerError,
    MissingExtraError,
    OptionsError,
    RateLimitError,
    TransientModelError,
)
from biascore.files.reading import megabytes_allowed, parse_json, raised

if TYPE_CHECKING:
    import requests  # of an extra, and slow to import

TIMEOUT_VARIABLE: Final = "BIASCORE_HTTP_TIMEOUT"
"""Seconds to wait for a whole answer. No option of an adapter: options are part of what identifies an answer."""

SIZE_VARIABLE: Final = "BIASCORE_HTTP_MAX_MB"
"""Megabytes of an answer, unpacked. The largest request has 128 KiB of text."""

T = TypeVar("T")
_CONNECTIONS: Final = 256
"""Kept open at most."""
_MAX_MB: Final = 16
_CHUNK: Final = 1 << 16
_GRACE: Final = 0.2
"""Seconds that a request has to give up by itself, before it is left behind."""
_TIMEOUT: Final = 60.0
_CONNECT_TIMEOUT: Final = 10.0
_TOO_MANY: Final = (429, 529)
_TRANSIENT: Final = (408, 425)
_SHOWN: Final = 300


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A status below 500 that is not 429: the JSON value (None where an error carries none) and the text."""

    status: int
    value: Any
    text: str

    def message(self, *keys: str) -> str:
        """What an error says, under the first of the keys that it has, else its text; cut for display."""
        found = self.value if isinstance(self.value, dict) else {}
        said = next((found[key] for key in keys if isinstance(found.get(key), str)), self.text)
        return shortened(said) or f"status {self.status}"


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back, without the connection: an error raised over it would keep that open."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Limits:
    """What one answer may take, from now on: seconds for the whole of it, and megabytes, unpacked."""

    seconds: float
    megabytes: float
    began: float = field(default_factory=time.monotonic)

    @classmethod
    def read(cls) -> Limits:
        """As the environment sets them; raises OptionsError for what is no such number."""
        return cls(timeout(), megabytes_allowed(_MAX_MB, SIZE_VARIABLE))

    def within(self, work: Callable[[], T]) -> T:
        """What ``work`` gives; raises TimeoutError, with what to do, where it takes longer, and leaves it behind.

        The time-outs of sockets are for each packet, and a server may send a byte now and then for ever.
        """
        try:
            return started(work, "biascore-request").result(self.seconds + _GRACE)
        except TimeoutError:
            raise TimeoutError(self.timeout_message) from None

    @property
    def timeout_message(self) -> str:
        """What is said of an answer that takes longer."""
        return f"not within {self.seconds:g} seconds; {TIMEOUT_VARIABLE} sets how many, and a lower concurrency may help"

    def joined(self, parts: Iterable[bytes]) -> bytes:
        """The parts of a body as they come, up to the one with which it is larger; raises TimeoutError."""
        body = bytearray()
        for part in parts:
            body += part
            if len(body) > self.megabytes * 1e6:
                break
            if time.monotonic() > self.began + self.seconds:
                raise TimeoutError
        return bytes(body)

    def check(self, body: bytes, service: str, url: object) -> None:
        """Raise AnswerError for a body that is larger."""
        if len(body) > self.megabytes * 1e6:
            raise AnswerError(
                f"{service}: the answer of {url} holds more than {self.megabytes:g} MB. Check the address, or raise the "
                f"limit: {raised(self.megabytes, SIZE_VARIABLE)}"
            )


class HttpClient:
    """Requests to one service, which ``service`` names in errors; a backend keeps one, and closes it in ``close``.

    A whole answer has ``BIASCORE_HTTP_TIMEOUT`` seconds and ``BIASCORE_HTTP_MAX_MB`` megabytes, unpacked. Redirects are not
    followed, because keys are sent along. Nothing is retried: the engine does that. ``session`` sends the credentials it is
    given and never those of a .netrc file. Threads may share a client. Raises MissingExtraError without the
    package requests.
    """

    def __init__(self, service: str) -> None:
        try:
            import requests
        except ImportError as error:
            raise MissingExtraError(f"{service}: requests to a service", "mt") from error
        self.service = service
        self.session = requests.Session()
        self.session.auth = lambda request: request
        for scheme in (
            "http://",
            "https://",
        ):  # a connection for each request at a time, which the default lets go of
            self.session.mount(scheme, requests.adapters.HTTPAdapter(pool_maxsize=_CONNECTIONS))

    def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        data: Any = None,
        json: Any = None,
    ) -> HttpReply:
        """Make one request and read its answer.

        Raises RateLimitError for 429, and for 503 with a Retry-After; TransientModelError for other failures of
        the server or the network; AnswerError for an answer that is not JSON in UTF-8, too large, or a redirect.
        """
        return self.read(self.exchange(method, url, headers, data, json), url)

    def exchange(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        data: Any = None,
        json: Any = None,
    ) -> HttpAnswer:
        """Make one request and take its answer, whatever it says.

        Raises TransientModelError where no whole answer comes in time, AnswerError for one that is too large.
        """
        import requests

        limits = Limits.read()
        try:
            answer: HttpAnswer | str = limits.within(
                lambda: _exchange(self.session, method, url, headers, data, json, limits)
            )
        except requests.ReadTimeout:
            answer = limits.timeout_message
        except requests.RequestException as error:
            answer = type(error).__name__
        except TimeoutError as error:
            answer = str(error)
        if isinstance(
            answer, str
        ):  # Raised out here: the frames of the other error hold the connection open.
            raise TransientModelError(
                f"{self.service}: no whole answer from {url} ({answer}). Check the address and the network, then run "
                "again: the answers so far are kept"
            )
        limits.check(answer.body, self.service, url)
        return answer

    def read(self, answer: HttpAnswer, url: str) -> HttpReply:
        """The answer as JSON; raises what ``send`` does, except for a network that fails."""
        _raise_if_transient(answer, self.service)
        if 300 <= answer.status < 400:
            raise AnswerError(
                f"{self.service}: {url} sends on to {answer.headers.get('location')} (status {answer.status}). Give the "
                "address that it ends at"
            )
        if answer.status >= 400:
            return _refusal(answer)
        return _success(answer, self.service, url)

    def close(self) -> None:
        """Close the connections."""
        self.session.close()


def timeout() -> float:
    """Seconds to wait for an answer, from the environment; raises OptionsError for what is no such number."""
    text = os.environ.get(TIMEOUT_VARIABLE, "")
    try:
        seconds = float(text) if text else _TIMEOUT
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise OptionsError(f"{TIMEOUT_VARIABLE} is {text!r}. Set it to a number of seconds, such as 120")
    return seconds


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that ``Retry-After`` asks to wait, given as a number or as a date; None without one."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def shortened(said: object) -> str:
    """What a server says, in one line and cut for display."""
    text = " ".join(str(said)[: 4 * _SHOWN].split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _exchange(
    session: requests.Session,
    method: str,
    url: str,
    headers: Mapping[str, str] | None,
    data: Any,
    json: Any,
    limits: Limits,
) -> HttpAnswer:
    """The answer, its body cut where it is larger than the limit; raises TimeoutError, RequestException."""
    with session.request(
        method,
        url,
        headers=headers,
        data=data,
        json=json,
        timeout=(_CONNECT_TIMEOUT, limits.seconds),
        allow_redirects=False,
        stream=True,
    ) as response:
        body = limits.joined(response.iter_content(_CHUNK))
        return HttpAnswer(response.status_code, response.headers, body)


def _raise_if_transient(answer: HttpAnswer, service: str) -> None:
    said = shortened(answer.body.decode("utf-8", "replace"))
    wait = retry_after(answer.headers)
    if answer.status in _TOO_MANY or (answer.status == 503 and wait is not None):
        raise RateLimitError(
            f"{service} asks to slow down (status {answer.status}: {said}). Wait, then run again: the answers so "
            "far are kept",
            retry_after=wait,
        )
    if answer.status in _TRANSIENT or answer.status >= 500:
        raise TransientModelError(
            f"{service} failed with status {answer.status}: {said}. Run again later: the answers so far are kept"
        )


def _refusal(answer: HttpAnswer) -> HttpReply:
    text = answer.body.decode("utf-8", "replace")
    try:
        return HttpReply(answer.status, parse_json(text, last_counts=True), text)
    except ValueError:
        return HttpReply(answer.status, None, text)


def _success(answer: HttpAnswer, service: str, url: str) -> HttpReply:
    try:
        text = answer.body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise AnswerError(
            f"{service}: the answer of {url} is not valid UTF-8 at byte {error.start}. Report this to whoever "
            "runs the server"
        ) from error
    try:
        return HttpReply(answer.status, parse_json(text, last_counts=True), text)
    except ValueError as error:
        if "json" in answer.headers.get("content-type", ""):
            raise TransientModelError(
                f"{service}: the answer of {url} breaks off or is garbled ({error}). Run again later: the "
                "answers so far are kept"
            ) from error
        raise AnswerError(
            f"{service}: {url} answers with {text[:60]!r}, which is not JSON. Check the server's address"
        ) from error
