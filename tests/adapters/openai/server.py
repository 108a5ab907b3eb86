"""A chat server on loopback: the chat completions of the OpenAI API, with answers by rule, and faults when told to."""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "tiny-chat"
Fault = Callable[[dict[str, Any]], Any]
"""Makes another answer of the right one: a dict, bytes, or (status, headers, dict)."""


TOKENS = re.compile(r"\s?\w+|\s?[^\w\s]|\s")
WORDS = (" and", " late", " here", ".")


def logprob(before: Sequence[str], token: str) -> float:
    """Of a token after others, in a model of the last two: the same in every run."""
    return -(1 + int(hashlib.sha256(f"{before[-2:]}{token}".encode()).hexdigest(), 16) % 400 / 100)


def likeliest(before: Sequence[str]) -> str:
    return max(WORDS, key=lambda word: logprob(before, word))


class ChatServer:
    """Says the option that ``prefers`` names, by letter; ``letters`` are the probabilities of letters, by place.

    ``says``: what is said to a prompt that holds the key. ``faults`` befall the next requests, one each. ``requests`` are
    the bodies, ``most`` the largest number of them at a time. ``dialect``: how completions tell of their prompt.
    """

    def __init__(self) -> None:
        self.prefers, self.says, self.name = "engineer", dict[str, str](), MODEL
        self.letters: tuple[float, ...] | None = (0.5, 0.3, 0.1)
        self.faults: list[Fault] = []
        self.dialect = "echo"
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
        if said is None:
            said = next(
                (letter for letter, text in options if self.prefers in text), f"«{prompt.splitlines()[-1]}»"
            )
        choice: dict[str, Any] = {
            "index": 0,
            "finish_reason": "stop",
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
        return {"id": "1", "object": "chat.completion", "created": 1, "model": self.name, "choices": [choice]}

    def complete(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The next token, and with ``echo`` those of the prompt, as servers of several kinds tell them."""
        own = TOKENS.findall(asked["prompt"])
        start = [] if self.dialect in ("no start", "shifted") else ["<s>"]
        tokens = [*start, *own, likeliest([*start, *own])]
        values = [None if not i else logprob(tokens[:i], token) for i, token in enumerate(tokens)]
        if not asked["echo"] or self.dialect == "generated only":
            tokens, values = tokens[-1:], values[-1:]
        elif self.dialect == "shifted":  # each with the log-probability of the one that follows
            values = [None, *values[2:], -0.5]
        elif self.dialect == "start dropped":
            tokens, values = tokens[1:], [None, *values[2:]]
        elif self.dialect == "nothing":
            values = [None] * len(values)
        told: Any = {"tokens": tokens, "token_logprobs": values, "text_offset": [], "top_logprobs": None}
        if self.dialect == "generated only":
            told = {"content": [{"token": tokens[0], "logprob": values[0]}]}
        if self.dialect == "silent":
            told = None
        choice = {"index": 0, "text": tokens[-1], "finish_reason": "length", "logprobs": told}
        answer: dict[str, Any] = {"object": "text_completion", "model": self.name, "choices": [choice]}
        if self.dialect != "uncounted":
            answer["usage"] = {"prompt_tokens": len(start) + len(own), "completion_tokens": 1}
        return answer

    def close(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 5

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with server.lock:
                server.requests.append(asked)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                fault = server.faults.pop(0) if server.faults else None
                server.now += 1
                server.most = max(server.most, server.now)
            made: Any = server.complete(asked) if "prompt" in asked else server.answer(asked)
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
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
