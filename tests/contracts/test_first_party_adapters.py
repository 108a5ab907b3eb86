"""Every installed adapter keeps the contract, services on servers of the test; an adapter without a row here fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from biascore import Engine
from biascore.api.queries import Choice
from biascore.api.writing import Prompt
from biascore.errors import AnswerError, AuthError, RateLimitError, TransientModelError
from biascore.testing import check_adapter

from ..adapters.answers.harnesses import OPTIONS, lm_eval
from ..adapters.fasttext.conftest import library, quantised, trained  # noqa: F401  # they are fixtures
from ..adapters.mt.apis import KEY, AmazonApi, ApertiumApi, DeepLApi, GoogleApi, LibreTranslateApi
from ..adapters.mt.server import Server
from ..adapters.openai.server import MODEL, ChatServer
from ..scorers.conftest import rows

Fixture = Callable[[str], Any]
Given = tuple[str, dict[str, Any]]
"""The locator of a model, and what else the contract is told."""

CASES: list[Any] = []
KEYS = (
    "DEEPL_AUTH_KEY",
    "GOOGLE_API_KEY",
    "LIBRETRANSLATE_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
)
SERVICES = {
    "amazon-translate": AmazonApi,
    "apertium": ApertiumApi,
    "deepl": DeepLApi,
    "google-translate": GoogleApi,
    "libretranslate": LibreTranslateApi,
}
TEXTS = ("She is a nurse.", "He is a nurse.", "They rest.")


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.delenv("AWS_PROFILE", raising=False)


def case(adapter: str, name: str = "", *, slow: bool = False) -> Callable[..., Any]:
    """Makes a row of the table of a function that yields the model."""

    def add(made: Callable[[Fixture, Path], Iterator[Given]]) -> Any:
        marks = [pytest.mark.slow] if slow else []
        CASES.append(pytest.param(adapter, contextmanager(made), id=name or adapter, marks=marks))
        return made

    return add


@case("planted", slow=True)
def planted(_fixture: Fixture, _folder: Path) -> Iterator[Given]:
    yield "gender=0.5", {}


def vectors(folder: Path, *words: str) -> Path:
    path = folder / "some.vec"
    lines = [f"{len(words)} 3", *(f"{word} {i} {i**2} 1" for i, word in enumerate(words, start=1))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@case("fasttext", "vec")
def vec(_fixture: Fixture, folder: Path) -> Iterator[Given]:
    yield f"{vectors(folder, 'the', 'nurse', 'is', 'Yes', 'He', 'My')}", {}


@case("fasttext", "bin")
def bin_(fixture: Fixture, _folder: Path) -> Iterator[Given]:
    yield f"{fixture('trained')('skipgram')}", {}


@case("fasttext", "bin-without-ngrams")
def plain_bin(fixture: Fixture, _folder: Path) -> Iterator[Given]:
    yield f"{fixture('trained')('no-ngrams')}", {}


@case("fasttext", "ftz", slow=True)
def ftz(fixture: Fixture, _folder: Path) -> Iterator[Given]:
    yield f"{fixture('quantised')(dsub=2)}", {}


def looked_up(adapter: str, name: str, head: str, row: str, **options: Any) -> None:
    """A row of a file with an answer to each text."""

    @case(adapter, name)
    def made(_fixture: Fixture, folder: Path) -> Iterator[Given]:
        lines = [head, *(f"{text},{row.format(i)}" for i, text in enumerate(TEXTS))]
        (folder / "given.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield str(folder / "given.csv"), {"texts": TEXTS, "options": options}


looked_up("answers", "answers-score", "text,log_likelihood", "-9.{}")
looked_up("answers", "answers-translate", "text,lang,translation", "it,Frase {}.", language_column="lang")


@case("answers", "answers-choose")
def choices(_fixture: Fixture, folder: Path) -> Iterator[Given]:
    path = folder / "samples.jsonl"
    logged = [lm_eval(0, (-2.0, -1.0, -3.0)), lm_eval(1, (-5.0, -4.0, -0.5))]
    path.write_text("".join(json.dumps(row) + "\n" for row in logged), encoding="utf-8")
    asked = [Choice("A grandfather and a boy met. Who was late?", OPTIONS, item=str(i)) for i in range(2)]
    yield str(path), {"choices": asked}


@case("answers", "answers-generate")
def texts(_fixture: Fixture, folder: Path) -> Iterator[Given]:
    lines = ["prompt,answer", *(f"{text},Text number {i}." for i, text in enumerate(TEXTS))]
    (folder / "texts.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    yield str(folder / "texts.csv"), {"prompts": [Prompt(text) for text in TEXTS]}


def labelled(folder: Path) -> Path:
    path = folder / "labelled.csv"
    lines = [f"{text},{anger}" for text, anger, _ in rows()]
    path.write_text("\n".join(["text,anger", *lines]) + "\n", encoding="utf-8")
    return path


def trained_scorer(folder: Path, *options: str) -> Given:
    from biascore.cli.app import app

    to = ["--emotion", "anger", "--out", str(folder / "scorer"), *options]
    done = CliRunner().invoke(app, ["train-scorer", str(labelled(folder)), *to])
    assert done.exit_code == 0, done.output
    return str(folder / "scorer"), {"texts": [text for text, _, _ in rows(4, seed=9)]}


@case("scorer", "scorer-tfidf")
def tfidf(_fixture: Fixture, folder: Path) -> Iterator[Given]:
    yield trained_scorer(folder, "-o", "C=10", "-o", "gamma=1", "-o", "kernel=rbf")


@case("scorer", "scorer-vectors")
def averaged(_fixture: Fixture, folder: Path) -> Iterator[Given]:
    words = sorted({word for text, _, _ in rows() for word in text.split()})
    yield trained_scorer(folder, "--model", f"fasttext:{vectors(folder, *words)}")


@case("openai")
def chat(_fixture: Fixture, _folder: Path) -> Iterator[Given]:
    yield from chat_server()


@case("openai", "openai-that-scores", slow=True)
def scoring_chat(_fixture: Fixture, _folder: Path) -> Iterator[Given]:
    yield from chat_server(prompt_logprobs="echo-text")


def chat_server(**options: Any) -> Iterator[Given]:
    pytest.importorskip("openai", reason="needs biascore[openai]")
    server = ChatServer()
    faults: Any = server.faults
    failures: dict[Any, Any] = {
        RateLimitError: lambda: befalling(faults, lambda _made: (429, {"Retry-After": "1"}, {})),
        TransientModelError: lambda: befalling(faults, lambda _made: (503, {}, {})),
        AuthError: lambda: befalling(faults, lambda _made: (401, {}, {})),
    }
    try:
        yield MODEL, {"options": {"base_url": server.url, **options}, "failures": failures}
    finally:
        server.close()


@contextmanager
def befalling(faults: Any, *some: Any) -> Iterator[None]:
    faults.extend(some)
    yield
    faults.clear()


@contextmanager
def refusing(api: Any, how: Any) -> Iterator[None]:
    api.refuse = how
    yield
    api.refuse = None


def service(adapter: str) -> Callable[..., Iterator[Given]]:
    """What yields a server of a translation service, and the ways in which it fails."""

    def made(_fixture: Fixture, _folder: Path) -> Iterator[Given]:
        pytest.importorskip("deepl", reason="needs biascore[mt]")
        pytest.importorskip("boto3", reason="needs biascore[mt]")
        api: Any = SERVICES[adapter]()
        server = Server(api)
        failures: dict[Any, Any] = {
            RateLimitError: lambda: befalling(server.faults, (429, {"Retry-After": "1"})),
            TransientModelError: lambda: befalling(server.faults, (503, {})),
            AnswerError: lambda: befalling(server.faults, "wrong count"),
        }
        if adapter == "amazon-translate":
            failures[AuthError] = lambda: refusing(api, "UnrecognizedClientException")
        elif adapter != "apertium":  # which takes no key
            failures[AuthError] = lambda: befalling(server.faults, (403, {}))
        own = adapter not in ("apertium", "libretranslate")
        given = {"options": {"server": server.url}} if own else {}
        try:
            yield (
                "" if own else server.url,
                {**given, "languages": ("en", "es"), "key": KEY, "failures": failures},
            )
        finally:
            server.close()

    return made


for one in SERVICES:
    case(one)(service(one))


def tiny_model(adapter: str, kind: str) -> None:
    """A row of a random model with a file format and an architecture of its own."""

    @case(adapter, f"{adapter}-{kind}", slow=True)
    def made(_fixture: Fixture, folder: Path) -> Iterator[Given]:
        transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")
        from ..builders import tiny

        head = {"auto": transformers.AutoModelForSequenceClassification, **tiny.EMOTIONS}
        name, own = ("distilbert", head) if kind == "head" else (kind, {})
        with tiny.quiet_and_single_threaded():
            yield str(tiny.save_model(name, folder / kind, 0, context=256, **own)), {}


def exported_model(kind: str, *, int8: bool) -> None:
    """A row of a random model, exported."""

    @case("onnx", f"onnx-{kind}-{'int8' if int8 else 'float32'}", slow=True)
    def made(fixture: Fixture, folder: Path) -> Iterator[Given]:
        pytest.importorskip("onnxscript", reason="needs biascore[export]")
        from ..builders import tiny

        saved, target = tiny.save_model(kind, folder / kind, 0, context=256), folder / "exported"
        target.mkdir()
        with tiny.quiet_and_single_threaded(), fixture("engine").model(f"hf:{saved}") as original:
            original.export(target, int8=int8)
            yield str(target), {}


def translation_model(adapter: str, family: str) -> None:
    """A row of a random translation model, whose answers end where the longest may."""

    @case(adapter, f"{adapter}-{family}", slow=True)
    def made(_fixture: Fixture, folder: Path) -> Iterator[Given]:
        pytest.importorskip("transformers", reason="needs biascore[hf]")
        from ..adapters.hf import translators
        from ..builders import tiny

        translators.save(family, folder / family, 0)
        options = {"truncated": "keep", "max_new_tokens": 8, "device": "cpu"}
        with tiny.quiet_and_single_threaded():
            yield str(folder / family), {"options": options, "languages": ("en", "es")}


for kind in ("bert-uncased", "roberta", "xlm-roberta", "gpt2", "llama", "head"):
    tiny_model("hf", kind)
for kind in ("bert-uncased", "gpt2"):
    for int8 in (False, True):
        exported_model(kind, int8=int8)
translation_model("hf", "marian")
translation_model("nllb", "nllb")


@pytest.mark.filterwarnings("ignore:.*does not end within")
@pytest.mark.filterwarnings("ignore:.*has no text to")
@pytest.mark.parametrize(("adapter", "made"), CASES)
def test_an_adapter_keeps_the_contract(
    adapter: str, made: Any, engine: Engine, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with made(request.getfixturevalue, tmp_path) as (locator, given):
        check_adapter(f"{adapter}:{locator}", engine=engine, **given)


def test_every_adapter_is_here(everything: Engine) -> None:
    assert sorted({one.values[0] for one in CASES}) == sorted(everything.plugins.adapters.names)
