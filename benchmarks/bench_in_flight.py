"""Requests in flight: `openai:` and `libretranslate:` against a loopback server that answers after 200 ms.

Run: python -m benchmarks.bench_in_flight
Prints wall-clock milliseconds a request, of 12 N requests, the least of two runs, with answers kept in a fresh cache and
connections opened anew; and how many times faster N requests at once are than one, in the same run of this script. The
server sleeps in a process of its own. Fails below 0.9 N, and where a translation is another than expected. About a minute.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from typing import Any

from biascore import Engine
from biascore.models.model import Model

LATENCY = 0.2
ROUNDS = 12
REPEATS = 2
AT_ONCE = (1, 2, 4, 8, 16)
LEAST = 0.9
TEXTS_A_REQUEST = {"openai": 1, "libretranslate": 25}


class Server(ThreadingHTTPServer):
    request_queue_size = 64


class Handler(BaseHTTPRequestHandler):
    """Translates to capitals, as either API."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self) -> None:
        self._send([{"code": code, "name": code, "targets": ["en", "it"]} for code in ("en", "it")])

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        time.sleep(LATENCY)
        if self.path == "/translate":
            self._send({"translatedText": [text.upper() for text in asked["q"]]})
            return
        said = asked["messages"][-1]["content"].rpartition("\n")[2].upper()
        message = {"role": "assistant", "content": said}
        self._send(
            {"model": asked["model"], "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
        )

    def _send(self, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def serve(told: Connection) -> None:
    server = Server(("127.0.0.1", 0), Handler)
    told.send(server.server_port)
    server.serve_forever()


def seconds(opened: Callable[[Engine], Model], texts: list[str]) -> float:
    """For all texts, the first request and what opens connections included."""
    with tempfile.TemporaryDirectory() as folder, opened(Engine(cache=folder)) as model:
        start = time.perf_counter()
        found = model.translate(texts, "en", "it")
        took = time.perf_counter() - start
    assert found == tuple(map(str.upper, texts))
    return took


def main() -> None:
    told, ours = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(ours,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{told.recv()}"
    refs: dict[str, tuple[str, dict[str, Any]]] = {
        "openai": ("openai:loopback", {"base_url": f"{url}/v1"}),
        "libretranslate": (f"libretranslate:{url}", {}),
    }
    slow = []
    for service, (ref, options) in refs.items():
        one = 0.0
        for most in AT_ONCE:
            requests = ROUNDS * most
            texts = [f"sentence {number}" for number in range(requests * TEXTS_A_REQUEST[service])]
            took = min(
                seconds(lambda engine: engine.model(ref, concurrency=most, **options), texts)  # noqa: B023
                / requests
                for _ in range(REPEATS)
            )
            one = one or took
            faster = one / took
            share = faster / most
            print(
                f"{service:15s} N = {most:2d}: {1e3 * took:6.1f} ms a request, {faster:5.2f} x, {share:.2f} N",
                flush=True,
            )
            if faster < LEAST * most:
                slow.append(f"{service}, N = {most}")
    server.terminate()
    sys.exit(f"below {LEAST} N: {'; '.join(slow)}" if slow else None)


if __name__ == "__main__":
    main()
