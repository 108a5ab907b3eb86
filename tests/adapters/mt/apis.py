"""The translation APIs as their documentation describes them: what they take, limit, refuse and answer."""

from __future__ import annotations

from typing import Any

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
