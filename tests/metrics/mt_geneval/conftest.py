"""Four lines in English and Italian, written for these tests, as the files of MT-GenEval are laid out."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.stimuli.dataset import locate
from biascore_metrics.mt_geneval.items import GenevalTest, MtGenevalFormat

SENTENCES: Mapping[str, Sequence[str]] = {
    "feminine.en": ("She is a cook.", "My aunt sings.", "She reads; she rests.", "The nurse said she left."),
    "feminine.it": ("È una cuoca.", "Mia zia canta.", "Legge e riposa.", "L'infermiera è andata via."),
    "masculine.en": ("He is a cook.", "My uncle sings.", "He reads; he rests.", "The nurse said he left."),
    "masculine.it": ("È un cuoco.", "Mio zio canta.", "Legge e riposa.", "L'infermiere è andato via."),
}
CONTEXT: Mapping[str, Sequence[str]] = {
    "2to1.en": (
        "She was born in Bari. <sep> The cook was tired.",
        "His father was poor. <sep> The teacher left.",
        "They met in May. <sep> The friend was late.",
        "She knew him. <sep> The pupil was calm.",
    ),
    "original.it": (
        "La cuoca era stanca.",
        "Il maestro è andato via.",
        "L'amico era in ritardo.",
        "L'alunna era calma.",
    ),
    "flipped.it": (
        "Il cuoco era stanco.",
        "La maestra è andata via.",
        "L'amica era in ritardo.",
        "L'alunno era calmo.",
    ),
}


class Translator(Backend):
    """Answers from a function of the text."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str, str]] = []
        self.identity = Identity("test:translator")

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        self.asked += [(text, source, target) for text in texts]
        return tuple(self.answer(text) for text in texts)


def write(
    folder: Path,
    files: Mapping[str, Sequence[str]],
    part: str,
    *,
    upstream: bool = True,
    packed: bool = False,
    pair: str = "en_it",
) -> Path:
    """Write the files under the names of one of the two styles, packed or not; returns the first."""
    kind = {"sentences": "sentences", "context": "context-wikiprofessions" if upstream else "context"}[part]
    for name, lines in files.items():
        what, language = name.split(".")
        path = folder / f"{'geneval-' * upstream}{kind}-{what}-test.{pair}.{language}{'.gz' * packed}"
        text = "".join(f"{line}\n" for line in lines).encode()
        path.write_bytes(gzip.compress(text) if packed else text)
    return min(folder.iterdir(), key=lambda path: path.name)


def read(path: Path, language: str = "en", **options: object) -> GenevalTest:
    """The test that a file becomes."""
    test = MtGenevalFormat(MtGenevalFormat.option_type(**options)).read(
        locate(str(path), "en/mine", language)
    )
    assert isinstance(test, GenevalTest)
    return test


@pytest.fixture
def sentences(tmp_path: Path) -> GenevalTest:
    return read(write(tmp_path, SENTENCES, "sentences"))


@pytest.fixture
def contexts(tmp_path: Path) -> GenevalTest:
    return read(write(tmp_path, CONTEXT, "context"))
