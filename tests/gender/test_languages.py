"""Languages that several plugins know, and detectors that two of them bring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biascore.api.languages import Language, SpeakerFrames, hookimpl, language_with_rules
from biascore.basics.tags import canonical_tag
from biascore.cli import inspect
from biascore.errors import PluginError, PluginFailedError, UnknownNameError
from biascore.languages.gender import NO_SPEAKER_GENDER, SpeakerGender
from biascore.languages.gender_trace import trace_gender
from biascore.plugins.loading import Plugins

from ..builders.points import own


class Nobody:
    name = "nobody"

    def detect(self, sentence: str) -> SpeakerGender:
        return NO_SPEAKER_GENDER


class Point:
    """An entry point of a distribution that is not installed."""

    def __init__(self, name: str, language: Language, words: Path | None = None) -> None:
        self.name = self.value = name
        self.dist = None
        self.group = "biascore"
        self.language = language
        self.words = words

    def load(self) -> object:
        language, words = self.language, self.words

        class Plugin:
            @hookimpl
            def register_languages(self, register: Any) -> None:
                register(language)

            @hookimpl
            def register_wordlists(self, register: Any) -> None:
                if words is not None:
                    register(words, "own")

        return Plugin()


def plugins(*languages: Language) -> Plugins:
    return Plugins([Point(f"p{n}", language) for n, language in enumerate(languages)])  # type: ignore[list-item]


def test_a_second_plugin_adds_what_the_first_does_not_know() -> None:
    found = plugins(Language("xx", "X"), Language("xx", "X", speaker_gender=Nobody))
    assert [record.status for record in found.records] == ["loaded", "loaded"]
    assert found.languages["xx"].speaker_gender is Nobody
    assert found.speaker_gender.get("xx")().name == "nobody"


def test_two_detectors_of_one_language_are_a_conflict() -> None:
    class Other(Nobody):
        pass

    found = plugins(Language("xx", "X", speaker_gender=Nobody), Language("xx", "X", speaker_gender=Other))
    assert [record.status for record in found.records] == ["conflict", "conflict"]
    assert found.languages["xx"].speaker_gender is None
    with pytest.raises(PluginError, match="speaker-gender detector 'xx' is provided by"):
        found.speaker_gender.get("xx")
    with pytest.raises(PluginError, match="speaker-gender detector 'xx' is provided by"):
        found.detector("xx-Latn")


def test_a_language_without_a_detector_says_so() -> None:
    with pytest.raises(UnknownNameError, match="no speaker-gender detector is called 'xx'"):
        plugins(Language("xx", "X")).speaker_gender.get("xx")


def test_a_plugin_that_failed_to_load_is_named_where_its_language_is_missed(tmp_path: Path) -> None:
    (tmp_path / "bg").mkdir()
    (tmp_path / "bg" / "words.toml").write_text("[lists", encoding="utf-8")
    bulgarian = Language("bg", "Bulgarian", speaker_gender=Nobody)
    found = Plugins([Point("bulgar", bulgarian, tmp_path), Point("other", Language("xx", "X"))])  # type: ignore[list-item]
    with pytest.raises(UnknownNameError) as caught:
        found.detector("bg-BG")
    text = str(caught.value)
    assert "the plugin 'bulgar' of unknown 0 is failed: StimuliError" in text
    assert "words.toml" in text
    assert text.endswith("see: biascore plugins")
    assert "biascore-plugin-slavic" not in text


def test_a_plugin_that_cannot_be_imported_may_be_the_one() -> None:
    class Broken(Point):
        def load(self) -> object:
            raise ImportError("no module bulgar")

    found = Plugins([Broken("bulgar", Language("bg", "Bulgarian"))])  # type: ignore[list-item]
    with pytest.raises(
        UnknownNameError, match=r"perhaps it is in what is not loaded: the plugin 'bulgar'.*no module"
    ):
        found.detector("bg")


def test_a_plugin_is_proposed_for_the_languages_that_it_has() -> None:
    with pytest.raises(UnknownNameError, match=r"Install: .*biascore-plugin-slavic"):
        plugins().detector("sr-Latn")
    with pytest.raises(UnknownNameError, match=r"or write its rules: docs/speaker-gender\.md"):
        plugins().detector("mk")


@pytest.mark.parametrize("tag", ["xx-Latn", "XX", "xx_YY", "XX-latn-yy"])
def test_the_detector_of_a_shorter_tag_serves_in_any_case(tag: str) -> None:
    assert plugins(Language("xx", "X", speaker_gender=Nobody)).detector(tag).name == "nobody"


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("SK", "sk"),
        ("pt_br", "pt-BR"),
        ("SR-LATN-rs", "sr-Latn-RS"),
        ("es-419", "es-419"),
        ("Czech", "Czech"),
        ("spa_Latn", "es"),
        ("spa", "es"),
        ("eng_Latn", "en"),
        ("rus_Cyrl", "ru"),
        ("srp_Cyrl", "sr-Cyrl"),
        ("SRP-LATN", "sr-Latn"),
        ("zho_Hans", "zh-Hans"),
        ("por-BR", "pt-BR"),
        ("arb_Arab", "arb-Arab"),
        ("ast_Latn", "ast-Latn"),
        ("es-Latn", "es"),
        ("es-Cyrl", "es-Cyrl"),
    ],
)
def test_tags_are_stored_in_one_case(given: str, stored: str) -> None:
    assert canonical_tag(given) == stored


def test_a_plugin_whose_grammar_is_damaged_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    grammar = tmp_path / "xx.toml"
    grammar.write_text("[words", encoding="utf-8")
    found = plugins(language_with_rules("xx", "X", grammar), Language("yy", "Y", speaker_gender=Nobody))
    monkeypatch.setattr(inspect, "Plugins", lambda: found)
    inspect.plugins(as_json=True)
    damaged, whole = json.loads(capsys.readouterr().out)
    assert (damaged["status"], whole["status"]) == ("failed", "loaded")
    assert "xx.toml" in damaged["reason"]


def test_what_goes_wrong_in_a_detector_is_told_as_its_plugins() -> None:
    class Raises(Nobody):
        def detect(self, sentence: str) -> SpeakerGender:
            return 1 / 0  # type: ignore[return-value]

    class Answers(Nobody):
        def detect(self, sentence: str) -> SpeakerGender:
            return "feminine"  # type: ignore[return-value]

    def missing() -> Any:
        raise OSError("no model")

    for maker, message in (
        (Raises, "raised ZeroDivisionError"),
        (Answers, "'feminine', which is no SpeakerGender"),
    ):
        detector = plugins(Language("xx", "X", speaker_gender=maker)).detector("xx")
        for ask in (detector.detect, lambda text, one=detector: trace_gender(one, text)):
            with pytest.raises(PluginFailedError, match=message) as caught:
                ask("Am rica.")
            assert "plugin 'p0' of unknown 0: telling the speaker's gender in 'Am rica.'" in str(caught.value)
    with pytest.raises(PluginFailedError, match="raised OSError: no model"):
        plugins(Language("xx", "X", speaker_gender=missing)).detector("xx")


def test_spanish_and_italian_come_with_biascore() -> None:
    found = Plugins(own("languages", "kinds", "wordlists"))
    assert {"es", "it"} <= set(found.speaker_gender.names)
    assert found.speaker_gender.get("es")().detect("Estoy cansada.").gender.value == "feminine"
    assert found.languages["en"].speaker_gender is None


def test_two_frames_of_one_language_are_a_conflict_too() -> None:
    one, other = SpeakerFrames("M {}", "F {}"), SpeakerFrames("m {}", "f {}")
    found = plugins(Language("xx", "X", speaker_frames=one), Language("xx", "X", speaker_frames=other))
    assert [record.status for record in found.records] == ["conflict", "conflict"]
    assert found.languages["xx"].speaker_frames is None
    alone = plugins(Language("xx", "X", speaker_gender=Nobody), Language("xx", "X", speaker_frames=one))
    assert alone.languages["xx"].speaker_frames == one
    assert alone.languages["xx"].speaker_gender is Nobody
