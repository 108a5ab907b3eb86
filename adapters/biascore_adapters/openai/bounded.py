"""An HTTP client for the openai package that takes answers within limits of time and size."""

from __future__ import annotations

from typing import Any

import httpx2
import openai

from biascore.api.support import Limits


class BoundedClient(openai.DefaultHttpxClient):
    """Gives a whole answer ``BIASCORE_HTTP_TIMEOUT`` seconds and ``BIASCORE_HTTP_MAX_MB`` megabytes, unpacked.

    Redirects are not followed: the key would be sent along. What fails raises httpx2.TransportError, or AnswerError for what
    is too large.
    """

    def __init__(self) -> None:
        super().__init__(follow_redirects=False)

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
