"""Amazon Translate, through boto3."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final

import boto3.session
from botocore import exceptions as boto
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.parsers import ResponseParserError

from biascore.api.adapters import HttpClient, Identity
from biascore.api.support import retry_after, shortened
from biascore.errors import (
    AnswerError,
    AuthError,
    OptionsError,
    QuestionError,
    QuotaError,
    RateLimitError,
    TransientModelError,
    UnsupportedLanguageError,
)
from biascore_adapters.mt.options import AmazonOptions
from biascore_adapters.mt.service import Limits, TranslationService

_TOO_FAST: Final = ("ThrottlingException", "TooManyRequestsException", "RequestLimitExceeded")
_USED_UP: Final = ("LimitExceededException", "ServiceQuotaExceededException")
_KEY: Final = (
    *("AccessDeniedException", "ExpiredTokenException", "IncompleteSignature", "InvalidClientTokenId"),
    *("InvalidSignatureException", "MissingAuthenticationTokenException", "OptInRequired"),
    *("SignatureDoesNotMatch", "SubscriptionRequiredException", "UnrecognizedClientException"),
)


class AmazonBackend(TranslationService):
    """Translations by Amazon: one text of at most 10,000 bytes a request."""

    service = "amazon-translate"
    limits = Limits(texts=1, size=10_000, unit="bytes")
    batch = 1

    def __init__(self, options: AmazonOptions) -> None:
        self._settings = {"Formality": options.formality} if options.formality else {}
        # The engine retries, counts and tells; one that is built in would do so unheard.
        config = Config(
            retries={"total_max_attempts": 1},
            user_agent_extra="biascore",
        )
        try:
            self._client = boto3.session.Session().client(
                "translate", region_name=options.region, endpoint_url=options.server, config=config
            )
        except (boto.ProfileNotFound, boto.NoRegionError, boto.ConfigParseError) as error:
            raise OptionsError(
                f"amazon-translate: {error}. Check AWS_PROFILE and the option region"
            ) from error
        self._http = HttpClient(self.service)
        self._http.session.verify = os.environ.get("AWS_CA_BUNDLE") or True
        self._client.meta.events.register("before-send.translate.TranslateText", self._send)
        endpoint = self._client.meta.endpoint_url
        self.identity = Identity(f"service:amazon-translate {endpoint}", facts={"server": endpoint})

    def request(self, texts: Sequence[str], source: str, target: str) -> Sequence[object]:
        """One request, for the one text."""
        arguments: dict[str, Any] = {"SourceLanguageCode": source, "TargetLanguageCode": target}
        if self._settings:
            arguments["Settings"] = self._settings
        failed = ""
        try:
            found = [
                self._client.translate_text(Text=text, **arguments).get("TranslatedText") for text in texts
            ]
        except boto.ClientError as error:
            raise _refusal(error, source, target) from error
        except (
            boto.NoCredentialsError,
            boto.PartialCredentialsError,
            boto.CredentialRetrievalError,
        ) as error:
            raise AuthError(
                f"amazon-translate: {error}. Export AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
            ) from error
        except boto.ParamValidationError as error:  # a tag that is too short or long to be one of theirs
            raise UnsupportedLanguageError(
                f"amazon-translate does not translate {source} to {target} ({error}). Languages: {_LANGUAGES}"
            ) from error
        except (boto.HTTPClientError, boto.ConnectionError, ResponseParserError) as error:
            failed = type(error).__name__
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise AnswerError(
                f"amazon-translate: the server answers in a form that boto3 cannot read ({type(error).__name__}: "
                f"{shortened(error)}). Check the option server"
            ) from error
        if failed:  # Raised out here: the frames of the other error hold the connection open.
            raise TransientModelError(
                f"amazon-translate: no whole answer from {self._client.meta.endpoint_url} ({failed}). Check the "
                "address, the region and the network, then run again: the answers so far are kept"
            )
        return [text for text in found if text is not None]

    def close(self) -> None:
        self._client.close()
        super().close()

    def _send(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:  # botocore calls with what it has
        """Send the signed request as every service's is sent, within the limits that boto3 has not.

        Raises for a transient failure, and for a body that boto3 would take for an empty one.
        """
        answer = self._http.exchange(request.method, request.url, dict(request.headers), request.body)
        self._http.read(answer, self._client.meta.endpoint_url)
        return AWSResponse(request.url, answer.status, answer.headers, _Body(answer.body))


class _Body:
    """A body that was read already, as botocore takes it."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self) -> tuple[bytes]:
        """The body in one piece."""
        return (self._content,)


_LANGUAGES: Final = "https://docs.aws.amazon.com/translate/latest/dg/what-is-languages.html"


def _refusal(error: boto.ClientError, source: str, target: str) -> Exception:
    """The error that Amazon's code represents."""
    code = shortened(error.response["Error"].get("Code", ""))
    said = shortened(error.response["Error"].get("Message", ""))
    if code in _TOO_FAST:
        headers = error.response["ResponseMetadata"].get("HTTPHeaders", {})
        return RateLimitError(
            f"amazon-translate asks to slow down ({code}). Wait, then run again: the answers so far are kept",
            retry_after=retry_after(headers),
        )
    if code in _USED_UP:
        return QuotaError(
            f"amazon-translate: a quota of this account is used up ({said}). Raise it under Service Quotas, then run "
            "again: the answers so far are kept"
        )
    if code in _KEY:
        return AuthError(
            f"amazon-translate refused the credentials ({code}: {said}). Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY "
            "or AWS_PROFILE, and that they allow translate:TranslateText"
        )
    if code == "UnsupportedLanguagePairException":
        return UnsupportedLanguageError(
            f"amazon-translate does not translate {source} to {target} ({said}). Languages: {_LANGUAGES}"
        )
    if error.response["ResponseMetadata"].get("HTTPStatusCode") == 404:
        return AnswerError(f"amazon-translate: status 404 ({said}). Check the option server")
    return QuestionError(
        f"amazon-translate refused the request ({code}: {said}). Correct the options or the texts"
    )
