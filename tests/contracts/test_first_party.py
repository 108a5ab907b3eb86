"""What ships with biascore keeps the contracts that it publishes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.errors import AnswerError, AuthError, RateLimitError, TransientModelError
from biascore.testing import check_adapter, check_exporter, check_format, check_language, check_transform

from ..adapters.mt.apis import KEY, DeepLApi, LibreTranslateApi
from ..adapters.mt.server import Server
from ..adapters.openai.server import MODEL, ChatServer

VECTORS = {"the": 1.0, "nurse": 2.0, "is": 3.0, "Yes": 4.0, "He": 5.0, "My": 6.0}


@pytest.mark.slow
def test_planted(engine: Engine) -> None:
    check_adapter("planted:gender=0.5", engine=engine)


def test_fasttext(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "some.vec"
    rows = [f"{word} {value} {value**2} 1" for word, value in VECTORS.items()]
    path.write_text("\n".join([f"{len(rows)} 3", *rows]) + "\n", encoding="utf-8")
    check_adapter(f"fasttext:{path}", engine=engine)


def test_answers(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    texts = ["She is a nurse.", "He is a nurse."]
    path.write_text(
        "text,log_likelihood\n" + "".join(f"{t},{-9 - i}\n" for i, t in enumerate(texts)), encoding="utf-8"
    )
    check_adapter(f"answers:{path}", engine=engine, texts=texts)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bert-uncased", "roberta", "xlm-roberta", "gpt2", "llama", "head"])
def test_hf(engine: Engine, tmp_path: Path, kind: str) -> None:
    transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")
    from ..builders import tiny

    head = (
        {"auto": transformers.AutoModelForSequenceClassification, **tiny.EMOTIONS} if kind == "head" else {}
    )
    with tiny.quiet_and_single_threaded():
        folder = tiny.save_model(
            "distilbert" if kind == "head" else kind, tmp_path / kind, 0, context=256, **head
        )
        check_adapter(f"hf:{folder}", engine=engine)


@pytest.mark.slow
@pytest.mark.parametrize("int8", [False, True], ids=["float32", "int8"])
@pytest.mark.parametrize("kind", ["bert-uncased", "gpt2"])
def test_onnx(engine: Engine, tmp_path: Path, kind: str, int8: bool) -> None:
    pytest.importorskip("onnxscript", reason="needs biascore[export]")
    from ..builders import tiny

    with (
        tiny.quiet_and_single_threaded(),
        engine.model(f"hf:{tiny.save_model(kind, tmp_path / kind, 0, context=256)}") as original,
    ):
        folder = tmp_path / "exported"
        folder.mkdir()
        original.export(folder, int8=int8)
        check_adapter(f"onnx:{folder}", engine=engine)


@contextmanager
def befalling(faults: Any, *some: Any) -> Iterator[None]:
    faults.extend(some)
    yield
    faults.clear()


@pytest.mark.parametrize(
    ("adapter", "api", "variable"),
    [("deepl", DeepLApi, "DEEPL_AUTH_KEY"), ("libretranslate", LibreTranslateApi, "")],
)
def test_translation_services(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, adapter: str, api: Callable[[], Any], variable: str
) -> None:
    pytest.importorskip("deepl", reason="needs biascore[mt]")
    server = Server(api())
    if variable:
        monkeypatch.setenv(variable, KEY)
    own = {"options": {"server": server.url}} if adapter == "deepl" else {}
    failures: dict[Any, Any] = {
        RateLimitError: lambda: befalling(server.faults, (429, {"Retry-After": "1"})),
        TransientModelError: lambda: befalling(server.faults, (503, {})),
        AuthError: lambda: befalling(server.faults, (403, {})),
        AnswerError: lambda: befalling(server.faults, "wrong count"),
    }
    try:
        ref = "deepl:" if adapter == "deepl" else f"libretranslate:{server.url}"
        check_adapter(ref, engine=engine, languages=("en", "es"), key=KEY, failures=failures, **own)
    finally:
        server.close()


def test_a_chat_server(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="needs biascore[openai]")
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-nobody")
    server = ChatServer()
    failures: dict[Any, Any] = {
        RateLimitError: lambda: befalling(server.faults, lambda _made: (429, {"Retry-After": "1"}, {})),
        TransientModelError: lambda: befalling(server.faults, lambda _made: (503, {}, {})),
        AuthError: lambda: befalling(server.faults, lambda _made: (401, {}, {})),
    }
    try:
        check_adapter(f"openai:{MODEL}", engine=engine, options={"base_url": server.url}, failures=failures)
    finally:
        server.close()


@pytest.mark.parametrize("tag", ["it", "es"])
def test_languages(engine: Engine, tag: str) -> None:
    sentences = {
        "it": {"Sono stanca.": "feminine", "Sono stanco.": "masculine", "Piove.": "none"},
        "es": {"No estoy segura de nada.": "feminine", "Estoy cansado.": "masculine", "Llueve.": "none"},
    }
    check_language(tag, sentences[tag], engine=engine)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("hard-debias", {"pairs": "en/bolukbasi2016/definitional"}),
        ("top-components", {}),
    ],
)
def test_transforms(engine: Engine, name: str, options: dict[str, Any]) -> None:
    check_transform(name, "planted:gender=0.5", engine=engine, **options)


def test_the_exporter_of_impact_ratios(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "outcomes.csv"
    rows = [f"{group} {i},{group},{int(i % 3 == 0)}" for i in range(30) for group in ("women", "men")]
    path.write_text("text,sex,selected\n" + "\n".join(rows) + "\n", encoding="utf-8")
    test = engine.data("outcomes", path, language="en", groups=["sex"])
    run = engine.measure("impact-ratio", f"answers:{path}", test, draws=500)
    check_exporter("impact-tables", run, engine=engine)


def test_a_format(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(
        "sent_more,sent_less,stereo_antistereo,bias_type\n"
        "Women are late.,Men are late.,stereo,gender\n"
        "Men are strong.,Women are strong.,stereo,gender\n",
        encoding="utf-8",
    )
    check_format("crows-pairs", path, language="en", engine=engine)
