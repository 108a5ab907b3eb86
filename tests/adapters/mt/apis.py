"""The translation APIs as their documentation describes them: what they take, limit, refuse and answer."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from .server import Request, translated

KEY = "a-secret-key"


class DeepLApi:
    """POST /v2/translate: 50 texts, 128 KiB; 403, 456, 400 for languages (developers.deepl.com/api-reference)."""

    TARGETS = frozenset({"DE", "ES", "EN-US", "EN-GB", "RU", "PT-BR"})

    def __init__(self) -> None:
        self.charged: list[str] = []
        self.quota: int | None = None

    def is_translation(self, request: Request) -> bool:
        return request.path == "/v2/translate"

    def error(self, status: int) -> Any:
        return {"message": f"error {status}"}

    def answer(self, request: Request, *, lose: int) -> tuple[int, Any]:
        if not self.is_translation(request):
            return 404, {"message": "not found"}
        if request.headers.get("authorization") != f"DeepL-Auth-Key {KEY}":
            return 403, {}
        if len(request.body) > 128 * 1024:
            return 413, {"message": "Request Entity Too Large"}
        asked = request.json()
        texts, target = asked["text"], asked["target_lang"]
        if len(texts) > 50:
            return 400, {"message": "Bad request. Reason: Too many texts"}
        if target not in self.TARGETS:
            return 400, {"message": "Value for 'target_lang' not supported."}
        if asked["source_lang"] not in ("EN", "DE"):
            return 400, {"message": "Value for 'source_lang' not supported."}
        if asked.get("formality") in ("more", "less") and target == "RU":
            return 400, {"message": "'formality' is not supported for given 'target_lang'."}
        if self.quota is not None and sum(map(len, [*self.charged, *texts])) > self.quota:
            return 456, {"message": "Quota Exceeded"}
        self.charged += texts
        rows = [
            {"detected_source_language": "EN", "text": translated(t, target), "billed_characters": len(t)}
            for t in texts
        ]
        return 200, {"translations": rows[lose:]}


class LibreTranslateApi:
    """GET /languages, POST /translate with a list (libretranslate.com/docs)."""

    TARGETS = ("de", "es", "ru", "en")

    def __init__(self) -> None:
        self.charged: list[str] = []
        self.key: str | None = None
        self.limit = 2_000
        self.old = False

    def is_translation(self, request: Request) -> bool:
        return request.path == "/translate"

    def error(self, status: int) -> Any:
        return {"error": f"error {status}"}

    def answer(self, request: Request, *, lose: int) -> tuple[int, Any]:
        if request.path == "/languages":
            targets = {} if self.old else {"targets": list(self.TARGETS)}
            return 200, [{"code": code, "name": code.upper(), **targets} for code in ("en", "de", "es", "ru")]
        if not self.is_translation(request):
            return 404, {"error": "Not found"}
        asked = request.json()
        if self.key is not None and asked.get("api_key") != self.key:
            return 403, {"error": "Invalid API key"}
        texts, target = asked["q"], asked["target"]
        if sum(map(len, texts)) > self.limit:
            return 400, {"error": f"Invalid request: request exceeds text limit ({self.limit})"}
        if target not in self.TARGETS or asked["source"] not in self.TARGETS:
            return 400, {"error": f"{target} is not supported"}
        self.charged += texts
        return 200, {"translatedText": [translated(text, target) for text in texts][lose:]}


class GoogleApi:
    """POST /language/translate/v2: 128 texts, 100 kB (cloud.google.com/translate/docs/reference/rest/v2)."""

    LANGUAGES = frozenset({"en", "de", "es", "ru"})

    def __init__(self) -> None:
        self.charged: list[str] = []
        self.refuse: tuple[int, str, str] | None = None

    def is_translation(self, request: Request) -> bool:
        return request.path == "/language/translate/v2"

    def error(self, status: int, message: str = "error", reason: str = "backendError") -> Any:
        detail = {"message": message, "domain": "global", "reason": reason}
        return {"error": {"code": status, "message": message, "errors": [detail], "status": "ERROR"}}

    def answer(self, request: Request, *, lose: int) -> tuple[int, Any]:
        if not self.is_translation(request):
            return 404, self.error(404)
        if self.refuse is not None:
            return self.refuse[0], self.error(*self.refuse)
        if request.headers.get("x-goog-api-key") != KEY:
            found = self.error(400, "API key not valid. Please pass a valid API key.", "badRequest")
            found["error"]["details"] = [{"@type": "ErrorInfo", "reason": "API_KEY_INVALID"}]
            return 400, found
        if len(request.body) > 100_000:
            return 400, self.error(400, "Request payload size exceeds the limit", "badRequest")
        asked = request.json()
        texts, target = asked["q"], asked["target"]
        if len(texts) > 128:
            return 400, self.error(400, "Too many text segments", "invalid")
        if asked["format"] != "text":
            return 400, self.error(400, "Answers would be HTML", "invalid")
        if target not in self.LANGUAGES:
            return 400, self.error(400, "Invalid Value", "invalid")
        if asked["source"] not in self.LANGUAGES:
            return 400, self.error(400, f"Bad language pair: {asked['source']}|{target}", "badRequest")
        self.charged += texts
        rows = [{"translatedText": translated(text, target)} for text in texts]
        return 200, {"data": {"translations": rows[lose:]}}


class AmazonApi:
    """TranslateText, AWS JSON 1.1: one text of 10,000 bytes (docs.aws.amazon.com/translate/latest/APIReference)."""

    LANGUAGES = frozenset({"en", "de", "es", "ru"})

    def __init__(self) -> None:
        self.charged: list[str] = []
        self.refuse: str | None = None

    def is_translation(self, request: Request) -> bool:
        return request.headers.get("x-amz-target", "").endswith(".TranslateText")

    def error(self, status: int | str) -> Any:
        return {"__type": str(status), "message": f"error {status}"}

    def answer(self, request: Request, *, lose: int) -> tuple[int, Any]:
        if f"Credential={KEY}/" not in request.headers.get("authorization", ""):
            return 400, self.error("UnrecognizedClientException")
        if self.refuse is not None:
            return 400, self.error(self.refuse)
        asked = request.json()
        text, target = asked["Text"], asked["TargetLanguageCode"]
        if len(text.encode()) > 10_000:
            return 400, self.error("TextSizeLimitExceededException")
        if not {asked["SourceLanguageCode"], target} <= self.LANGUAGES:
            return 400, {"__type": "UnsupportedLanguagePairException", "message": f"{asked} is no pair"}
        self.charged.append(text)
        found = {"TranslatedText": translated(text, target)} if not lose else {}
        return 200, {**found, "SourceLanguageCode": asked["SourceLanguageCode"], "TargetLanguageCode": target}


class ApertiumApi:
    """GET /listPairs, POST /translate of a form with one text (wiki.apertium.org/wiki/Apertium-apy)."""

    PAIRS = (("eng", "spa"), ("eng", "deu"), ("eng", "rus"), ("eng", "hbs_HR"), ("eng", "por_BR"))

    def __init__(self) -> None:
        self.charged: list[str] = []

    def is_translation(self, request: Request) -> bool:
        return request.path == "/translate"

    def error(self, status: int) -> Any:
        return {"status": "error", "code": status, "message": f"error {status}", "explanation": "why"}

    def answer(self, request: Request, *, lose: int) -> tuple[int, Any]:
        if request.path == "/listPairs":
            rows = [{"sourceLanguage": one, "targetLanguage": other} for one, other in self.PAIRS]
            return 200, {"responseData": rows, "responseDetails": None, "responseStatus": 200}
        if not self.is_translation(request):
            return 404, self.error(404)
        form = dict(parse_qsl(request.body.decode(), keep_blank_values=True, strict_parsing=True))
        source, target = form["langpair"].split("|")
        if (source, target) not in self.PAIRS:
            return 400, self.error(400)
        assert form["markUnknown"] == "no"
        self.charged.append(form["q"])
        tags = {"spa": "es", "deu": "de", "rus": "ru", "hbs_HR": "hr", "por_BR": "pt-br"}
        data = {} if lose else {"translatedText": translated(form["q"], tags[target])}
        return 200, {"responseData": data, "responseDetails": None, "responseStatus": 200}
