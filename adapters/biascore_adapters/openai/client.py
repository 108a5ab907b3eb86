"""Requests to a server of the OpenAI API, through the official package; failures become errors of biascore."""

from __future__ import annotations

import operator
import os
import re
import ssl
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

import httpx2
import openai
from pydantic import SecretStr

from biascore.api.formats import parse_json
from biascore.api.support import Limits, retry_after, shortened
from biascore.api.writing import Settings
from biascore.errors import (
    AnswerError,
    AuthError,
    BiascoreError,
    QuestionError,
    QuotaError,
    RateLimitError,
    TransientModelError,
)
from biascore_adapters.openai.options import OpenAIOptions


class BoundedClient(openai.DefaultHttpxClient):
    """Gives a whole answer ``BIASCORE_HTTP_TIMEOUT`` seconds and ``BIASCORE_HTTP_MAX_MB`` megabytes, unpacked.

    Redirects are not followed: the key would be sent along. What fails raises httpx2.TransportError, or AnswerError for what
    is too large.
    """

    def __init__(self) -> None:
        super().__init__(follow_redirects=False, verify=_trusted(*map(os.environ.get, _CERTIFICATES)))

    def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:  # noqa: ARG002
        """The response, read whole."""
        limits = Limits.read()

        def whole() -> httpx2.Response:
            response = super(BoundedClient, self).send(request, stream=True, **options)
            try:
                body = limits.joined(response.iter_bytes())
            finally:
                response.close()
            headers = [
                (name, value)
                for name, value in response.headers.multi_items()
                if name not in ("content-encoding", "content-length", "transfer-encoding")
            ]
            return httpx2.Response(response.status_code, headers=headers, content=body, request=request)

        try:
            response = limits.within(whole)
        except TimeoutError as error:
            raise httpx2.ReadTimeout(str(error), request=request) from None
        limits.check(response.content, "openai", request.url)
        return response


_CERTIFICATES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")


@lru_cache(maxsize=8)  # a model opened takes some 40 ms less where they are read already
def _trusted(*_set: str | None) -> ssl.SSLContext:
    """The certificates that these variables name, or those of the system."""
    return httpx2.create_ssl_context()


_LATER: Final = "Run again later: the answers so far are kept"
_PASSING: Final = (408, 409, 425)
_DATED: Final = re.compile(
    r"-(20\d\d-(0[1-9]|1[0-2])-([0-2]\d|3[01])|(20)?\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])|"
    r"(0[1-9]|1[0-2])([0-2]\d|3[01])|2\d(0[1-9]|1[0-2]))"
)
"""2024-08-06, 20240806, 240806, 0613 (a day of a year) or 2411 (a month of one)."""


class NoSuchPage(AnswerError):
    """A server that does not know the address, or the model."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said: its text, why it stopped, its own word of refusal, the likeliest first tokens, and how many were
    generated (None: not reported)."""

    text: str
    finish: str
    refusal: str
    first: dict[str, float] | None
    tokens: int | None = None


Prompt = str | tuple[int, ...]
"""A text, or the ids of its tokens."""


class Piece(NamedTuple):
    """A token's id, and whether it is text by itself: of letters outside the vocabulary it is a byte."""

    id: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Completed:
    """The tokens of a completion, those of the prompt first where it is echoed, and their log-probabilities (None: none).

    ``ids``: those of the tokens, empty where the server does not tell them. ``prompt_tokens``: how many the server counts
    in the prompt, None where it does not say. ``top``: the id, text and log-probability of the likeliest first tokens.
    """

    tokens: tuple[str, ...]
    logprobs: tuple[float | None, ...]
    prompt_tokens: int | None = None
    ids: tuple[int, ...] = ()
    top: tuple[tuple[int, str, float], ...] = ()


class ChatClient:
    """One model on one server; each request is sent once, because the engine retries transient errors."""

    def __init__(self, model: str, key: SecretStr, options: OpenAIOptions) -> None:
        self.model, self._options = model, options
        self.answered_as: dict[str, None] = {}
        self.server = options.base_url or "https://api.openai.com/v1"
        self._client = openai.OpenAI(
            api_key=key.get_secret_value(),
            base_url=self.server,
            max_retries=0,
            http_client=BoundedClient(),
            timeout=Limits.read().seconds,
        )
        own = "max_completion_tokens" if options.base_url is None else "max_tokens"
        self._limit = options.token_limit or own

    def ask(
        self,
        prompt: str,
        tokens: int,
        *,
        top: int = 0,
        seed: int | None = None,
        system: str | None = None,
        settings: Settings | None = None,
    ) -> Reply:
        """The answer to a prompt, of at most so many tokens; with the ``top`` likeliest first tokens.

        ``seed`` is sent in the place of the option's, and then a temperature of 0 becomes 1, so that the answer is drawn;
        with ``settings`` their temperature and top_p are sent. ``system``: a system prompt in the place of the option's.
        Raises AuthError, QuotaError, RateLimitError, TransientModelError, QuestionError or AnswerError.
        """
        options = self._options
        system = options.system_prompt if system is None else system
        messages = [] if system is None else [{"role": "system", "content": system}]
        asked: dict[str, Any] = {
            "model": self.model,
            "messages": [*messages, {"role": "user", "content": prompt}],
            self._limit: tokens,
        }
        if options.temperature != "server" and settings is not None:
            asked["temperature"] = settings.temperature
            if settings.top_p < 1:
                asked["top_p"] = settings.top_p
        elif options.temperature != "server":
            asked["temperature"] = options.temperature if seed is None else options.temperature or 1.0
        if (sent := options.seed if seed is None else seed) is not None:
            asked["seed"] = sent
        if top:
            asked |= {"logprobs": True, "top_logprobs": top}
        return self._read(self._sent("/chat/completions", asked))

    def complete(
        self, prompt: Prompt, *, echo: bool = False, forced: Sequence[int] = (), top: int = 1
    ) -> Completed:
        """The next token after a text, without a chat template; with ``echo`` the tokens of the text before it.

        ``forced``: the ids of the tokens that are generated, by a grammar as llama.cpp reads them. Raises as ``ask`` does.
        """
        asked: dict[str, Any] = {
            "model": self.model,
            "prompt": prompt,
            "max_tokens": len(forced) or 1,
            "temperature": 0,
            "logprobs": top,
        }
        if echo:
            asked["echo"] = True
        if forced:
            asked["grammar"] = "root ::= " + " ".join(f"<[{one}]>" for one in forced)
        value = self._sent("/completions", asked)
        try:
            (choice,) = value["choices"]
            completed = _completed(
                choice.get("logprobs") or {}, (value.get("usage") or {}).get("prompt_tokens")
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._another_form("a completion", error) from error
        self._check_name(value)
        self._check_logprobs(one for one in completed.logprobs if one is not None)
        if len(completed.tokens) != len(completed.logprobs):
            raise AnswerError(
                f"openai: {self.server} gives {len(completed.tokens)} tokens and {len(completed.logprobs)} "
                "log-probabilities. Report it to whoever runs the server"
            )
        return completed

    def tokenised(self, text: str, *, special: bool) -> tuple[Piece, ...] | None:
        """A text's tokens, with those that the model wants around it where ``special``; None of a server that does not tell
        them.

        vLLM and llama.cpp call the text and the switch by different names. Raises as ``ask`` does.
        """
        vllm = {"model": self.model, "prompt": text, "add_special_tokens": special}
        llama = {"content": text, "add_special": special, "with_pieces": True}
        root = self.server.removesuffix("/").removesuffix("/v1")
        try:
            value = self._sent(f"{root}/tokenize", vllm | llama)
        except NoSuchPage:
            return None
        try:
            return tuple(
                Piece(operator.index(one["id"]), isinstance(one["piece"], str))
                if isinstance(one, dict)
                else Piece(operator.index(one), whole=True)
                for one in value["tokens"]
            )
        except (KeyError, TypeError) as error:
            raise self._another_form("a list of tokens", error) from error

    def _sent(self, path: str, asked: dict[str, Any]) -> Any:
        """The JSON of an answer; raises NoSuchPage for status 404."""
        try:
            response = self._client.post(path, cast_to=httpx2.Response, body=asked)
        except openai.APIStatusError as error:
            raise self._refusal(error) from None
        except openai.APIError as error:
            cause = error.__cause__
            if isinstance(cause, BiascoreError):
                raise cause from None
            if isinstance(error, openai.APITimeoutError) and not isinstance(cause, httpx2.ConnectTimeout):
                late = Limits.read().timeout_message
                raise TransientModelError(
                    f"openai: {self.server} gives no whole answer ({late}). The answers so far are kept"
                ) from None
            raise TransientModelError(
                f"openai: {self.server} gives no whole answer ({type(error).__name__}: {shortened(cause or error)}). Check "
                "the address and that the server runs"
            ) from None
        try:
            value = parse_json(response.content, last_counts=True)
        except ValueError as error:
            if "json" in response.headers.get("content-type", ""):
                raise TransientModelError(
                    f"openai: the answer of {self.server} breaks off or is garbled ({error}). Run again later: the answers "
                    "so far are kept"
                ) from error
            said = shortened(response.content[:60].decode("utf-8", "replace"))
            raise AnswerError(
                f"openai: {self.server} answers with {said!r}, which is no JSON of one answer. "
                + (
                    "It streams though this was not asked: turn that off"
                    if said.startswith("data:")
                    else "Check the option base_url, which often ends with /v1"
                )
            ) from error
        failed = value.get("error") if isinstance(value, dict) and "choices" not in value else None
        if failed:  # some gateways say so with a status of success
            why = failed.get("message") if isinstance(failed, dict) else failed
            raise TransientModelError(f"openai: {self.server} failed ({shortened(why)}). {_LATER}")
        return value

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _read(self, value: Any) -> Reply:
        try:
            (choice,) = value["choices"]
            message = choice["message"]
            text, refusal = message.get("content"), message.get("refusal") or ""
            if isinstance(text, list):  # thoughts are parts of another type
                text = "".join(part["text"] for part in text if part["type"] == "text")
            finish = str(choice.get("finish_reason") or "")
            first = choice["logprobs"]["content"][0]["top_logprobs"] if choice.get("logprobs") else None
            found = None if first is None else {str(one["token"]): float(one["logprob"]) for one in first}
            counted = (value.get("usage") or {}).get("completion_tokens")
            counted = counted if type(counted) is int and counted >= 0 else None
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise self._another_form("one message", error) from error
        self._check_name(value)
        if text is not None and not isinstance(text, str):
            raise self._another_form("a text", TypeError(type(text).__name__))
        self._check_logprobs((found or {}).values())
        return Reply(text or "", finish, str(refusal), found, counted)

    def _another_form(self, wanted: str, error: Exception) -> AnswerError:
        return AnswerError(
            f"openai: {self.server} answers with another form than {wanted} ({type(error).__name__}: "
            f"{shortened(error)}). It may be no server of that kind: check the option base_url"
        )

    def _check_name(self, value: Any) -> None:
        name, wanted = value.get("model"), self._options.answers_as or self.model
        if name is not None and not _names(str(name), wanted):
            raise AnswerError(
                f"openai: {self.model!r} was asked, and {name!r} answered. Name that model, or accept it with the option "
                f"answers_as={name}"
            )
        if name is not None:
            self.answered_as[str(name)] = None

    def _check_logprobs(self, values: Iterable[float]) -> None:
        if any(not value <= 1e-6 for value in values):
            raise AnswerError(
                f"openai: {self.server} gives a log-probability that is positive or not a number. Ask by text, or report "
                "it to whoever runs the server"
            )

    def _refusal(self, error: openai.APIStatusError) -> Exception:
        status, said = error.status_code, shortened(error.message)
        if status in (401, 403):
            refused = (
                "refused the key in"
                if os.environ.get("OPENAI_API_KEY")
                else "asks for a key, and there is none in"
            )
            return AuthError(
                f"openai: {self.server} {refused} OPENAI_API_KEY ({said}). Set it to one for this server"
            )
        if status == 429 and error.code == "insufficient_quota":
            return QuotaError(
                f"openai: the quota of this account is used up ({said}). Raise it, then run again"
            )
        if status == 429:
            wait = retry_after(error.response.headers)
            so_long = "" if wait is None else f", and to wait {wait:,.0f} s"
            return RateLimitError(f"openai: {self.server} asks to slow down{so_long}. {_LATER}", wait)
        if status >= 500 or status in _PASSING:
            return TransientModelError(
                f"openai: {self.server} failed with status {status} ({said}). {_LATER}"
            )
        if status == 404:
            return NoSuchPage(
                f"openai: {self.server} has no model {self.model!r}, or is no such server ({said}). Check both"
            )
        if 300 <= status < 400:
            return AnswerError(
                f"openai: {self.server} redirects, which is not followed. Set base_url to the address meant"
            )
        return QuestionError(
            f"openai: {self.server} refused the request ({said}). Correct the options or the texts"
        )


def _names(name: str, wanted: str) -> bool:
    """Whether the name in an answer is the model's: itself, or with a date behind. ``gpt-4o-mini`` is no ``gpt-4o``."""
    return name == wanted or (name.startswith(wanted) and bool(_DATED.fullmatch(name[len(wanted) :])))


def _completed(told: dict[str, Any], counted: Any) -> Completed:
    """What a choice tells of its tokens, in the form of completions, or in that of chats as llama.cpp does."""
    if "content" not in told:
        values = [None if one is None else float(one) for one in told.get("token_logprobs") or []]
        tokens = tuple(map(str, told.get("tokens") or []))
        return Completed(tokens, tuple(values), None if counted is None else int(counted))
    entries = told["content"]
    first = entries[0].get("top_logprobs") or [] if entries else []
    return Completed(
        tuple(str(one["token"]) for one in entries),
        tuple(float(one["logprob"]) for one in entries),
        None if counted is None else int(counted),
        tuple(int(one["id"]) for one in entries if "id" in one),
        tuple((int(one["id"]), str(one["token"]), float(one["logprob"])) for one in first if "id" in one),
    )
