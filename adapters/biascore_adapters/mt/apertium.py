"""Apertium: rule-based translation by a server of its own, apertium-apy."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final

from biascore.api.adapters import HttpClient, Identity
from biascore.errors import AnswerError, QuestionError, UnsupportedLanguageError
from biascore_adapters.languages import subtags, three_letters
from biascore_adapters.mt.service import Limits, TranslationService

# One language with variants to Apertium, three to BCP 47.
_VARIANTS: Final = {"bs": "hbs_BS", "hr": "hbs_HR", "sr": "hbs_SR"}


class ApertiumBackend(TranslationService):
    """Translations by Apertium, one text a request; words that it does not know stay as they are, unmarked."""

    service = "apertium"
    limits = Limits(texts=1, size=100_000, unit="bytes")
    batch = 1

    def __init__(self, server: str) -> None:
        self._server = server
        self._pairs: frozenset[tuple[str, str]] | None = None
        self._asking = threading.Lock()
        self._http = HttpClient(self.service)
        self.identity = Identity(f"service:apertium {server}", facts={"server": server})

    def request(self, texts: Sequence[str], source: str, target: str) -> Sequence[object]:
        """One request, for the one text; the pairs are asked for once, before it."""
        pair = self._pair(source, target)
        url = f"{self._server}/translate"
        found: list[object] = []
        for text in texts:
            form = {"langpair": "|".join(pair), "q": text, "markUnknown": "no"}
            reply = self._http.send("POST", url, data=form)
            if reply.status >= 400:
                raise QuestionError(
                    f"apertium: {self._server} refused the request: {reply.message('explanation', 'message')}. Correct "
                    "the text, or look into the server's log"
                )
            try:
                found.append(reply.value["responseData"]["translatedText"])
            except (KeyError, TypeError) as error:
                raise AnswerError(
                    f"apertium: {url} answers without a translation. Check that it is an apertium-apy server"
                ) from error
        return found

    def _pair(self, source: str, target: str) -> tuple[str, str]:
        with self._asking:  # the first of several at once
            if self._pairs is None:
                self._pairs = self._installed()
        pair = _code(source), _code(target)
        if pair not in self._pairs:
            raise UnsupportedLanguageError(
                f"apertium: {self._server} does not translate {source} to {target} ({'-'.join(pair)}); it has "
                f"{', '.join(sorted(map('-'.join, self._pairs)))}. Choose one of these, or install the package of "
                "that pair where the server runs"
            )
        return pair

    def _installed(self) -> frozenset[tuple[str, str]]:
        url = f"{self._server}/listPairs"
        reply = self._http.send("GET", url)
        rows: Any = reply.value if reply.status == 200 else None
        try:
            found = frozenset((row["sourceLanguage"], row["targetLanguage"]) for row in rows["responseData"])
            "".join(code for pair in found for code in pair)  # TypeError for what is no text
        except (KeyError, TypeError) as error:
            raise AnswerError(
                f"apertium: {url} does not list language pairs (status {reply.status}). Check that the address is "
                "that of an apertium-apy server"
            ) from error
        return found


def _code(tag: str) -> str:
    """Apertium's code of a language: ``eng``, ``por_BR``."""
    language, _, region = subtags(tag)
    code = _VARIANTS.get(language, three_letters(language))
    return f"{code}_{region}" if region and "_" not in code else code
