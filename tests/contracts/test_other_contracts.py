"""The contracts of transforms, languages, formats and exporters name the clause that is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from biascore import Engine, Run
from biascore.api.exporters import Exported, Exporter
from biascore.api.formats import ColumnOptions, DataFile, DataFormat, Test, read_table
from biascore.api.languages import Gender, GenderEvidence, Language, SpeakerFrames, SpeakerGender
from biascore.api.stimuli import WordList
from biascore.api.transforms import FittedTransform, Options, Transform, TransformContext, Vectors
from biascore.testing import (
    CLAUSES,
    ExporterContract,
    FormatContract,
    LanguageContract,
    NotAskedError,
    TransformContract,
    check_exporter,
    check_format,
    check_language,
    check_transform,
)

from ..plugins.made import engine_with, module_of, plugins_of, registers


def broken(contract: Any) -> dict[str, str]:
    found = {}
    for clause in contract.clauses():
        try:
            clause()
        except AssertionError as error:
            found[clause.name] = str(error)
        except NotAskedError:
            continue
    contract.close()
    assert all(
        CLAUSES[type(contract).__name__.removesuffix("Contract").lower()][name] in said
        for name, said in found.items()
    )
    return found


# Transforms


class Moved(FittedTransform):
    def __init__(self, by: float) -> None:
        self.by, self.digest = by, f"blake2b:{by}"
        self.facts: Mapping[str, Any] = {"by": by}
        self.warnings = ()
        self.trace = ()

    def apply(self, vectors: npt.NDArray[np.float32], words: Sequence[str]) -> npt.NDArray[np.float32]:
        return (vectors + self.by).astype(np.float32)


class Wide(Moved):
    def apply(self, vectors: npt.NDArray[np.float32], words: Sequence[str]) -> npt.NDArray[np.float32]:
        return vectors[:, :1]


class InPlace(Moved):
    def apply(self, vectors: npt.NDArray[np.float32], words: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors += np.float32(self.by)
        return vectors


class OfTheBatch(Moved):
    def apply(self, vectors: npt.NDArray[np.float32], words: Sequence[str]) -> npt.NDArray[np.float32]:
        return vectors - vectors.mean(axis=0)


class Stepping(Moved):
    def steps(self) -> tuple[FittedTransform, ...]:
        return (Moved(0.0),)


class Listing(Moved):
    def __init__(self, by: float) -> None:
        super().__init__(by)
        self.facts = {"by": [by]}


class Move(Transform[Options]):
    name: ClassVar[str] = "move"
    summary: ClassVar[str] = "every vector moved"
    reference: ClassVar[str] = "a test"
    made: Callable[[float], Moved] = Moved
    fits = 0

    def words(self, context: TransformContext) -> Mapping[str, Sequence[str]]:
        return {"words": context.catalogue.test("en/weat7").roles["X"].words}

    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        return self.made(0.5)


class Drifting(Move):
    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        type(self).fits += 1
        return Moved(float(self.fits))


def test_a_transform_that_keeps_its_contract(engine: Engine) -> None:
    check_transform(Move(Options()), "planted:en/weat7=1", engine=engine)


@pytest.mark.parametrize(
    ("made", "clause"),
    [(Wide, "shape"), (InPlace, "shape"), (OfTheBatch, "rows"), (Stepping, "steps"), (Listing, "facts")],
)
def test_a_transform_that_breaks_its_contract(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, made: Callable[[float], Moved], clause: str
) -> None:
    monkeypatch.setattr(Move, "made", made)
    assert clause in broken(TransformContract(Move(Options()), "planted:en/weat7=1", engine=engine))


def test_a_transform_that_is_fitted_otherwise_each_time(engine: Engine) -> None:
    assert "same" in broken(TransformContract(Drifting(Options()), "planted:en/weat7=1", engine=engine))


# Languages


class Ends:
    """The gender by the last letter of the first word."""

    name = "ends"
    shift = 0
    seen = 0
    crashes = False
    counts = False

    def detect(self, sentence: str) -> SpeakerGender:
        if self.crashes and not sentence.strip():
            raise IndexError("no word")
        words = sentence.split()
        Ends.seen += 1
        if not words or words[0][-1] not in "ao" or (self.counts and Ends.seen % 2):
            return SpeakerGender(Gender.NONE, ())
        gender = Gender.FEMININE if words[0].endswith("a") else Gender.MASCULINE
        start = sentence.index(words[0]) + self.shift
        return SpeakerGender.of([GenderEvidence(words[0], (start, start + len(words[0])), gender, "ends")])


SENTENCES = {"Stanca sono.": "feminine", "Stanco sono.": "masculine", "Piove.": "none"}


def speaking(monkeypatch: pytest.MonkeyPatch, frames: SpeakerFrames | None = None, **changes: Any) -> Engine:
    detector = type("Changed", (Ends,), changes)
    language = Language("xx", "Exish", speaker_gender=detector, speaker_frames=frames)
    return engine_with(
        monkeypatch, plugins_of(monkeypatch, module_of("made", register_languages=registers(language)))
    )


def test_a_language_that_keeps_its_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = SpeakerFrames("Stanco dico: {}", "Stanca dico: {}")
    check_language("xx", SENTENCES, engine=speaking(monkeypatch, frames))


@pytest.mark.parametrize(
    ("changes", "clause"),
    [
        ({"shift": 1}, "evidence"),
        ({"crashes": True}, "any text"),
        ({"counts": True}, "same"),
        ({"frames": SpeakerFrames("Stanca dico: {}", "Stanco dico: {}")}, "frames"),
    ],
)
def test_a_language_that_breaks_its_contract(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], clause: str
) -> None:
    assert clause in broken(LanguageContract("xx", SENTENCES, speaking(monkeypatch, **changes)))


def test_what_is_expected_of_a_language(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = speaking(monkeypatch)
    assert "detects" in broken(LanguageContract("xx", {"Stanca sono.": "masculine"}, engine))
    assert "detects" in broken(LanguageContract("xx", {}, engine))
    assert "registered" in broken(LanguageContract("yy", SENTENCES, engine))


# Formats


class Words(DataFormat[ColumnOptions]):
    id: ClassVar[str] = "made-words"
    summary: ClassVar[str] = "words"
    example: ClassVar[str] = "words.csv"
    kind = "weat"
    reads = 0

    def rows(self, file: DataFile) -> Iterable[str]:
        return (row.fields["word"] for row in read_table(file.path, file.display, ["word"]).rows)

    def read(self, file: DataFile) -> Test:
        words = WordList("words", tuple(self.rows(file)))
        return Test(kind=self.kind, roles=dict.fromkeys("XYAB", words), **file.stated)


class OtherKind(Words):
    kind = "no-such-kind"


class Naive(Words):
    def rows(self, file: DataFile) -> Iterable[str]:
        header, *lines = file.path.read_text(encoding="utf-8").split("\n")
        return [line.split(",")[header.split(",").index("word")] for line in lines if line]


class Beside(Words):
    """The roles are in another file of the folder."""

    def rows(self, file: DataFile) -> Iterable[str]:
        file.path.with_name("roles.txt").read_text(encoding="utf-8")
        return super().rows(file)


class Another(Words):
    def read(self, file: DataFile) -> Test:
        words = WordList("words", tuple(self.rows(file)))
        return Test(kind="weat", roles=dict.fromkeys("XYAB", words), **{**file.stated, "id": "en/other"})


class Counting(Words):
    def rows(self, file: DataFile) -> Iterable[str]:
        Words.reads += 1
        return [f"word{self.reads}"]


def reading(monkeypatch: pytest.MonkeyPatch, kind: type[DataFormat]) -> Engine:
    return engine_with(
        monkeypatch, plugins_of(monkeypatch, module_of("made", register_formats=registers(kind)))
    )


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.csv"
    path.write_text("word,role\nsun,X\nmoon,Y\n", encoding="utf-8")
    return path


def test_a_format_that_keeps_its_contract(monkeypatch: pytest.MonkeyPatch, words: Path) -> None:
    check_format("made-words", words, language="en", engine=reading(monkeypatch, Words))


@pytest.mark.parametrize(
    ("kind", "clauses"),
    [
        (OtherKind, {"measures"}),
        (Naive, {"same", "damaged"}),
        (Another, {"reads"}),
        (Counting, {"same"}),
    ],
)
def test_a_format_that_breaks_its_contract(
    monkeypatch: pytest.MonkeyPatch, words: Path, kind: type[DataFormat], clauses: set[str]
) -> None:
    found = broken(FormatContract("made-words", words, "en", engine=reading(monkeypatch, kind)))
    assert clauses <= set(found)


def test_files_beside_the_named_one_are_copied_and_damaged_as_well(
    monkeypatch: pytest.MonkeyPatch, words: Path
) -> None:
    words.with_name("roles.txt").write_text("X\nY\n", encoding="utf-8")
    engine = reading(monkeypatch, Beside)
    found = broken(FormatContract("made-words", words, "en", engine=engine, beside=["roles.txt"]))
    assert set(found) == {"damaged", "missing"}
    assert "roles.txt of 150 bytes" in found["damaged"]


def test_a_text_that_is_no_table_may_have_a_byte_order_mark_too(
    monkeypatch: pytest.MonkeyPatch, words: Path
) -> None:
    text = words.rename(words.with_suffix(".txt"))
    assert "same" in broken(FormatContract("made-words", text, "en", engine=reading(monkeypatch, Naive)))


# Exporters


class Plain(Exporter):
    id: ClassVar[str] = "plain"
    summary: ClassVar[str] = "names"
    suffix: ClassVar[str] = ".txt"
    exports = 0

    def said(self, run: Run) -> str:
        return "\n".join(f"{one.model} {one.test}" for one in run.measurements)

    def export(self, run: Run) -> tuple[Exported, ...]:
        return (Exported(self.said(run)),)


class Nameless(Plain):
    def said(self, run: Run) -> str:
        return "\n".join(one.model for one in run.measurements)


class Missing(Plain):
    def said(self, run: Run) -> str:
        return f"{super().said(run)} None"


class Careless(Plain):
    """It writes what a test of too few words has none of."""

    def said(self, run: Run) -> str:
        return f"{super().said(run)} {[one.headline.value for one in run]}"


class Dated(Plain):
    def said(self, run: Run) -> str:
        Plain.exports += 1
        return f"{super().said(run)} {Plain.exports}"


class Ringing(Plain):
    def said(self, run: Run) -> str:
        return f"{super().said(run)}\a"


class OfNobody(Plain):
    def export(self, run: Run) -> tuple[Exported, ...]:
        return (Exported(self.said(run), "nobody"),)


class Bare(Plain):
    def export(self, run: Run) -> Any:
        return self.said(run)


def writing(monkeypatch: pytest.MonkeyPatch, kind: type[Exporter]) -> Engine:
    return engine_with(
        monkeypatch, plugins_of(monkeypatch, module_of("made", register_exporters=registers(kind)))
    )


@pytest.fixture(scope="module")
def runs(engine: Engine) -> tuple[Run, ...]:
    models = ["planted:en/weat7=1", "planted:en/weat7=0"]
    return (engine.measure("weat", models, ["en/weat7", "en/weat8"], draws=199, resamples=100),)


def test_an_exporter_that_keeps_its_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    check_exporter("plain", engine=writing(monkeypatch, Plain))


@pytest.mark.parametrize(
    ("kind", "clause"),
    [
        (Nameless, "names"),
        (Missing, "missing"),
        (Careless, "missing"),
        (Dated, "same"),
        (Ringing, "texts"),
        (OfNobody, "texts"),
        (Bare, "texts"),
    ],
)
def test_an_exporter_that_breaks_its_contract(
    monkeypatch: pytest.MonkeyPatch, kind: type[Exporter], clause: str, runs: tuple[Run, ...]
) -> None:
    # A run with a measurement that has no value is made where none is given.
    given = () if clause == "missing" else runs
    assert clause in broken(ExporterContract("plain", given, engine=writing(monkeypatch, kind)))
