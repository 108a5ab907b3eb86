"""A chat server on loopback: the chat completions of the OpenAI API, with answers by rule, and faults when told to."""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .completions import Completions

MODEL = "tiny-chat"
Fault = Callable[[dict[str, Any]], Any]
"""Makes another answer of the right one: a dict, bytes, or (status, headers, dict)."""


class ChatServer(Completions):
    """Says the option that ``prefers`` names, by letter; ``letters`` are the probabilities of letters, by place.

    ``says``: what is said to a prompt that holds the key. ``letters_by_chance``: it picks any, the same for the same
    prompt. ``cuts``: a word is a token, and what is longer than asked for is cut. ``faults`` befall the next requests, one
    each. ``requests`` are the bodies, ``most`` the largest number of them at a time. ``trickle``: seconds between the bytes
    of an answer.
    """

    def __init__(self) -> None:
        super().__init__()
        self.prefers, self.says, self.name = "engineer", dict[str, str](), MODEL
        self.letters_by_chance = self.cuts = False
        self.letters: tuple[float, ...] | None = (0.5, 0.3, 0.1)
        self.faults: list[Fault] = []
        self.trickle = 0.0
        self.closed = threading.Event()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.now = self.most = 0
        self.lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        prompt = asked["messages"][-1]["content"]
        said = next((text for key, text in self.says.items() if key in prompt), None)
        options = re.findall(r"^([A-Z])\. (.*)$", prompt, re.MULTILINE)
        if said is None and self.letters_by_chance and options:
            said = options[int(hashlib.sha256(prompt.encode()).hexdigest(), 16) % len(options)][0]
        if said is None:
            said = next(
                (letter for letter, text in options if self.prefers in text), f"«{prompt.splitlines()[-1]}»"
            )
        words, most = said.split(), asked.get("max_tokens", asked.get("max_completion_tokens"))
        cut = self.cuts and most is not None and len(words) > most
        said = " ".join(words[:most]) if cut else said
        choice: dict[str, Any] = {
            "index": 0,
            "finish_reason": "length" if cut else "stop",
            "message": {"role": "assistant", "content": said, "refusal": None},
            "logprobs": None,
        }
        if asked.get("logprobs") and self.letters is not None:
            values = {
                f"{' ' * (i % 2)}{letter}": p
                for i, ((letter, _), p) in enumerate(zip(options, self.letters, strict=False))
            }
            top = [{"token": token, "logprob": math.log(p), "bytes": None} for token, p in values.items()]
            choice["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
        return {"id": "1", "object": "chat.completion", "created": 1, "choices": [choice], **self.usage(said)}

    def usage(self, said: str) -> dict[str, Any]:
        """The tokens of what was said, where it counts them."""
        return {"usage": {"completion_tokens": len(said.split())}} if self.cuts else {}

    def made(self, path: str, asked: dict[str, Any]) -> Any:
        """The right answer: a dict, or a status, headers and a dict."""
        if path == "/tokenize":
            return self.tokenize(asked) or (404, {}, {"error": {"message": "Not Found"}})
        found: Any = self.complete(asked) if path == "/v1/completions" else self.answer(asked)
        return {"model": self.name, **found} if isinstance(found, dict) else found

    def put(self, part: str) -> bool:
        """Whether a text was put that holds the part."""
        return any(part in self.spelled(one["prompt"]) for one in self.requests)

    def close(self) -> None:
        self.closed.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 5

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with server.lock:
                if self.path != "/tokenize":
                    server.requests.append(asked)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                fault = server.faults.pop(0) if server.faults and self.path != "/tokenize" else None
                server.now += 1
                server.most = max(server.most, server.now)
                made: Any = server.made(self.path, asked)
            made = made if fault is None else fault(made)
            status, headers, value = made if isinstance(made, tuple) else (200, {}, made)
            body = value if isinstance(value, bytes) else json.dumps(value).encode()
            with server.lock:
                server.now -= 1
            self.send_response(status)
            for name, text in {
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                **headers,
            }.items():
                self.send_header(name, text)
            self.end_headers()
            try:
                for i in range(len(body) if server.trickle else 0):
                    self.wfile.write(body[i : i + 1])
                    if server.closed.wait(server.trickle):
                        break
                if not server.trickle:
                    self.wfile.write(body)
            except OSError:  # the client has gone
                pass

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
