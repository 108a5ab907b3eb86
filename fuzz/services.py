"""Services as readers: a server on loopback that answers whatever it is asked with the input."""

from __future__ import annotations

import json
import os
import threading
from functools import cache
from pathlib import Path
from socketserver import StreamRequestHandler, TCPServer
from typing import Any

from . import seeds
from .reader import KEY, Reader, engine


class _Server(TCPServer):
    allow_reuse_address = True
    status, body = 200, b""


class _Answers(StreamRequestHandler):
    def handle(self) -> None:
        length, asked = 0, self.rfile.readline().split(b" ")
        while line := self.rfile.readline().strip().lower():
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        self.rfile.read(length)
        server: Any = self.server
        body = _part(server.body, asked[1].partition(b"?")[0].decode("latin-1") if len(asked) > 1 else "")
        head = (
            f"HTTP/1.1 {server.status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        )
        self.wfile.write(head.encode() + b"Retry-After: 1\r\nConnection: close\r\n\r\n" + body)


def _part(body: bytes, path: str) -> bytes:
    """What an answer has under the path that is asked for, where it has such keys; else all of it."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return body
    return json.dumps(found[path]).encode() if isinstance(found, dict) and path in found else body


@cache
def _server() -> _Server:
    made = _Server(("127.0.0.1", 0), _Answers)
    threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return made


def _service(adapter: str, **options: Any) -> Any:
    """A model of it that was never refused anything, which it would remember."""
    for name in (
        "DEEPL_AUTH_KEY",
        "GOOGLE_API_KEY",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "OPENAI_API_KEY",
    ):
        os.environ.setdefault(name, KEY)
    os.environ.setdefault("AWS_DEFAULT_REGION", "eu-west-1")
    url = f"http://127.0.0.1:{_server().server_address[1]}"
    match adapter:
        case "openai":
            model = engine().model("openai:m", base_url=f"{url}/v1", **options)
        case "apertium" | "libretranslate":
            model = engine().model(f"{adapter}:{url}", **options)
        case _:
            model = engine().model(f"{adapter}:", server=url, **options)
    services = model._services
    object.__setattr__(services, "attempts", 1)
    object.__setattr__(services, "sleep", lambda _seconds: None)
    return model


def service(adapter: str, body: Any, **options: Any) -> Reader:
    def read(folder: Path) -> None:
        status, _, raw = (folder / "answer.http").read_bytes().partition(b"\n")
        server = _server()
        server.status = int(status) if len(status) == 3 and status.isdigit() and status >= b"200" else 200
        server.body = raw
        with _service(adapter, **options) as model:
            if adapter != "openai":
                model.translate(["Hello."], "en", "de")
            elif "prompt_logprobs" in options:
                model.score(["He is."], "log_likelihood")
            else:
                from biascore.models.questions.questions import Choice

                model.choose([Choice("Who?", ("a man", "a woman"))], "letters")

    return Reader("answer.http", read, seeds.http(body), names=False)


CHAT = {
    "model": "m",
    "choices": [
        {
            "index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "A", "refusal": None},
            "logprobs": {"content": [{"token": "A", "logprob": -0.5, "top_logprobs": [{"token": "A", "logprob": -0.5}]}]},
        }
    ],
}  # fmt: skip


COMPLETION = {
    "model": "m",
    "choices": [
        {"text": "x", "logprobs": {"tokens": ["<s>", "He is.", "x"], "token_logprobs": [None, -1.0, -2.0]}}
    ],
    "usage": {"prompt_tokens": 2},
    "tokens": [{"id": 1, "piece": "<s>"}, {"id": 2, "piece": "He is."}],
}
