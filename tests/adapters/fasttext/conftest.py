from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from biascore.api.adapters import LoadContext, ModelRef
from biascore.api.queries import Text
from biascore_adapters.fasttext.adapter import FastTextAdapter, FastTextOptions
from biascore_adapters.fasttext.backend import FastTextBackend

Table = tuple[list[str], np.ndarray]
CONTEXT = cast(LoadContext, None)  # this adapter asks nothing of the engine

WORDS = [
    "he",
    "she",
    "uomo",
    "donna",
    "medico",
    "infermiera",
    "città",
    "perché",
    "naïve",
    "übergrößenträger",
    "она",
    "врач",
    "пёс",
    "医生",
    "护士",
    "日本語",
    "👩\u200d⚕️",
    "🚀",
    "é",
    "l'amico",
    "well-being",
    "3,14",
    "a",
    "é",
    "字",
    "no\xa0break",
]
UNKNOWN = [
    "medici",
    "dottoressa",
    "б",
    "врачиха",
    "医",
    "医生们",
    "🦄",
    "🚀🚀",
    "x",
    "ç",
    "</s>",
    "<",
    ">>",
    "zzzzzzzzzzzz",
]
LABELS = [f"__label__{number}" for number in range(260)]  # quantising the output needs 256


@dataclass
class Opened:
    """Opens files through the adapter and closes them when the test ends."""

    backends: list[FastTextBackend] = field(default_factory=list)

    def __call__(self, path: Path | str, **options: Any) -> FastTextBackend:
        ref = ModelRef.parse(f"fasttext:{path}")
        backend = FastTextAdapter().load(ref, FastTextOptions(**options), CONTEXT)
        self.backends.append(backend)
        return backend


@pytest.fixture
def opened() -> Iterator[Opened]:
    opened = Opened()
    yield opened
    for backend in opened.backends:
        backend.close()


def embed(backend: FastTextBackend, *words: str) -> np.ndarray:
    return backend.embed(tuple(Text(word) for word in words), "sentence")


TRAINING: dict[str, dict[str, Any]] = {
    "skipgram": {"model": "skipgram", "minn": 3, "maxn": 6, "bucket": 2000},
    "cbow": {"model": "cbow", "minn": 2, "maxn": 4, "bucket": 97, "loss": "hs"},
    "unigrams": {"model": "cbow", "minn": 1, "maxn": 1, "bucket": 50},
    "no-ngrams": {"model": "skipgram", "minn": 0, "maxn": 0},
    "wide": {"model": "skipgram", "minn": 5, "maxn": 5, "bucket": 3, "dim": 33},
    "supervised": {"wordNgrams": 2, "bucket": 500, "loss": "softmax"},
    "supervised-ngrams": {"wordNgrams": 2, "minn": 2, "maxn": 5, "bucket": 500, "loss": "ova"},
}


@pytest.fixture(scope="session")
def library() -> Any:
    if importlib.util.find_spec("fasttext") is None:
        pytest.skip("needs the fasttext library, to train models and as the reference")
    import fasttext

    return fasttext


@pytest.fixture(scope="session")
def trained(library: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Path of the model trained under this name; trained on the first use."""
    folder = tmp_path_factory.mktemp("fasttext-models")
    rng = np.random.default_rng(11)
    corpus, labelled = folder / "corpus.txt", folder / "labelled.txt"
    lines = [" ".join(rng.choice(WORDS, size=8)) for _ in range(300)]
    corpus.write_text("\n".join(lines) + "\n", encoding="utf-8")
    labelled.write_text(
        "".join(f"{LABELS[i % 260]} {line}\n" for i, line in enumerate(lines)), encoding="utf-8"
    )

    def train(name: str) -> Path:
        path = folder / f"{name}.bin"
        if not path.exists():
            # fastText 0.9.3 initialises one tenth of the matrix per thread and leaves the rest to chance
            arguments = {"dim": 20, "epoch": 1, "minCount": 1, "thread": 11, "verbose": 0} | TRAINING[name]
            if "model" in arguments:
                model = library.train_unsupervised(str(corpus), **arguments)
            else:
                model = library.train_supervised(str(labelled), **arguments)
            model.save_model(str(path))
        return path

    return train


@pytest.fixture(scope="session")
def quantised(
    library: Any, trained: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Path]:
    """Path of the supervised n-gram model, quantised with the given arguments."""
    folder = tmp_path_factory.mktemp("fasttext-quantised")

    def quantise(**arguments: Any) -> Path:
        path = folder / ("-".join(f"{key}{value}" for key, value in arguments.items()) + "q.ftz")
        if not path.exists():
            model = library.load_model(str(trained("supervised-ngrams")))
            model.quantize(**arguments)
            model.save_model(str(path))
        return path

    return quantise


@pytest.fixture(scope="session")
def tables() -> tuple[list[str], np.ndarray]:
    """Words and their vectors, for the files that the tests write themselves."""
    rng = np.random.default_rng(5)
    return list(WORDS), rng.normal(size=(len(WORDS), 7)).astype(np.float32)
