"""``biascore audit``: one command for one model, and the audit file from which the next step starts."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import typer

from biascore import Audit, Engine, Run
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.queries import Text
from biascore.audits.making import grounds_of, not_planted
from biascore.errors import OptionsError, UnknownNameError
from biascore.results.left_out import not_asked
from biascore.stats import Verdict

from ..builders.word_lists import write_weat
from .conftest import Done

GROUNDS = {
    "gender", "race", "age", "religion", "disability", "sexual orientation", "nationality", "body", "class",
}  # fmt: skip
HEAD = 'schema = 1\n[meta]\nlanguage = "xx"\nsource = "own"\nlicence = "CC0"\n'
TESTS = "".join(
    f'[tests.{name}]\nkind = "weat"\ntitle = "{name}"\nconcept = "{concept}"\nX = "x"\nY = "{y}"\nA = "a"\nB = "b"\n'
    'positive_means = "x with a"\nmin_used = 0.75\n'
    for name, concept, y in (
        ("audit-tiny", "gender", "y"),
        ("audit-tiny-short", "gender", "few"),
        ("audit-old", "age", "y"),
        ("tiny", "gender", "few"),
    )
)


def own_lists(n: int) -> str:
    lists = "".join(f"[lists.{x}]\nwords = {json.dumps([f'{x}{i}' for i in range(n)])}\n" for x in "xyab")
    return f'{HEAD}title = "mine"\n{lists}[lists.few]\nwords = ["y0", "y1", "y2", "y3"]\n{TESTS}'


N = 20  # partitions of so few are counted, in a tenth of the time that it takes to draw some of more
OWN = own_lists(N)
TOPICS = f'{HEAD}title = "topics"\n' + "".join(
    f"[lists.t{i}]\nwords = {json.dumps([f't{i}w{j}' for j in range(12)])}\n" for i in range(30)
)
REF = "fasttext:own.vec"


class Noise(Backend):
    """Vectors without any association."""

    identity = Identity(digest="test:noise")

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: str) -> npt.NDArray[np.float32]:
        rows = [np.random.default_rng(zlib.crc32(text.text.encode())).normal(size=50) for text in texts]
        return np.array(rows, dtype=np.float32)


@pytest.fixture
def audit(request, biascore: Callable[..., Done], tmp_path_factory) -> Callable[..., str]:
    """``audit("--quick")`` on vectors with X near A, harmless topics and tests of two grounds: what it printed."""
    words = getattr(request, "param", N)
    own = write_weat(tmp_path_factory.mktemp("mine"), own_lists(words), language="xx")
    own.with_name("topics.toml").write_text(TOPICS, encoding="utf-8")
    mine = own.parents[1]
    rng = np.random.default_rng(4)
    rows = []
    for role, side in {"x": 1, "y": -1, "a": 1, "b": -1}.items():
        for i in range(words):
            vector = rng.normal(size=20) + 2 * side * np.eye(20)[0]
            rows.append(" ".join([f"{role}{i}", *(f"{one:.4f}" for one in vector)]))
    for word in (f"t{i}w{j}" for i in range(30) for j in range(12)):
        rows.append(" ".join([word, *(f"{one:.4f}" for one in rng.normal(size=20))]))
    Path("own.vec").write_text("\n".join([f"{len(rows)} 20", *rows, ""]), encoding="utf-8")

    def call(*more: str, code: int = 0) -> str:
        done = biascore("audit", REF, "--language", "xx", "--stimuli", str(mine), *more, code=code)
        return " ".join((done.stdout + done.stderr).split())

    return call


def here() -> set[str]:
    """What is in the current folder next to the vectors."""
    return {path.name for path in Path().iterdir()} - {"own.vec", "cache"}


def asked_of(file: Path) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.metric, tuple(one.tests)) for one in Audit.load(file).measurements]


@pytest.mark.parametrize("audit", [40], indirect=True)  # so many words detect an effect of 0.8
def test_run_report_and_audit_file_are_written_side_by_side(
    audit: Callable[..., str], biascore: Callable[..., Done]
) -> None:
    said = audit()
    name = "audit-fasttext-own.vec"
    assert here() == {name, f"{name}.html", f"{name}.toml"}
    assert "3 tests with weat (age, gender)" in said
    assert "Bias on" in said
    first = Run.load(name)
    assert asked_of(Path(f"{name}.toml"))[0] == (
        "weat",
        ("xx/audit-tiny", "xx/audit-tiny-short", "xx/audit-old"),
    )
    found = {(one.model, one.test): said.verdict for one, said in zip(first, first.verdicts, strict=True)}
    assert found[REF, "xx/audit-tiny"] is Verdict.DETECTED
    controls = {model: one for (model, _), one in found.items() if model.startswith("planted, ")}
    assert controls["planted, d = 0.8"] is Verdict.DETECTED
    assert controls["planted, no bias"] is not Verdict.DETECTED
    # The file alone repeats it.
    biascore("run", f"{name}.toml", "--out", "again")
    assert [one.headline for one in Run.load("again")] == [one.headline for one in first]


def test_an_audit_file_that_is_another_one_is_kept(audit: Callable[..., str]) -> None:
    file = Path("audit-fasttext-own.vec.toml")
    file.write_text("# my gates\n")
    said = audit("--quick", "--ground", "gender", code=2)
    assert "is there and is another audit" in said
    assert file.read_text() == "# my gates\n"
    assert here() == {file.name}
    audit("--quick", "--ground", "gender", "--force")
    assert [tests for _, tests in asked_of(file)] == [("xx/audit-tiny",), ("xx/audit-tiny",)]


def test_without_a_run_no_audit_file_stands_in_the_way_of_the_next_try(
    audit: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object) -> None:
        first = given[-1]
        assert callable(first)
        first(False)
        raise typer.Exit(6)

    monkeypatch.setattr("biascore.cli.auditing.run_and_deliver", fails)
    audit("--quick", code=6)
    assert here() == set()


def test_long_work_does_not_start_without_yes(
    audit: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biascore.cli.auditing.MINUTES", 0)
    said = audit("--ground", "gender", code=2)
    assert here() == set()
    assert "standard: 2 tests with weat (gender)" in said
    assert (
        "nothing was measured. Start it with --yes or --design standard, or ask less: --design small" in said
    )
    audit("--ground", "gender", "--yes")
    assert len(Run.load("audit-fasttext-own.vec")) == 4


@pytest.mark.slow
def test_a_design_that_is_named_starts_and_says_what_it_leaves_out(
    audit: Callable[..., str], biascore: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biascore.cli.auditing.MINUTES", 0)
    said = audit("--quick", "--ground", "gender")
    assert "small: 1 tests with weat (gender)" in said
    assert "Not asked: 1 test left out by the design small: xx/audit-tiny-short." in said
    name = "audit-fasttext-own.vec"
    stored = json.loads(Path(name, "run.json").read_text(encoding="utf-8"))["provenance"]["audit"]
    assert (stored["design"], stored["not_asked"]) == ("small", ["xx/audit-tiny-short"])
    page = Path(f"{name}.html").read_text(encoding="utf-8")
    assert "<details><summary>Not asked: 1 test left out by the design small</summary>" in page
    assert not_asked(Run.load(name)) == ("xx/audit-tiny-short",)
    # A gate on it is refused, of the run and before one.
    rule = "xx/audit-tiny-short:fail_on=detected"
    for command in (("gate", name), ("run", f"{name}.toml", "--out", "again")):
        told = biascore(*command, "--gate", rule, code=2).stderr
        assert "does not ask xx/audit-tiny-short: --design standard does" in " ".join(told.split())
    assert not Path("again").exists()


def test_a_run_that_is_resumed_is_neither_estimated_nor_asked_about(
    audit: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def resumes(*given: object) -> None:
        first = given[-1]
        assert callable(first)
        first(True)

    monkeypatch.setattr("biascore.cli.auditing.run_and_deliver", resumes)
    monkeypatch.setattr("biascore.cli.auditing.MINUTES", 0)
    assert "queries" not in audit("--quick")


def test_a_design_that_was_recommended_is_resumed_without_another_probe(
    audit: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def resumes(chosen: Audit, *given: object) -> None:
        first = given[-1]
        assert callable(first)
        begun.append(chosen.design)
        first(True)

    monkeypatch.setattr("biascore.cli.auditing.unfinished", lambda _folder, one: one.design == "small")
    monkeypatch.setattr("biascore.cli.auditing.run_and_deliver", resumes)
    assert "queries" not in audit("--minutes", "1")
    assert begun == ["small"]
    assert "--minutes recommends a design, and one is named" in audit("--minutes", "1", "--quick", code=2)


@pytest.mark.slow
def test_grounds_and_quick_choose_tests(audit: Callable[..., str]) -> None:
    audit("--ground", "Gender", "--out", "one")
    audit("--quick", "--out", "two")
    assert asked_of(Path("one.toml"))[0] == ("weat", ("xx/audit-tiny", "xx/audit-tiny-short"))
    assert asked_of(Path("two.toml"))[0] == ("weat", ("xx/audit-tiny", "xx/audit-old"))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--ground", "gendre"), "no audit test of the ground 'gendre' in xx"),
        (("--ground", "gendre"), "The grounds are: age, gender"),
        (("--language", "pt"), "There are some in: de, en, es, fr, it, pl, xx"),
    ],
)
def test_what_there_is_not_is_told_with_what_there_is(
    audit: Callable[..., str], more: tuple[str, ...], told: str
) -> None:
    assert told in audit(*more, code=2)
    assert here() == set()


def test_a_translator_is_audited_in_the_languages_that_are_named(
    tmp_path: Path, biascore: Callable[..., Done]
) -> None:
    file = tmp_path / "given.csv"
    file.write_text("sentence,translation\nI am here.,Soy yo.\n", encoding="utf-8")
    engine = Engine(cache=None)
    with pytest.raises(OptionsError, match=r"translates: name the languages to audit it in"):
        engine.audit(engine.model(f"answers:{file}"))
    test = engine.catalogue.test("en/gest_own")
    rows = "".join(f'"{one.sentence}",Estoy cansado.\n' for one in test.samples.rows)
    file.write_text(f"sentence,translation\n{rows}", encoding="utf-8")
    said = " ".join(biascore("audit", f"answers:{file}", "--to", "es", "--out", "given").stdout.split())
    assert "A masculine default was found" in said
    found = {(one.test, one.subject): one.verdict for one in Run.load("given")}
    assert found["en/gest_own", "English to Spanish, masculine default"] is Verdict.DETECTED
    assert found["en/audit-stated", "English to Spanish, stated gender"] is Verdict.NOT_MEASURED


def test_every_ground_has_an_english_test_for_each_kind_of_model() -> None:
    engine = Engine(cache=None)
    tests = [engine.catalogue.test(id) for id in _tests(engine.audit("planted:en/weat6=0"))]
    assert {ground for test in tests for ground in grounds_of(test)} - {"baseline"} == GROUNDS
    # The same tests are asked of language models, in sentences of their own.
    assert all(test.asked_in for test in tests if "/audit-" in test.id)


@pytest.mark.parametrize("language", ["es", "it", "fr", "de", "pl"])
def test_other_languages_have_tests_of_four_grounds_and_more(language: str) -> None:
    engine = Engine(cache=None)
    tests = [
        engine.catalogue.test(id) for id in _tests(engine.audit("planted:en/weat6=0", language=language))
    ]
    assert {"gender", "race", "age", "religion", "class"} <= {
        one for test in tests for one in grounds_of(test)
    }


def _tests(audit: Audit) -> list[str]:
    return [id for one in audit.measurements for id in one.tests]


def test_a_language_model_is_asked_in_sentences(saved_model) -> None:
    engine = Engine(cache=None)
    for kind, more in (("bert-uncased", []), ("gpt2", ["bbq"])):
        chosen = engine.audit(f"hf:{saved_model(kind)}", grounds=["gender"], quick=True)
        assert [one.metric for one in chosen.measurements] == [*more, "lpbs", "lpbs"], kind


class Moods(Backend):
    """Each text has as much anger as joy."""

    identity = Identity(digest="test:moods", quantities=("anger", "joy"))

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        return np.array([zlib.crc32(text.encode()) % 1000 / 1000 for text in texts])


def test_a_regressor_of_emotions_is_asked_an_equity_corpus() -> None:
    engine = Engine(cache=None)
    with engine.model(Moods(), name="moods") as model:
        chosen = engine.audit(model, language="es")
        assert [(one.metric, one.tests) for one in chosen.measurements] == [("eec", ("es/eec",))]
        run = engine.run(chosen, [model])
    assert {one.metric for one in run} == {"eec"}


def test_a_ground_is_misspelt_in_python() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean religion"):
        Engine(cache=None).audit("planted:en/weat6=0", grounds=["religon"])


def test_an_inconclusive_test_names_longer_ones_of_its_ground(tmp_path: Path) -> None:
    write_weat(tmp_path, OWN, language="xx")
    engine = Engine(cache=None, stimuli=[tmp_path])
    run = engine.measure("weat", "planted:xx/*=0", ["xx/tiny", "xx/audit-tiny"], resamples=100, draws=200)
    short, long = run
    assert short.verdict is Verdict.INCONCLUSIVE
    assert short.longer == ("xx/audit-tiny",)
    assert "Longer tests of gender, which see smaller effects: xx/audit-tiny" in short.reason
    assert long.longer == ()
    alone = engine.measure("weat", Noise(), "xx/tiny", resamples=100, draws=200)
    assert "Longer tests see smaller effects" in str(alone) + alone._repr_html_()


@pytest.mark.parametrize("out", [".", ".."])
def test_a_run_needs_a_folder_with_a_name(audit: Callable[..., str], out: str) -> None:
    before = {path.name for path in Path("..").iterdir()}
    assert "names no folder to make" in audit("--quick", "--out", out, code=2)
    assert here() == set()
    assert {path.name for path in Path("..").iterdir()} == before


def test_nothing_is_written_beside_a_page_that_is_not_ours(audit: Callable[..., str]) -> None:
    Path("two.html").write_text("<p>mine</p>")
    audit("--quick", "--out", "two", code=2)
    assert here() == {"two.html"}


@pytest.mark.slow
def test_the_audit_file_runs_from_another_folder(
    audit: Callable[..., str], biascore: Callable[..., Done], tmp_path_factory: pytest.TempPathFactory
) -> None:
    Path("in").mkdir()
    mine = write_weat(Path.cwd() / "mine-too", OWN.replace("xx", "yy"), language="yy").parents[1]
    audit("--quick", "--stimuli", str(mine.relative_to(Path.cwd())), "--out", "in/it")
    biascore("run", "in/it.toml", "--out", "again")


def _vocabulary(path: Path, words: Iterable[str]) -> Path:
    numbers = np.random.default_rng(7)
    rows = (f"{word} {' '.join(f'{v:.3f}' for v in numbers.normal(size=4))}\n" for word in words)
    path.write_text("".join(rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("language", ["es", "fr", "de", "it", "pl"])
@pytest.mark.parametrize("foreign", [pytest.param(False, marks=pytest.mark.slow), True])
def test_vectors_of_another_language_are_not_asked_in_english(
    language: str, foreign: bool, tmp_path: Path, engine: Engine
) -> None:
    """With the words of the English tests at the end of the file, as vectors of many languages have them."""
    found: dict[str, dict[str, None]] = {}
    for test in engine.catalogue.tests:
        for one in test.roles.values():
            found.setdefault(test.language, {}).update(dict.fromkeys(one.words))
    words = [
        "y",
        "a",
        *found[language],
        *(f"palabra{n}" for n in range(20_000)),
        *(found["en"] if foreign else ()),
    ]
    path = _vocabulary(tmp_path / "v.vec", dict.fromkeys(words))
    with pytest.raises(OptionsError, match=f"language='{language}'"):
        engine.audit(f"fasttext:{path}", quick=True)
    assert _tests(engine.audit(f"fasttext:{path}", language=language, quick=True))[0].startswith(
        f"{language}/"
    )
    if foreign:
        assert _tests(engine.audit(f"fasttext:{path}", language="en", quick=True))[0].startswith("en/")


def test_english_vectors_need_no_language(tmp_path: Path) -> None:
    catalogue = Engine(cache=None).catalogue
    order = sorted(catalogue.tests, key=lambda test: test.language != "en")
    words = dict.fromkeys(word for test in order for one in test.roles.values() for word in one.words)
    chosen = Engine(cache=None).audit(f"fasttext:{_vocabulary(tmp_path / 'v.vec', words)}", quick=True)
    assert _tests(chosen)[0].startswith("en/")


def test_an_audit_that_measures_nothing_of_what_was_planted_says_so() -> None:
    engine = Engine(cache=None)
    for ref, ground, told in (
        ("planted:race=1.2", "race", "this audit measures none of them"),
        ("planted:en/audit-gender-career-family=1.2", "gender", ""),
        ("planted:gender=1.2", "gender", ""),  # its choices are
        ("planted:gender=0", "gender", ""),
    ):
        with engine.model(ref) as model:
            found = not_planted(model, engine.audit(model, grounds=[ground], quick=True))
        assert told in found, ref
        assert bool(found) == bool(told), ref
