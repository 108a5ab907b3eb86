"""One broken file after another: each error names the file, the place and what to do."""

from __future__ import annotations

import hashlib
import json
import tomllib
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biascore.errors import StimuliError
from biascore.stimuli import PairList, TemplateList, WordList, load_file
from biascore.stimuli.lines import line_of

from ..builders.kinds import KINDS

VALID = """\
schema = 1

[meta]
language = "it"
title = "A title"
source = "Somebody 2024"
licence = "CC0"

[lists.men]
words = ["uomo", "padre"]

[lists.women]
words = ["donna", "madre"]

[lists.career]
words = ["carriera"]

[lists.family]
words = [
  "famiglia",
  "casa",
]

[tests.mine]
kind = "weat"
title = "My test"
concept = "gender"
X = "men"
Y = "women"
A = "career"
B = "family"
positive_means = "men with career"
"""


def load(tmp_path: Path, text: str | bytes, name: str = "mine.toml"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return load_file(path, f"shown/{name}", kinds=KINDS)


def error_of(tmp_path: Path, text: str | bytes) -> str:
    with pytest.raises(StimuliError) as caught:
        load(tmp_path, text)
    message = str(caught.value)
    assert message.startswith("shown/mine.toml")
    assert "check it with: biascore plugins" in message  # as of a file that a plugin brought
    assert str(tmp_path) not in message
    return message


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ("woman", "names 'woman', which is no other word list of this file. Did you mean women?"),
        ("men", "names 'men', which is no other word list"),
        ("career", "names 'career', which has 1 words where this list has 2"),
    ],
)
def test_counterparts_are_two_lists_of_one_length(tmp_path: Path, wanted: str, problem: str) -> None:
    text = VALID.replace('"padre"]', f'"padre"]\ncounterparts = "{wanted}"')
    assert problem in error_of(tmp_path, text)
    (test,) = load(tmp_path, VALID.replace('"padre"]', '"padre"]\ncounterparts = "women"')).tests
    assert test.roles["Y"].paired_with(test.roles["X"])


def test_a_valid_file_gives_tests_and_lists(tmp_path: Path) -> None:
    file = load(tmp_path, VALID)
    (test,) = file.tests
    assert (test.id, test.kind, test.language, test.file) == ("it/mine", "weat", "it", "shown/mine.toml")
    assert {role: words.words for role, words in test.roles.items()} == {
        "X": ("uomo", "padre"),
        "Y": ("donna", "madre"),
        "A": ("carriera",),
        "B": ("famiglia", "casa"),
    }
    assert test.source == "Somebody 2024"
    assert test.sha256 == hashlib.sha256(VALID.encode()).hexdigest()
    with pytest.raises(TypeError):
        test.roles["X"] = test.roles["Y"]  # type: ignore[index]


def test_tests_are_not_collected_by_pytest() -> None:
    from biascore.stimuli import Test

    assert Test.__test__ is False


def test_order_and_duplicates_are_kept(tmp_path: Path) -> None:
    file = load(tmp_path, VALID.replace('["uomo", "padre"]', '["padre", "uomo", "padre"]'))
    assert file.tests[0].roles["X"].words == ("padre", "uomo", "padre")


BROKEN = {
    "unknown key in a list": (
        ('words = ["carriera"]', 'words = ["carriera"]\nnote = "x"'),
        ["line 17", "lists.career.note", "no key of this table", "Did you mean notes?"],
    ),
    "unknown key at the top": (
        ("schema = 1", "schema = 1\nlist = 3"),
        ["line 2", "list:", "Did you mean lists?"],
    ),
    "unknown key in meta": (("licence =", "license ="), ["line 7", "meta.license", "Did you mean licence?"]),
    "missing meta key": (('licence = "CC0"\n', ""), ["line 3", "meta.licence: is missing"]),
    "no schema": (("schema = 1\n", ""), ["schema: is missing"]),
    "another schema": (("schema = 1", "schema = 2"), ["line 1", "schema: is 2, but must be 1"]),
    "missing role": (('B = "family"\n', ""), ["line 24", "tests.mine.B: is missing", "X, Y, A, B"]),
    "unknown kind": (('"weat"', '"seat"'), ["line 25", "tests.mine.kind: 'seat'", "Known kinds: weat"]),
    "missing kind": (('kind = "weat"\n', ""), ["line 24", "tests.mine.kind: is missing"]),
    "unknown list": (
        ('A = "career"', 'A = "carrer"'),
        ["line 30", "tests.mine.A", "'carrer'", "Did you mean career?", "[lists.carrer]"],
    ),
    "empty list": (('["carriera"]', "[]"), ["line 16", "lists.career.words: is empty"]),
    "number among the words": (
        ('"carriera"', "7"),
        ["line 16", "lists.career.words[0]: is 7", "not a string"],
    ),
    "words that are one string": (
        ('["carriera"]', '"carriera"'),
        ["line 16", "lists.career.words: is 'carriera', but must be a list"],
    ),
    "a list that is no table": (
        ('[lists.career]\nwords = ["carriera"]', '[lists]\ncareer = ["carriera"]'),
        ["line 16", "lists.career: is ['carriera'], but must be a table"],
    ),
    "empty word": (('"carriera"', '""'), ["line 16", "lists.career.words[0]: is empty"]),
    "blank word": (('"carriera"', '"  "'), ["line 16", "lists.career.words[0]: is empty"]),
    "space after a word": (('"casa"', '"casa "'), ["line 21", "lists.family.words[1]", "'casa '", "space"]),
    "no-break space": (('"casa"', '"\u00a0casa"'), ["line 21", "lists.family.words[1]", "space"]),
    "no-break space inside": (('"casa"', '"ca\u00a0sa"'), ["line 21", "no-break space", "U+00A0"]),
    "right-to-left mark": (('"casa"', '"casa\u200f"'), ["line 21", "right-to-left mark", "U+200F"]),
    "zero-width space": (('"casa"', '"ca\u200bsa"'), ["line 21", "zero width space", "U+200B"]),
    "newline in a word": (('"casa"', '"ca\\nsa"'), ["lists.family.words[1]", "control character", "U+000A"]),
    "decomposed word": (
        ('"casa"', '"citta\u0300"'),
        ["line 21", "lists.family.words[1]", "'citta\u0300'", "NFC", "'citt\u00e0'"],
    ),
    "language name": (('"it"', '"Italian"'), ["line 4", "meta.language", "'Italian'", "no language code"]),
    "name with a slash": (("[tests.mine]", '[tests."my/test"]'), ["line 24", "tests.my/test", "is no name"]),
    "name with a star": (("[tests.mine]", '[tests."my*"]'), ["line 24", "tests.my*", "is no name"]),
    "blank title": (('"A title"', '" "'), ["line 5", "meta.title", "blank"]),
    "two lists but for case": (("[lists.women]", "[lists.Men]"), ["line 12", "lists.Men", "lists.men"]),
    "marks another word": (
        ("[lists.women]", '[lists.men.marks]\nneuter = ["donna"]\n\n[lists.women]'),
        ["line 9", "lists.men", "marks.neuter", "'donna'"],
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_named_with_its_place(tmp_path: Path, case: str) -> None:
    (old, new), expected = BROKEN[case]
    assert VALID.count(old) == 1
    message = error_of(tmp_path, VALID.replace(old, new))
    assert message.count("is empty") <= 1
    for part in expected:
        assert part in message


def test_all_errors_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    message = error_of(tmp_path, VALID.replace('"carriera"', "7").replace('"casa"', '"casa "'))
    assert message.count("shown/mine.toml") == 2


def test_a_role_takes_words_not_pairs(tmp_path: Path) -> None:
    pairs = '\n[pairs.both]\nsides = ["f", "m"]\npairs = [["donna", "uomo"]]\n'
    message = error_of(tmp_path, VALID.replace('X = "men"', 'X = "both"') + pairs)
    assert "tests.mine.X: there is no word list 'both'" in message


@pytest.mark.parametrize(
    ("pairs", "place"),
    [
        ('[["donna"]]', "pairs.both.pairs[0][1]: is no pair"),
        ('[["donna", "uomo", "x"]]', "pairs.both.pairs[0]: is no pair"),
        ('[["donna", 1]]', "pairs.both.pairs[0][1]: is 1, which is not a string"),
        ("[]", "pairs.both.pairs: is empty"),
    ],
)
def test_a_pair_has_two_words(tmp_path: Path, pairs: str, place: str) -> None:
    message = error_of(tmp_path, VALID + f'\n[pairs.both]\nsides = ["f", "m"]\npairs = {pairs}\n')
    assert f"line 36, {place}" in message


@pytest.mark.parametrize(
    ("families", "told"),
    [
        ('[["cuoco", "cuoca"]]', "families name 'cuoca', which is not among the words"),
        ('[["cuoco"]]', "the family of 'cuoco' has one word"),
        ('[["cuoco", "sarto"], ["sarto", "cuoco"]]', "families name 'sarto' twice"),
        ('[["cuoco", "sarto"]]', ""),
    ],
)
def test_families_of_pairs_go_by_their_first_words(tmp_path: Path, families: str, told: str) -> None:
    pairs = '[["cuoco", "cuoca"], ["sarto", "sarta"]]'
    text = VALID + f'\n[pairs.both]\nsides = ["m", "f"]\npairs = {pairs}\nfamilies = {families}\n'
    if told:
        assert told in error_of(tmp_path, text)
    else:
        both = next(one for one in load(tmp_path, text).lists if one.name == "both")
        assert both.families == (("cuoco", "sarto"),)


@pytest.mark.parametrize(
    ("slots", "sentences", "part"),
    [
        ('["WORD"]', '["Ecco."]', "'Ecco.' holds none of the slots WORD"),
        ('["WORD", "NAME"]', '["WORD."]', "the slot 'NAME' is in none"),
        ("[]", '["WORD."]', "templates.t.slots: is empty"),
    ],
)
def test_slots_and_sentences_fit(tmp_path: Path, slots: str, sentences: str, part: str) -> None:
    text = VALID + f"\n[templates.t]\nslots = {slots}\nsentences = {sentences}\n"
    assert part in error_of(tmp_path, text)


def test_toml_syntax_errors_name_line_and_column(tmp_path: Path) -> None:
    message = error_of(tmp_path, VALID.replace('words = ["carriera"]', 'words = ["carriera" "casa"]'))
    assert "line 16, column 21" in message


def test_a_file_that_is_not_utf8_is_told_by_line(tmp_path: Path) -> None:
    assert "line 10" in error_of(tmp_path, VALID.replace("uomo", "età").encode("latin-1"))


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    raw = b"\xef\xbb\xbf" + VALID.encode()
    assert load(tmp_path, raw).sha256 == hashlib.sha256(raw).hexdigest()


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StimuliError, match=r"shown/none\.toml cannot be read \(No such file"):
        load_file(tmp_path / "none.toml", "shown/none.toml", kinds=KINDS)


def test_published_figures_are_read(tmp_path: Path) -> None:
    figure = """
[[tests.mine.published]]
what = "d"
value = 1
p = 0.5
model = "m"
source = "s"
comparable = false
"""
    (published,) = load(tmp_path, VALID + figure).tests[0].published
    assert (published.value, published.p, published.comparable) == (1.0, 0.5, False)
    message = error_of(tmp_path, VALID + figure.replace("p = 0.5", "p = 1.5"))
    assert "line 37, tests.mine.published[0].p" in message
    message = error_of(tmp_path, VALID + figure.replace("value = 1", "value = nan"))
    assert "line 36, tests.mine.published[0].value" in message


HOSTILE = [
    '"quoted"',
    "it's",
    "<script>alert(1)</script>",
    "=1+1",
    "שלום",
    "مرحبا",
    "می\u200cخواهم",
    "𝔘𝔫𝔦",
    "👩\u200d🔬",
    "a\\b",
    "[x]",
    "x # y",
]


def test_hostile_words_survive(tmp_path: Path) -> None:
    listed = json.dumps(HOSTILE, ensure_ascii=False)
    file = load(tmp_path, VALID.replace('["carriera"]', listed))
    assert file.tests[0].roles["A"].words == tuple(HOSTILE)


def _is_word(text: str) -> bool:
    return bool(text) and text == text.strip() and unicodedata.is_normalized("NFC", text)


words = st.text(
    st.characters(
        exclude_categories=["Cc", "Cs", "Cf", "Zs", "Zl", "Zp"], include_characters=" \u200c\u200d"
    ),
    min_size=1,
).filter(_is_word)


@given(st.lists(words, min_size=1))
@settings(max_examples=50, deadline=None)
def test_any_words_come_back_as_written(
    tmp_path_factory: pytest.TempPathFactory, given_words: list[str]
) -> None:
    text = VALID.replace('["carriera"]', json.dumps(given_words, ensure_ascii=False))
    file = load(tmp_path_factory.mktemp("any"), text)
    assert file.tests[0].roles["A"].words == tuple(given_words)


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_loads_or_raises_a_stimuli_error(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    with pytest.raises(StimuliError, match=r"^shown/mine\.toml"):
        load(tmp_path_factory.mktemp("any"), text.encode("utf-8", "surrogatepass"))


def test_the_three_types_of_list(tmp_path: Path) -> None:
    more = """
[pairs.both]
sides = ["female", "male"]
pairs = [["donna", "uomo"], ["donna", "padre"]]
licence = "MIT"

[[pairs.both.doubtful]]
printed = "dona"
proposed = "donna"
note = "a letter is lost"

[templates.here]
slots = ["WORD"]
sentences = ["WORD è qui."]
"""
    lists = {stimuli.name: stimuli for stimuli in load(tmp_path, VALID + more).lists}
    assert isinstance(lists["men"], WordList)
    both, here = lists["both"], lists["here"]
    assert isinstance(both, PairList)
    assert both.pairs == (("donna", "uomo"), ("donna", "padre"))
    assert both.licence == "MIT"
    assert both.doubtful[0].proposed == "donna"
    assert isinstance(here, TemplateList)
    assert (here.slots, here.sentences, here.licence) == (("WORD",), ("WORD è qui.",), "CC0")


def test_lines_are_found_behind_quoted_keys_arrays_of_tables_and_nested_arrays() -> None:
    text = 'a = [\n  ["a"],\n  ["b"]\n]\n["x y".z]\nk = 1\n[[t]]\n[[t]]\n[t.sub]\nn.m = 2\n'
    document = tomllib.loads(text)
    assert line_of(text, ("x y", "z", "k"), document) == 6
    assert line_of(text, ("t", 1), document) == 8
    assert line_of(text, ("t", 1, "sub", "n", "m"), document) == 10
    assert line_of(text, ("nowhere",), document) is None
