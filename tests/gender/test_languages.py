"""Languages that several plugins know, and detectors that two of them bring."""

from __future__ import annotations

from importlib import metadata
from typing import Any

import pytest

from biascore.errors import PluginError, UnknownNameError
from biascore.gender import NO_SPEAKER_GENDER, SpeakerGender
from biascore.plugins import Plugins
from biascore.plugins_api import Language, hookimpl


class Nobody:
    name = "nobody"

    def detect(self, sentence: str) -> SpeakerGender:
        return NO_SPEAKER_GENDER


class Point:
    """An entry point of a distribution that is not installed."""

    def __init__(self, name: str, language: Language) -> None:
        self.name = self.value = name
        self.dist = None
        self.language = language

    def load(self) -> object:
        language = self.language

        class Plugin:
            @hookimpl
            def register_languages(self, register: Any) -> None:
                register(language)

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


def test_a_language_without_a_detector_says_so() -> None:
    with pytest.raises(UnknownNameError, match="no speaker-gender detector is called 'xx'"):
        plugins(Language("xx", "X")).speaker_gender.get("xx")


def test_spanish_and_italian_come_with_biascore() -> None:
    points = [
        point
        for point in metadata.distribution("biascore").entry_points
        if point.group == "biascore"
        and point.value.partition(":")[0] in {"biascore_grammars", "biascore_wordlists"}
    ]
    found = Plugins(points)
    assert {"es", "it"} <= set(found.speaker_gender.names)
    assert found.speaker_gender.get("es")().detect("Estoy cansada.").gender.value == "feminine"
    assert found.languages["en"].speaker_gender is None
