"""An HTTP server on loopback that behaves like a translation API, and misbehaves when told to."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

Fault = str | tuple[int, dict[str, str]]
"""``(status, headers)``, or one of: "half" and "half, no length" (of the body), "invalid UTF-8", "wrong count",
"hang", "reset", "empty", "drip", "drip the head", "large", "bomb", "brackets"."""


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Api(Protocol):
    """What a service answers; ``charged`` are the texts that it translated, in order, paid for each time."""

    charged: list[str]

    def answer(self, request: Request, *, lose: int) -> tuple[int, Any]:
        """Status and JSON; ``lose`` translations are left out."""

    def is_translation(self, request: Request) -> bool:
        """Whether it asks for a translation; faults befall these."""

    def error(self, status: int) -> Any:
        """The JSON of an error."""


@dataclass
class Server:
    """Runs until ``close``; ``faults`` befall the next translations, one each."""

    api: Api
    faults: deque[Fault] = field(default_factory=deque)
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._released = threading.Event()
        self.connections: list[socket.socket] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that gave up
        self._http.daemon_threads = False  # so that closing waits for them, and no socket outlives a test
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    @property
    def translations(self) -> list[Request]:
        return [request for request in self.requests if self.api.is_translation(request)]

    def befalls(self, request: Request) -> bool:
        return self.api.is_translation(request)

    def released(self, seconds: float) -> bool:
        return self._released.wait(seconds)

    def wait_for_release(self) -> None:
        self._released.wait(60)

    def close(self) -> None:
        self._released.set()
        self._http.shutdown()
        self._thread.join()
        for connection in self.connections:
            with contextlib.suppress(OSError):  # closed already
                connection.shutdown(socket.SHUT_RDWR)
        self._http.server_close()


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 5
        wbufsize = -1  # head and body in one packet

        def setup(self) -> None:
            super().setup()
            server.connections.append(self.connection)

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.command, self.path, headers, self.rfile.read(length))
            server.requests.append(request)
            fault: Fault | None = None
            if server.befalls(request) and server.faults:
                fault = server.faults.popleft()
            self._answer(request, fault)

        do_GET = do_POST

        def _answer(self, request: Request, fault: Fault | None) -> None:
            if isinstance(fault, tuple):
                status, headers = fault
                self._send(status, json.dumps(server.api.error(status)).encode(), headers)
                return
            if fault == "hang":
                server.wait_for_release()
                self.close_connection = True
                return
            if fault in ("drip", "drip the head"):
                head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                self._drip(head if fault == "drip the head" else head + b"Content-Length: 9000\r\n\r\n")
                return
            if fault == "brackets":
                self._send(200, b"[" * 100_000, {})
                return
            if fault == "large":
                self._send(200, b'"' + b"x" * 200_000 + b'"', {})
                return
            if fault == "bomb":
                self._send(200, gzip.compress(b'"' + b"x" * 3_000_000 + b'"'), {"Content-Encoding": "gzip"})
                return
            if fault == "reset":
                self.close_connection = True
                return
            status, value = server.api.answer(request, lose=int(fault == "wrong count"))
            body = json.dumps(value, ensure_ascii=False).encode()
            if fault == "invalid UTF-8":
                assert "ß".encode() in body
                body = body.replace("ß".encode(), b"\xff\xfe")
            self._send(status, body, {}, fault if isinstance(fault, str) else "")

        def _drip(self, first: bytes) -> None:
            self.close_connection = True
            with contextlib.suppress(OSError):  # the other side has given up
                self.wfile.write(first)
                while not server.released(0.02):
                    self.wfile.write(b"a")
                    self.wfile.flush()

        def _send(self, status: int, body: bytes, headers: dict[str, str], fault: str = "") -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            if fault == "half, no length":
                self.send_header("Connection", "close")
            else:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if fault.startswith("half") else body)
            if fault.startswith("half"):
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def translated(text: str, target: str) -> str:
    """What every service here makes of a text: not ASCII, and to be told from it and from other targets."""
    return f"«{text.upper()}ß» {target.lower()}"
