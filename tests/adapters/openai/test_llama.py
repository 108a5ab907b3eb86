"""The servers of llama.cpp themselves, with a tiny model: the numbers are those that torch computes from the same weights.

Needs llama-cpp-python[server], in this environment or in that of the interpreter BIASCORE_LLAMA_PYTHON; and for llama.cpp's
own server the program llama-server, or its path in BIASCORE_LLAMA_SERVER.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai", reason="needs biascore[openai]")
pytest.importorskip("torch", reason="needs biascore[hf]")

import torch

from biascore import Engine
from biascore.api.queries import Choice, Continuation
from biascore.errors import AnswerError, QuestionError
from biascore.models.model import Model

from .tiny_gguf import tiny_llama, vocabulary, write_gguf

pytestmark = pytest.mark.slow
NAME, WAIT = "tiny", 120.0
PROMPT = " the nurse and the engineer went home when"
QUESTION = Choice(PROMPT, ("he was late", "she was late", "nobody was here today"))
Open = Callable[..., Model]


def summed(before: str, text: str, *, start: bool = True) -> float:
    """By torch: the log-probabilities of the pieces of a text after those of another, of whole words and bytes."""
    pieces = vocabulary()[0]

    def ids(words: str) -> list[int]:
        found: list[int] = []
        for word in words.split():
            if f"▁{word}" in pieces:
                found.append(pieces.index(f"▁{word}"))
            else:
                found += [pieces.index("▁"), *(pieces.index(f"<0x{byte:02X}>") for byte in word.encode())]
        return found

    given = [1] * start + ids(before)
    whole = given + ids(text)
    with torch.no_grad():
        values = torch.log_softmax(tiny_llama()(torch.tensor([whole])).logits[0].double(), -1)
    return sum(float(values[i - 1, whole[i]]) for i in range(len(given), len(whole)))


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    folder = tmp_path_factory.mktemp("gguf")

    def written(*, start: bool = True) -> Path:
        path = folder / f"tiny-{start}.gguf"
        if not path.exists():
            write_gguf(tiny_llama(), path, start=start)
        return path

    return written


def served(command: list[str], port: int, log: Path) -> Iterator[str]:
    """The address of a server that runs until the fixture ends."""
    url = f"http://127.0.0.1:{port}"
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT) as process:
        try:
            for _ in range(int(WAIT / 0.2)):
                assert process.poll() is None, log.read_text(errors="replace")[-2000:]
                try:
                    urllib.request.urlopen(f"{url}/v1/models", timeout=5).close()
                    break
                except (urllib.error.URLError, OSError):
                    time.sleep(0.2)
            else:
                pytest.fail(f"no server in {WAIT:g} seconds: {log.read_text(errors='replace')[-2000:]}")
            yield f"{url}/v1"
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="module", params=[True, False], ids=["start token", "no start token"])
def bound(
    request: pytest.FixtureRequest, weights: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[bool, str]]:
    """llama-cpp-python: whether its model has a start token, and its address."""
    python = os.environ.get("BIASCORE_LLAMA_PYTHON") or sys.executable
    if python == sys.executable and importlib.util.find_spec("llama_cpp") is None:
        pytest.skip(
            "needs llama-cpp-python[server], built from PyPI in about 5 minutes; BIASCORE_LLAMA_PYTHON names the interpreter"
        )
    port = free_port()
    command = [python, "-m", "llama_cpp.server", "--model", str(weights(start=request.param))]
    command += ["--model_alias", NAME, "--host", "127.0.0.1", "--port", str(port), "--n_ctx", "512"]
    command += ["--type_k", "0", "--type_v", "0", "--n_threads", "1", "--chat_format", "chatml"]
    for url in served(command, port, tmp_path_factory.mktemp("log") / "log.txt"):
        yield request.param, url


@pytest.fixture(scope="module", params=[True, False], ids=["start token", "no start token"])
def own(
    request: pytest.FixtureRequest, weights: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[bool, str]]:
    """llama.cpp's own server: whether its model has a start token, and its address."""
    program = os.environ.get("BIASCORE_LLAMA_SERVER") or shutil.which("llama-server")
    if program is None:
        pytest.skip("needs llama-server of llama.cpp; BIASCORE_LLAMA_SERVER names it")
    port = free_port()
    command = [program, "--model", str(weights(start=request.param)), "--alias", NAME, "--host", "127.0.0.1"]
    command += ["--port", str(port), "--ctx-size", "1024", "--parallel", "2", "--threads", "1", "--offline"]
    command += ["--cache-type-k", "f32", "--cache-type-v", "f32", "--flash-attn", "off"]
    command += ["--chat-template", "chatml"]
    for url in served(command, port, tmp_path_factory.mktemp("log") / "log.txt"):
        yield request.param, url


@pytest.fixture
def opened() -> Iterator[Open]:
    models: list[Model] = []

    def open_(url: str, **options: Any) -> Model:
        models.append(Engine(cache=None).model(f"openai:{NAME}", base_url=url, concurrency=2, **options))
        return models[-1]

    yield open_
    for one in models:
        one.close()


def check_scores(asked: Model, *, start: bool, before: str) -> None:
    """Texts after ``before``, continuations and options, all as torch has them."""
    texts = [" he was late", " she was late today"]
    found = asked.score(texts, "log_likelihood")
    assert found == pytest.approx([summed(before, text, start=start) for text in texts], abs=1e-3)
    after = [Continuation(PROMPT, " he was late"), Continuation(PROMPT, " a cat"), Continuation(" é", " he")]
    expected = [summed(one.prompt, one.text, start=start) for one in after]
    assert asked.score(after, "log_likelihood") == pytest.approx(expected, abs=1e-3)
    # Joined to one word, the text begins within the prompt's last token: scored from the first that differs.
    pieces = Continuation(" the nurse and the", "y said")
    joined = summed(" the nurse and", " they said", start=start)
    assert asked.score([pieces], "log_likelihood") == pytest.approx([joined], abs=1e-3)
    (chosen,) = asked.choose([QUESTION], "likelihood")
    sums = [summed(PROMPT, f" {option}", start=start) for option in QUESTION.options]
    assert chosen.logprobs == pytest.approx(sums, abs=1e-3)
    assert chosen.chosen == sums.index(max(sums))


def check_choices(asked: Model) -> None:
    (by_letters,) = asked.choose([QUESTION], "letters")
    assert 0 <= by_letters.outside <= 1
    (by_text,) = asked.choose([QUESTION], "text")
    assert by_text.said.strip()


def test_llama_cpp_python(bound: tuple[bool, str], opened: Open) -> None:
    start, url = bound
    asked = opened(url, prompt_logprobs="echo-text", text_start=" in")
    if start:
        check_scores(asked, start=True, before=" in")
        assert asked.score([" é was"], "log_likelihood") == pytest.approx([summed(" in", " é was")], abs=1e-3)
        with pytest.raises(QuestionError, match="reads no start token"):
            opened(url, prompt_logprobs="echo-text").score([" he was late"], "log_likelihood")
    else:
        with pytest.raises(AnswerError, match="they are misaligned"):
            asked.score([" he was late"], "log_likelihood")
    with pytest.raises(AnswerError, match=r"tells no token ids of a text.*echo-text"):
        opened(url, prompt_logprobs="echo").score([" he"], "log_likelihood")
    with pytest.raises(AnswerError, match="tells no token ids of a text"):
        opened(url, prompt_logprobs="grammar").score([" he"], "log_likelihood")
    check_choices(asked)


def test_llama_cpps_own_server(own: tuple[bool, str], opened: Open) -> None:
    start, url = own
    if start:
        check_scores(opened(url, prompt_logprobs="grammar"), start=True, before="")
    else:
        with pytest.raises(QuestionError, match="reads no start token"):
            opened(url, prompt_logprobs="grammar").score([" he was late"], "log_likelihood")
    asked = opened(url, prompt_logprobs="grammar", text_start=" in")
    check_scores(asked, start=start, before=" in")
    with pytest.raises(QuestionError, match=r"reads a letter of ' é was' in several tokens"):
        asked.score([" é was"], "log_likelihood")
    for way in ("echo", "echo-text"):
        with pytest.raises(AnswerError, match="generated"):
            opened(url, prompt_logprobs=way).score([" he"], "log_likelihood")
    check_choices(asked)
