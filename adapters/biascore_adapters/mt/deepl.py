"""DeepL, through its official package."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

import deepl
import deepl.http_client
from pydantic import SecretStr

from biascore.api.adapters import HttpClient, Identity
from biascore.api.support import shortened
from biascore.errors import AnswerError, AuthError, QuestionError, QuotaError, UnsupportedLanguageError
from biascore_adapters.mt.options import DeepLOptions
from biascore_adapters.mt.service import Limits, TranslationService

_REQUEST_BYTES: Final = 128 * 1024
_REST_OF_REQUEST: Final = 1024
# "EN" and "PT" as targets are an older form of these, and which one they mean is not documented.
_VARIANTS: Final = {"en": "en-US or en-GB", "pt": "pt-PT or pt-BR"}


class DeepLBackend(TranslationService):
    """Translations by DeepL; at most 50 texts and 128 KiB a request."""

    service = "deepl"
    escapes = True

    def __init__(self, key: SecretStr, options: DeepLOptions) -> None:
        self._options = options
        self._client = _Client(key.get_secret_value(), server_url=options.server)
        taken = len(json.dumps(options.context or "")) + _REST_OF_REQUEST
        self.limits = Limits(texts=50, size=_REQUEST_BYTES - taken, unit="bytes")
        self.batch = self.limits.texts
        self.identity = Identity(f"service:deepl {options.server or 'api.deepl.com'}")

    def request(self, texts: Sequence[str], source: str, target: str) -> Sequence[object]:
        """One request; the source is named without its region, as DeepL takes it."""
        if target.lower() in _VARIANTS:
            raise UnsupportedLanguageError(
                f"deepl: {target!r} is two languages to DeepL. Translate to {_VARIANTS[target.lower()]}"
            )
        options: dict[str, Any] = self._options.model_dump(
            exclude={"server", *self._options.without_effect}, exclude_none=True
        )
        try:
            results = self._client.translate_text(
                list(texts),
                source_lang=source.partition("-")[0].upper(),
                target_lang=target.upper(),
                **options,
            )
        except deepl.AuthorizationException as error:
            raise AuthError(
                "deepl refused the key in DEEPL_AUTH_KEY. Set it to a key of https://www.deepl.com/account that "
                "is for the API, and for this server"
            ) from error
        except deepl.QuotaExceededException as error:
            raise QuotaError(
                "deepl: the quota of this account is used up. Wait for the next billing period or raise it at "
                "https://www.deepl.com/account, then run again: the answers so far are kept"
            ) from error
        except deepl.DeepLException as error:
            raise self._refusal(error, source, target) from error
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise AnswerError(
                f"deepl: the server answers in a form that the deepl package cannot read "
                f"({type(error).__name__}: {shortened(error)}). Check the option server"
            ) from error
        return [result.text for result in results] if isinstance(results, list) else [results.text]

    def close(self) -> None:
        self._client.close()  # type: ignore[no-untyped-call]

    def _refusal(self, error: deepl.DeepLException, source: str, target: str) -> Exception:
        said = shortened(error)
        if re.search(r"'(source|target)_lang' not supported", said):
            return UnsupportedLanguageError(
                f"deepl does not translate {source} to {target} ({said}). Languages: "
                "https://developers.deepl.com/docs/getting-started/supported-languages"
            )
        if error.http_status_code == 404:
            return AnswerError(f"deepl: {said}. Check the option server")
        return QuestionError(f"deepl refused the request: {said}. Correct the options or the texts")


class _OneRequest(deepl.http_client.HttpClient):
    """Makes one request where the package makes up to six, unheard: the engine retries, and counts.

    (The package's own switch, ``max_network_retries``, is global to the process.)
    """

    def __init__(self) -> None:
        super().__init__()
        self._http = HttpClient("deepl")

    def request_with_backoff(  # type: ignore[no-untyped-def]
        self, method: str, url: str, data, json, headers: dict[str, str], stream: bool = False, **kwargs
    ) -> tuple[int, str]:
        """Status and text of the answer; raises what ``send`` does."""
        if stream or kwargs:
            raise NotImplementedError("only texts are translated")
        reply = self._http.send(method, url, headers=headers, data=data or None, json=json)
        return reply.status, reply.text

    def close(self) -> None:
        super().close()  # type: ignore[no-untyped-call]
        self._http.close()


class _Client(deepl.DeepLClient):
    def __init__(self, key: str, server_url: str | None) -> None:
        super().__init__(key, server_url=server_url)
        self._client.close()  # type: ignore[no-untyped-call]
        self._client = _OneRequest()
