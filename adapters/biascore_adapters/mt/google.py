"""Google Cloud Translation, Basic edition: the REST API, version 2.

The official client wraps this very request, and brings gRPC, fixed time-outs and its own idea of
credentials; that of version 3 takes no API key and speaks plain HTTP only with a transport built by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from pydantic import SecretStr

from biascore.api.adapters import HttpClient, HttpReply, Identity
from biascore.api.support import shortened
from biascore.errors import (
    AnswerError,
    AuthError,
    QuestionError,
    QuotaError,
    RateLimitError,
    UnsupportedLanguageError,
)
from biascore_adapters.mt.options import GoogleOptions
from biascore_adapters.mt.service import Limits, TranslationService

SERVER: Final = "https://translation.googleapis.com"
_REST_OF_REQUEST: Final = 1_000
_TOO_FAST: Final = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
_USED_UP: Final = frozenset({"dailyLimitExceeded", "quotaExceeded"})


class GoogleBackend(TranslationService):
    """Translations by Google; at most 128 texts and 100,000 bytes a request."""

    service = "google-translate"
    escapes = True
    limits = Limits(texts=128, size=100_000 - _REST_OF_REQUEST, unit="bytes")
    batch = limits.texts

    def __init__(self, key: SecretStr, options: GoogleOptions) -> None:
        self._key, self._model = key, options.model
        server = (options.server or SERVER).rstrip("/")
        self._url = f"{server}/language/translate/v2"
        self._http = HttpClient(self.service)
        self.identity = Identity(f"service:google-translate v2 {server}")

    def request(self, texts: Sequence[str], source: str, target: str) -> Sequence[object]:
        body: dict[str, Any] = {"q": list(texts), "source": source, "target": target, "format": "text"}
        if self._model is not None:
            body["model"] = self._model
        headers = {"X-Goog-Api-Key": self._key.get_secret_value()}
        reply = self._http.send("POST", self._url, headers=headers, json=body)
        if reply.status >= 400:
            raise _refusal(reply, source, target)
        try:
            return [row["translatedText"] for row in reply.value["data"]["translations"]]
        except (KeyError, TypeError) as error:
            raise AnswerError(
                f"google-translate: {self._url} answers without translations. Check the option server"
            ) from error


def _refusal(reply: HttpReply, source: str, target: str) -> Exception:
    """The error that a status of 400 and more represents."""
    error = reply.value.get("error") if isinstance(reply.value, dict) else None
    if not isinstance(error, dict):
        return AnswerError(
            f"google-translate: status {reply.status} without Google's form of an error. Check the option server"
        )
    said = shortened(error.get("message", ""))
    reasons = set(re.findall(r'"reason": "(\w+)"', json.dumps(error)))
    if reasons & _TOO_FAST:
        return RateLimitError(f"google-translate asks to slow down ({said}). Wait, then run again")
    if reasons & _USED_UP:
        return QuotaError(
            f"google-translate: the quota of this project is used up ({said}). Raise it or wait for midnight, Pacific "
            "time, then run again: the answers so far are kept"
        )
    if reply.status in (401, 403) or "API_KEY_INVALID" in reasons:
        return AuthError(
            f"google-translate refused the key in GOOGLE_API_KEY: {said}. Check the key, what it is restricted to, and "
            "that the Cloud Translation API is enabled"
        )
    if re.search(r"language pair|invalid value", said, re.IGNORECASE):
        return UnsupportedLanguageError(
            f"google-translate does not translate {source} to {target} ({said}). Languages: "
            "https://cloud.google.com/translate/docs/languages"
        )
    return QuestionError(
        f"google-translate refused the request (status {reply.status}): {said}. Correct the options or the texts"
    )
