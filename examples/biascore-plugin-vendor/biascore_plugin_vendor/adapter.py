"""``vendor:NAME``: sentence vectors of a service that needs a key."""

import os
from typing import Literal

import numpy as np
from biascore.api.adapters import Adapter, Backend, HttpClient, Identity, ServiceOptions, hookimpl
from biascore.errors import AnswerError, AuthError, ModelLoadError, QuestionError

KEY = "VENDOR_KEY"


class VendorOptions(ServiceOptions):
    """``server``: the address of the service. ``purpose``: what the vectors are for."""

    server: str = "https://api.vendor.example"
    purpose: Literal["similarity", "search"] = "similarity"


class VendorBackend(Backend):
    """One model of the service."""

    batch = 16  # texts a request, which is a call: its answers are kept together

    def __init__(self, name, options):
        self.in_flight = options.concurrency
        self._http = HttpClient("vendor")
        self._name, self._options = name, options
        try:
            about = self._ask("GET", f"/v1/models/{name}")
        except BaseException:
            self._http.close()
            raise
        self.identity = Identity(
            f"service:vendor {options.server} {name} {about['version']}",
            sentence_vector="as the service gives it",
            facts={"version": about["version"]},
        )

    @hookimpl
    def embed(self, texts, level):
        """A word in a text, at ``level="token"``, is sent alone: the service gives one vector for each text."""
        sent = [text.text[slice(*text.span)] if level == "token" else text.text for text in texts]
        body = {"model": self._name, "purpose": self._options.purpose, "texts": sent}
        vectors = self._ask("POST", "/v1/embed", body).get("vectors")
        if not isinstance(vectors, list) or len(vectors) != len(sent):
            raise AnswerError(f"vendor gives no vector for each of {len(sent)} texts. Ask its support")
        return np.array(vectors, dtype=np.float32)

    def close(self):
        self._http.close()

    def _ask(self, method, path, body=None):
        key = os.environ.get(KEY, "")  # read when it is sent, and kept nowhere
        headers = {"Authorization": f"Bearer {key}"}
        reply = self._http.send(method, self._options.server + path, headers=headers, json=body)
        said = reply.message("error")
        if reply.status in (401, 403):
            raise AuthError(f"vendor refuses the key: {said}. Set it: export {KEY}=...")
        if reply.status == 404:
            raise ModelLoadError(
                f"vendor:{self._name}: {said}. Give the name of a model, such as vendor:small"
            )
        if reply.status == 413:
            raise QuestionError(f"vendor: a text is too long: {said}. Leave it out")
        if reply.status != 200 or not isinstance(reply.value, dict):
            raise AnswerError(f"vendor: status {reply.status}: {said}. Check the option server")
        return reply.value


class VendorAdapter(Adapter[VendorOptions]):
    """Opens the models of the service."""

    id = "vendor"
    summary = "sentence vectors of the vendor's service"
    example = "vendor:small"
    capabilities = frozenset({"embed"})
    extra = "mt"
    key_env_var = KEY
    answers_version = "1"
    on_workers = False

    def load(self, ref, options, context):
        if not ref.locator:
            raise ModelLoadError("vendor: names no model. Write vendor:small")
        if not os.environ.get(KEY):
            raise AuthError(f"{ref} needs a key, and {KEY} is not set. Set it: export {KEY}=...")
        return VendorBackend(ref.locator, options)
