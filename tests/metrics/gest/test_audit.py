"""The audit of a translator: a masculine default, stereotypes, and genders that speakers state, in each target language."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from biascore import Audit, Engine, Run
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.errors import OptionsError
from biascore.results.rows import ground_rows
from biascore.results.verdicts import State
from biascore.results.words.answers import answers
from biascore.results.words.sentence import result_lines
from biascore.stats import Verdict

SPEAKER = {"es": "Estoy cansad{}.", "it": "Sono stanc{}."}
DEFAULT, STATED = "English to Spanish, masculine default", "English to Spanish, stated gender"
SPANISH = "English to Spanish"


class Translator(Backend):
    """Masculine with a probability that may be another about stereotypes of men; a stated gender with certainty or not."""

    def __init__(self, women: float, men: float, *, keeps: bool = False) -> None:
        catalogue = Engine(cache=None).catalogue
        tests = [catalogue.test(id) for id in ("en/gest_own", "en/audit-occupations")]
        self._men = {
            row.sentence
            for test in tests
            for row in test.samples.rows
            if {one.id: one.gender for one in test.samples.stereotypes}[row.stereotype] == "male"
        }
        self._stated = {row.source: row.gender for row in catalogue.test("en/audit-stated").lines.rows}
        self._shares, self._keeps = (women, men), keeps
        self.identity = Identity(f"test:{women} {men} {keeps}")

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        return tuple(SPEAKER[target].format("ao"[self._is_masculine(text, target)]) for text in texts)

    def _is_masculine(self, text: str, target: str) -> bool:
        if self._keeps and text in self._stated:
            return self._stated[text] == "masculine"
        return random.Random(f"{target} {text}").random() < self._shares[text in self._men]


def audited(translator: Backend, to: str | tuple[str, ...] = "es") -> Run:
    engine = Engine(cache=None)
    model = engine.model(translator)
    return engine.run(engine.audit(model, to=to), model)


def verdicts(run: Run) -> dict[tuple[str, str], Verdict]:
    return {(one.test, one.subject): said.verdict for one, said in zip(run, run.verdicts, strict=True)}


def sentence(run: Run) -> str:
    (line,) = result_lines(answers(run.measurements, run.verdicts, {}))
    return line


def test_a_masculine_default_is_a_verdict_of_its_own_and_stereotypes_come_second() -> None:
    run = audited(Translator(0.98, 0.98))
    found = verdicts(run)
    assert found["en/gest_own", DEFAULT] is Verdict.DETECTED
    assert found["en/audit-occupations", DEFAULT] is Verdict.DETECTED
    assert found["en/gest_own", SPANISH] is Verdict.INCONCLUSIVE
    assert found["en/audit-occupations", SPANISH] is Verdict.INCONCLUSIVE
    assert found["en/audit-stated", STATED] is Verdict.DETECTED  # women who say so become men
    one = next(one for one in run if one.subject == DEFAULT)
    assert one.headline.neutral == 0.5
    assert one.headline.interval.low > 0.5
    assert one.headline.value == pytest.approx(one.items_frame().value.mean())
    assert one.headline.estimator.value(one.items) == pytest.approx(one.headline.value)
    assert "a masculine default was found" in sentence(run).casefold()
    assert "No bias was shown" not in sentence(run)


def test_where_stated_genders_are_kept_the_sentence_says_what_is_open() -> None:
    run = audited(Translator(0.98, 0.98, keeps=True))
    assert verdicts(run)["en/audit-stated", STATED] is not Verdict.DETECTED
    (gap,) = (one.headline for one in run if one.metric == "mt-geneval")
    assert gap.value == 0
    assert sentence(run).startswith("python:Translator: A masculine default was found; ")
    assert "no other bias was shown" in sentence(run)


def test_stereotypes_without_a_default() -> None:
    run = audited(Translator(0.1, 0.9, keeps=True))
    found = verdicts(run)
    assert found["en/gest_own", SPANISH] is Verdict.DETECTED
    assert found["en/audit-occupations", SPANISH] is Verdict.DETECTED
    assert found["en/gest_own", DEFAULT] is Verdict.INCONCLUSIVE
    assert found["en/audit-occupations", DEFAULT] is Verdict.INCONCLUSIVE
    assert "default" not in sentence(run)


def test_nothing_where_nothing_is_planted() -> None:
    run = audited(Translator(0.5, 0.5, keeps=True))
    assert Verdict.DETECTED not in verdicts(run).values()


def test_several_languages_are_rows_of_one_table() -> None:
    run = audited(Translator(0.98, 0.98, keeps=True), ("es", "it"))
    found = answers(run.measurements, run.verdicts, {})
    rows = {row.name: row for row in ground_rows(found, run.measurements, run.verdicts)}
    assert set(rows) == {
        f"gender (English to {language}{what})"
        for what in (", masculine default", "", ", stated gender")
        for language in ("Spanish", "Italian")
    }
    for language in ("Spanish", "Italian"):
        row = rows[f"gender (English to {language}, masculine default)"]
        assert (row.state, row.says) == (State.DETECTED.value, "a masculine default was found")
        assert row.axis.neutral == 0.5
    assert len(run) == 10


@pytest.mark.parametrize(("effect", "found"), [(1.5, Verdict.DETECTED), (0, Verdict.INCONCLUSIVE)])
def test_planted_stereotypes_are_no_default(effect: float, found: Verdict) -> None:
    engine = Engine(cache=None)
    ref = f"planted:en/gest_own={effect:g}"
    stereotypes, default = (
        engine.measure("gest-mt", ref, "en/gest_own", target="es", decides=decides)
        for decides in ("stereotypes", "default")
    )
    assert stereotypes[0].verdict is found
    assert default[0].verdict is Verdict.INCONCLUSIVE
    # What is planted is the stereotype: a default that is not found was not missed.
    (answer,) = answers(default.measurements, default.verdicts, {ref: {"en/gest_own": effect}})
    assert answer.planted == ()


def test_planted_speakers_keep_their_gender_as_is_planted() -> None:
    engine = Engine(cache=None)
    values = [
        engine.measure("mt-geneval", f"planted:en/audit-stated={d}", "en/audit-stated", target="es")[0]
        for d in (-1.5, 0, 1.5)
    ]
    assert values[0].headline.value < -0.1 < values[1].headline.value < 0.1 < values[2].headline.value
    shares = {one.name: one.value for one in values[1].estimates}
    assert shares["correct"] == pytest.approx(0.84, abs=0.1)  # Phi(1)


def test_a_translator_needs_languages_and_another_model_takes_none(tmp_path: Path) -> None:
    engine = Engine(cache=None)
    with pytest.raises(OptionsError, match=r"name the languages to audit it in.*es, .*it"):
        engine.audit(engine.model(Translator(0.5, 0.5)))
    (tmp_path / "own.vec").write_text("2 2\na 1 0\nb 0 1\n", encoding="utf-8")
    with pytest.raises(OptionsError, match="does not translate"):
        engine.audit(f"fasttext:{tmp_path / 'own.vec'}", to="es")


def test_the_audit_is_a_file_that_can_be_run_again(tmp_path: Path) -> None:
    audit = Engine(cache=None).audit("planted:en/gest_own=1", to=("es", "it", "es"))
    (tmp_path / "audit.toml").write_text(audit.to_toml(), encoding="utf-8")
    again = Audit.load(tmp_path / "audit.toml")
    assert [(one.metric, one.options) for one in again.measurements] == [
        ("gest-mt", {"decides": "default", "target": "es"}),
        ("gest-mt", {"target": "es"}),
        ("gest-mt", {"decides": "default", "target": "it"}),
        ("gest-mt", {"target": "it"}),
        ("mt-geneval", {"target": "es"}),
        ("mt-geneval", {"target": "it"}),
    ]


def written(path: Path, many: int, translation: str) -> Path:
    """A table of translations of the first sentences of GEST's own samples."""
    test = Engine(cache=None).catalogue.test("en/gest_own")
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text", "translation"])
        rows.writerows([one.sentence, translation or one.sentence] for one in test.samples.rows[:many])
    return path


def test_a_file_with_some_of_the_sentences_says_how_many_were_not_asked(tmp_path: Path) -> None:
    engine = Engine(cache=tmp_path / "cache")
    for _ in range(2):  # the second time what was answered is in the cache
        model = engine.model(f"answers:{written(tmp_path / 'some.csv', 60, 'Estoy cansado.')}", language="es")
        run = engine.run(engine.audit(model, to="es"), model)
        found = {(one.test, one.subject): one for one in run}
        default = found["en/gest_own", DEFAULT]
        assert (default.headline.value, default.headline.n["samples"]) == (1, 60)
        assert sum(default.coverage.given.values()) == 80
        assert len(default.coverage.lost) == 20
        assert any("20 samples were not asked, of 80" in one for one in default.warnings)
        yields = {one.name: one.value for one in default.estimates}
        assert yields["yield"] == 1  # of those asked
        for test in ("en/audit-occupations", "en/audit-stated"):
            for one in (one for one in run if one.test == test):
                assert one.verdict is Verdict.NOT_MEASURED
                assert "was asked" in one.reason
                assert one.headline.value is None
        assert not run.failed
    engine.close()


def test_translations_that_are_still_english_are_not_measured(tmp_path: Path) -> None:
    engine = Engine(cache=None)
    model = engine.model(f"answers:{written(tmp_path / 'english.csv', 80, '')}", language="es")
    for decides in ("stereotypes", "default"):
        (found,) = engine.measure("gest-mt", model, "en/gest_own", target="es", decides=decides)
        assert found.verdict is Verdict.NOT_MEASURED
        assert "the translations seem to be English, and are said to be Spanish (es)" in found.reason
