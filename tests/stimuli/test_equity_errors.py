"""Files of kind ``equity`` that do not fit: each error names file, line, list and template, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore.errors import StimuliError
from biascore.stimuli import load_file
from biascore_metrics.eec import checks

from ..builders.kinds import KINDS
from .equity_files import changed, write

BROKEN = {
    "an unknown slot": (
        "feels {state}\",", "feels {stat}\",",
        ["line 41, equity_templates.sentences.of.feels:", "has the slot {stat}", "Did you mean state"],
    ),
    "a piece that the grammar has not": (
        "{self:gender}", "{selves:gender}",
        ["of.found:", "has the slot {selves}", "Did you mean self?", "grammars.english.pieces"],
    ),
    "a brace that is no slot": ("{person:object}", "{person:object", ["of.saw:", "part of no slot"]),
    "a slot with two forms": ("{person:object}", "{person} {person:object:a}", ["of.saw:", "part of no slot"]),
    "a template without a person": ("we saw {person:object}", "we saw", ["of.saw:", "has no slot {person}"]),
    "two words in one sentence": (
        "a {situation} place", "a {situation} {state} place", ["of.found:", "'situation', 'state'", "one word"],
    ),
    "a variant without the word": ("{person} feel {state}", "{person} feel", ["of.feels: the variant"]),
    "a full stop too many": ('{person:object}"', '{person:object}."', ["of.saw:", "'.', which grammars.english.final"]),
    "a person without the form": (
        '{ base = "he", object = "him" }', '"he"',
        ["persons.phrases: 'he' has no form 'object', which template saw needs: 'we saw {person:object}'"],
    ),
    "names without the form": ('unchanged = ["object"]\n', "", ["persons.names: 'Odd' has no form 'object'"]),
    "a person without base": ('{ base = "he", object', "{ object", ["persons.phrases: cells[0] has a person without base"]),
    "a word without the form": (
        "a {situation} place", "{situation:plural}",
        ["emotion_words.feelings.slots.situation.anger: 'awful' has no form 'plural', which template found needs"],
    ),
    "a word that should agree": (
        "{person} feels {state}", "{person} feels {state:gender}",
        ["emotion_words.feelings.slots.state.anger: 'angry' has no form 'masculine', which template feels needs"],
    ),
    "a piece without the form": (
        ', neutral = "themself"', "",
        ["grammars.english.pieces", "has no form 'neutral', which template found needs"],
    ),
    "a grammar without the level": (
        ', nonbinary = "neutral" } }', " } }",
        ["grammars.english: agreement.gender has no form for 'nonbinary', the level of 'Kim', which template found"],
    ),
    "a grammar without agreement": (
        'agreement = { gender = { male = "masculine", female = "feminine", nonbinary = "neutral" } }', "",
        ["grammars.english: does not say how words agree by gender", '{ "gender" = { "male" = "…", "female" = "…"'],
    ),
    "agreement with a level that noun phrases lack": (
        "we saw {person:object}", "we saw {person:object} {self:origin}",
        ["grammars.english: does not say how words agree by origin"],
    ),
    "an empty cell": (
        '  { levels = { origin = "east", gender = "nonbinary" }, persons = ["Sasha"] },\n', "",
        ["tests.mine.persons: have no person of origin 'east' and gender 'nonbinary'"],
    ),
    "a factor with one level": (
        '["north", "south", "east"]', '["north"]', ["tests.mine: factors.origin has one level, 'north'"],
    ),
    "a level twice": ('"south", "east"]', '"south", "south"]', ["factors.origin has the level 'south' twice"]),
    "a level that the test has not": (
        'origin = "east", gender = "male"', 'origin = "easy", gender = "male"',
        ["persons.names: has the level 'easy' of origin", "Did you mean east?"],
    ),
    "a factor that is misspelt in a cell": (
        'origin = "east", gender = "male"', 'orgin = "east", gender = "male"',
        ["persons.names: cells[6] has levels of orgin, gender, and cells[0] of origin, gender"],
    ),
    "a factor that no person has": ("factors = { origin =", "factors = { age =", ["no person of age 'north'"]),
    "a factor that is called like a column": ("factors = { origin =", "factors = { emotion =", ["called 'emotion'"]),
    "a person twice in a list": ('"Ida", "Una"', '"Ida", "Ida"', ["persons.names: has 'Ida' 2 times"]),
    "a person in two lists": (
        'base = "he", object', 'base = "Ida", object',
        ["tests.mine.persons: has 'Ida' twice, in names and in phrases"],
    ),
    "a list of persons twice": ('["names", "phrases"]', '["names", "names"]', ["tests.mine.persons: name 'names' 2 times"]),
    "an end that is a space": ('final = "."', 'final = " "', ["grammars.english.final: is empty"]),
    "a word twice": ('"angry", "irate"', '"angry", "angry"', ["emotion_words.feelings: has 'angry' 2 times"]),
    "a variant of no template": ('variant = "many"', 'variant = "man"', ["has the variant 'man'", "Did you mean many?"]),
    "words for the slot of the person": ("slots.state", "slots.person", ["has words for the slot {person}"]),
    "no such grammar": ('grammar = "english"', 'grammar = "englisch"', ["there is no grammar 'englisch'", "english"]),
    "no such persons": ('persons = ["names", ', 'persons = ["name", ', ["persons[0]: there is no list of persons 'name'"]),
    "a kind of person that is none": ('kind = "noun phrase"', 'kind = "pronoun"', ["persons.phrases.kind: is 'pronoun'"]),
    "an unknown key": ("capital = true", "capitals = true", ["grammars.english.capitals: is no key", "capital?"]),
    "a word with a space": ('"irate"', '"irate "', ["has a space at its start or end"]),
    "an empty list": ('persons = ["Sasha"]', "persons = []", ["persons.names.cells[8].persons: is empty"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_names_the_place_and_the_remedy(case: str, tmp_path: Path) -> None:
    old, new, told = BROKEN[case]
    with pytest.raises(StimuliError) as caught:
        load_file(write(tmp_path, changed(old, new)), "shown/mine.toml", kinds=KINDS)
    message = str(caught.value)
    assert message.startswith("shown/mine.toml")
    for part in (*told, "check it with:"):
        assert part in message


def test_what_many_lack_is_told_once(tmp_path: Path) -> None:
    text = changed(', nonbinary = "neutral" } }', " } }")
    with pytest.raises(StimuliError) as caught:
        load_file(write(tmp_path, text), "shown/mine.toml", kinds=KINDS)
    assert str(caught.value).count("has no form for 'nonbinary'") == 2  # once a list, however many persons


def test_cells_and_sentences_are_counted_before_they_are_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file of 1.3 kB with twelve factors of twelve levels stopped every command that named its folder."""
    levels = [f"l{number}" for number in range(12)]
    factors = "".join(f", f{number} = {levels}" for number in range(12)).replace("'", '"')
    text = changed("factors = { origin =", f"factors = {{ {factors.removeprefix(', ')}, origin =")
    with pytest.raises(
        StimuliError, match=r"mine\.factors: makes [\d,]{18,} combinations of levels, and 1,000 are"
    ):
        load_file(write(tmp_path, text), "mine.toml", kinds=KINDS)
    monkeypatch.setattr(checks, "MOST_SENTENCES", 5000)
    many = '"Sasha", ' + ", ".join(f'"P{number}"' for number in range(1000))
    text = changed('persons = ["Sasha"]', f"persons = [{many}]")
    with pytest.raises(
        StimuliError, match=r"tests\.mine: makes [\d,]{5,} sentences, .* 1,0\d\d persons .* 5,000"
    ):
        load_file(write(tmp_path, text), "mine.toml", kinds=KINDS)
