"""Any server of the LibreTranslate API: libretranslate.com, one of your own, or a work-alike."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from pydantic import SecretStr

from biascore.api.adapters import HttpClient, HttpReply, Identity
from biascore.errors import AnswerError, AuthError, QuestionError, UnsupportedLanguageError
from biascore_adapters.mt.service import Limits, TranslationService


class LibreTranslateBackend(TranslationService):
    """Translations by a LibreTranslate server.

    The server sets its own limits and does not tell them with every version; those of the public one are
    kept to: 2,000 characters a request. A longer text goes alone, and the server decides.
    """

    service = "libretranslate"
    limits = Limits(texts=25, size=2_000, unit="characters")
    batch = limits.texts

    def __init__(self, server: str, key: SecretStr | None) -> None:
        self._server, self._key = server, key
        self._targets: dict[str, frozenset[str]] | None = None
        self._asking = threading.Lock()
        self._http = HttpClient(self.service)
        self.identity = Identity(f"service:libretranslate {server}", facts={"server": server})

    def size(self, text: str) -> int:
        """Characters; at most what a request holds, so that no text is too long before the server says so."""
        text.encode()
        return min(len(text), self.limits.size)

    def request(self, texts: Sequence[str], source: str, target: str) -> Sequence[object]:
        """One request; the languages are asked for once, before it."""
        self._check_pair(source, target)
        body = {"q": list(texts), "source": source, "target": target, "format": "text"}
        if self._key is not None:
            body["api_key"] = self._key.get_secret_value()
        url = f"{self._server}/translate"
        reply = self._http.send("POST", url, json=body)
        if reply.status >= 400:
            raise self._refusal(reply)
        found = reply.value.get("translatedText") if isinstance(reply.value, dict) else None
        if not isinstance(found, list):
            raise AnswerError(
                f"libretranslate: {url} answers without a list of translations. Check that it is a server of "
                "the LibreTranslate API, version 1.3 or newer"
            )
        return found

    def _check_pair(self, source: str, target: str) -> None:
        with self._asking:  # the first of several at once
            if self._targets is None:
                self._targets = self._languages()
        if source not in self._targets:
            raise UnsupportedLanguageError(
                f"libretranslate: {self._server} does not translate from {source!r}; it has "
                f"{', '.join(sorted(self._targets))}. Choose one of these, or add the language to the server"
            )
        if target not in self._targets[source]:
            raise UnsupportedLanguageError(
                f"libretranslate: {self._server} does not translate {source} to {target!r}; from {source} it has "
                f"{', '.join(sorted(self._targets[source]))}. Choose one of these, or add it to the server"
            )

    def _languages(self) -> dict[str, frozenset[str]]:
        url = f"{self._server}/languages"
        reply = self._http.send("GET", url)
        if reply.status in (401, 403):
            raise self._refusal(reply)
        rows: Any = reply.value if reply.status == 200 else None
        try:
            codes = [row["code"] for row in rows]
            # Servers older than 1.3.9 name no targets: any language translates to any other.
            found = {row["code"]: frozenset(row.get("targets", codes)) for row in rows}
            "".join(code for own in (found, *found.values()) for code in own)  # TypeError for what is no text
        except (AttributeError, KeyError, TypeError) as error:
            raise AnswerError(
                f"libretranslate: {url} does not list languages (status {reply.status}). Check that the address "
                "is that of a LibreTranslate server, without /translate"
            ) from error
        return found

    def _refusal(self, reply: HttpReply) -> Exception:
        said = reply.message("error")
        if reply.status in (401, 403):
            return AuthError(
                f"libretranslate: {self._server} refuses: {said}. Set LIBRETRANSLATE_API_KEY to a key of this "
                "server"
            )
        return QuestionError(
            f"libretranslate: {self._server} refused the request (status {reply.status}): {said}. Correct the "
            "texts, or the limits of the server"
        )
