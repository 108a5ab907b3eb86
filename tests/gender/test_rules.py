"""The rule engine: what each key of a rule does, and what a grammar file may not say."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biascore.errors import GrammarError
from biascore.languages.gender import Gender
from biascore.languages.gender_rules import RuleDetector, language_with_rules, load_grammar
from biascore.languages.gender_rules.words import WordSet

HEAD = 'language = "xx"\n[words]\nanchor = ["am"]\nstop = ["but"]\nclause = ["that"]\nand = ["and"]\n'
FORMS = (
    '[forms.adjective]\nmasculine = ["-o"]\nfeminine = ["-a"]\nnever = ["solo"]\n'
    '[forms.noun]\nmasculine = ["-us"]\nfeminine = ["-ix"]\n'
)
RULE = '[[rules]]\nname = "r"\nanchor = ["anchor"]\nfind = ["adjective"]\nlook = ["right"]\n'

Make = Callable[..., RuleDetector]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def of(rule: str = RULE, extra: str = "", head: str = HEAD, forms: str = FORMS) -> RuleDetector:
        path = tmp_path / "xx.toml"
        path.write_text(head + forms + rule + extra, encoding="utf-8")
        return RuleDetector(load_grammar(path))

    return of


def words(detector: RuleDetector, text: str) -> list[str]:
    return [evidence.word for evidence in detector.detect(text).evidence]


@pytest.mark.parametrize(
    ("extra", "text", "found"),
    [
        ("", "Am not very lento", ["lento"]),
        ("", "Am, lento", []),
        ("", "Am, as an old man, lento", ["lento"]),
        ("", "Am that lento", []),
        ("", "Lento am", []),
        ("", "Am solo", []),
        ('halt = ["stop"]', "Am but lento", []),
        ('halt_left = ["stop"]', "Am but lento", ["lento"]),
        ('over = ["stop"]', "Am but lento", ["lento"]),
        ('over = ["stop"]', "Am very lento", []),
        ('needs_in_clause = ["stop"]', "Am lento", []),
        ('needs_in_clause = ["stop"]', "But am lento", ["lento"]),
        ('unless_clause_has = ["stop"]', "Am lento but", []),
        ('unless_clause_has = ["stop"]', "Am lento, but", ["lento"]),
        ('unless_anchor_after = ["stop"]', "But am lento", []),
        ('anchor_first = ["stop"]', "But am lento", ["lento"]),
        ('anchor_first = ["stop"]', "Now am lento", []),
        ('unless_after = ["stop"]', "Am but lento", []),
        ('unless_before = ["stop"]', "Am lento but rica", ["rica"]),
        ('unless_word_in = ["stop"]', "Am lento", ["lento"]),
        ("not_attributive = true", "Am lento lupus", []),
        ("not_attributive = true", "Am lento and rico lupus", []),
        ("not_attributive = true", "Am lento and lupus", ["lento"]),
        ("not_attributive = true", "Am lenta lupus", ["lenta"]),
    ],
)
def test_keys_of_a_rule(extra: str, text: str, found: list[str], make: Make) -> None:
    assert words(make(RULE, extra), text) == found


def test_directions_are_tried_in_order(make: Make) -> None:
    rule = RULE.replace('["right"]', '["left 1", "right 2", "left"]')
    assert words(make(rule), "lenta now am rico") == ["rico"]
    assert words(make(rule), "lenta am rico") == ["lenta"]
    assert words(make(rule), "lenta now am one then rico") == ["lenta"]


def test_a_fallback_is_used_only_where_nothing_else_is_found(make: Make) -> None:
    fallback = RULE.replace('"r"', '"last"').replace('["right"]', '["left 1"]') + "fallback = true\n"
    detector = make(RULE + fallback)
    assert words(detector, "Lenta am rico") == ["rico"]
    assert [e.rule for e in detector.detect("Lenta am").evidence] == ["last"]
    # Every anchor of the fallback is asked, so that it too can contradict itself.
    assert detector.detect("Lenta am, rico am").gender is Gender.CONFLICT


def test_a_rule_without_an_anchor_starts_from_the_form(make: Make) -> None:
    rule = '[[rules]]\nname = "r"\nfind = ["adjective"]\nlook = ["here"]\n'
    assert words(make(rule), "Lenta, rica") == ["Lenta", "rica"]


def test_a_word_that_fits_both_genders_has_none(make: Make) -> None:
    forms = '[forms.adjective]\nmasculine = ["-o"]\nfeminine = ["lento", "-a"]\n'
    assert words(make(forms=forms), "Am lento") == []


def test_stems_say_both_genders(make: Make) -> None:
    forms = '[forms.adjective.stems]\n"en/na" = ["sposob", "-[ck]"]\n"/a" = ["mlad|star"]\n'
    detector = make(forms=forms)
    for text, gender in {"sposoben": "masculine", "sposobna": "feminine", "xcen": "masculine", "star": "masculine",
                         "mlada": "feminine", "en": "none", "xstar": "none"}.items():  # fmt: skip
        assert detector.detect(f"Am {text}").gender.value == gender, text


def test_files_are_joined_with_what_they_include(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(HEAD + FORMS + RULE, encoding="utf-8")
    own = 'language = "yy"\ninclude = ["base.toml"]\n[letters]\n"ѻ" = "o"\n[forms.adjective]\nnever = ["lento"]\n'
    (tmp_path / "own.toml").write_text(own, encoding="utf-8")
    grammar = load_grammar(tmp_path / "own.toml")
    assert grammar.language == "yy"
    assert grammar.forms["adjective"].never == ("solo", "lento")
    assert words(RuleDetector(grammar), "Am lento or ricѻ") == ["ricѻ"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("language = ", "is no valid TOML"),
        (
            HEAD + FORMS + RULE + 'halt = ["nobody"]\n',
            "rule 'r' names 'nobody'. There are: adjective, anchor",
        ),
        (HEAD + FORMS + RULE.replace('["adjective"]', '["anchor"]'), "'anchor', which is no form"),
        (HEAD + FORMS + RULE.replace('"right"', '"up"'), "'up' is none of: here, left"),
        (HEAD + FORMS + RULE + 'wrong = ["anchor"]\n', "wrong of .*rules.* is not known here"),
        (
            HEAD + '[forms.adjective]\nmasculine = ["-o"]\nfeminine = ["-(a"]\n',
            r"forms.adjective.feminine: '-\(a' is not a regular",
        ),
        *(
            (
                HEAD + f'[forms.adjective]\nmasculine = ["-o"]\nfeminine = ["{slow}"]\n',
                "is not a regular expression .it repeats a group, or more than two parts",
            )
            for slow in ("(a|a|aa)+b", "-(?:a*)*b", "(a+){9,}b", "a*a*a*b")
        ),
        (HEAD + FORMS + RULE.replace("find =", "findd ="), "findd of .* Did you mean find"),
        (HEAD + '[forms.adjective.stems]\n"a" = ["b"]\n', r"\] in \[forms|stems: 'a' is no pair of endings"),
        (HEAD + '[forms.anchor]\nfeminine = ["-a"]\n', "'anchor' names a list and a form"),
        (HEAD + FORMS + RULE.replace('["adjective"]', "[]"), "find .* must not be empty"),
        (
            HEAD + '[forms.adjective]\nmasculine = ["-o"]\n' + RULE,
            "forms.adjective, which the rules 'r' look for, has masculine words only, .* Add its feminine words",
        ),
        (HEAD + FORMS.replace('masculine = ["-us"]\n', ""), "forms.noun has feminine words only"),
        (
            HEAD + FORMS + 'one_sided = "no reason"\n',
            "forms.noun is one_sided, and has feminine and masculine",
        ),
        ('language = "xx"\ninclude = ["xx.toml"]\n', "includes itself"),
        ('language = "xx"\ninclude = ["nowhere.toml"]\n', r"nowhere\.toml cannot be read"),
    ],
)
def test_a_wrong_grammar_names_file_and_key(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "xx.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GrammarError, match=message) as caught:
        load_grammar(path)
    assert str(tmp_path) in str(caught.value)
    assert "Value error" not in str(caught.value)


def test_a_long_word_is_compared_with_no_expression() -> None:
    """With two parts that repeat, 10,000 letters would take minutes."""
    words = WordSet(["-[a]+[ab]+c", "-la"])
    assert "aabc" in words
    assert "a" * 97 + "bc" in words
    assert "a" * 20_000 + "bd" not in words
    assert "a" * 20_000 + "la" in words


def test_a_form_of_one_gender_gives_its_reason(make: Make) -> None:
    forms = '[forms.adjective]\nmasculine = ["-o"]\none_sided = "the feminine is in forms.other"\n'
    assert words(make(forms=forms), "Am lento") == ["lento"]


def test_a_grammar_of_another_language_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bg.toml"
    path.write_text((HEAD + FORMS + RULE).replace('"xx"', '"mk"'), encoding="utf-8")
    assert load_grammar(path).language == "mk"
    detector = language_with_rules("bg", "Bulgarian", path).speaker_gender
    assert detector is not None
    with pytest.raises(GrammarError, match=r"bg\.toml: language is 'mk'.* Write language = \"bg\""):
        detector()


@pytest.mark.parametrize("tag", ["XX", "xx-yy", "xx_YY", "Xx-Latn"])
def test_a_grammar_is_of_its_language_in_every_region_and_case(tag: str, tmp_path: Path) -> None:
    path = tmp_path / "xx.toml"
    path.write_text(HEAD + FORMS + RULE, encoding="utf-8")
    assert load_grammar(path, tag).language == "xx"
    path.write_text((HEAD + FORMS + RULE).replace('"xx"', '"xx-ZZ"'), encoding="utf-8")
    with pytest.raises(GrammarError, match="xx-ZZ"):
        load_grammar(path, tag)


@pytest.mark.parametrize("entries", [[], ["bol"], ["-la", "bol"], ["-[ab]c", "b(?:o|e)l"], ["-", "x"]])
def test_a_word_set_is_the_plain_expression(entries: list[str]) -> None:
    parts = [f".*(?:{entry[1:]})" if entry.startswith("-") else f"(?:{entry})" for entry in entries]
    reference = re.compile("|".join(parts) or "(?!)")
    for word in ("bol", "bel", "la", "bola", "ac", "xbc", "c", "", "x"):
        assert (word in WordSet(entries)) == bool(reference.fullmatch(word)), (entries, word)


@pytest.mark.parametrize("language", ["be", "cs", "es", "hr", "it", "pl", "ru", "sk", "sl", "sr", "uk"])
def test_every_stem_of_a_grammar_works_in_both_genders(language: str, detector: Any) -> None:
    """A stem of which "never" swallows one gender would tilt what is measured."""
    forms = detector(language).grammar.forms
    for name, form in forms.items():
        never = WordSet(form.never)
        sets = {gender: WordSet(form.words(gender)) for gender in (Gender.MASCULINE, Gender.FEMININE)}
        for endings, stems in form.stems.items():
            for stem in stems:
                if stem.startswith("-") or not stem.isalpha():
                    continue
                masculine, feminine = (stem + ending for ending in endings.split("/"))
                assert masculine not in never, (name, masculine)
                assert feminine not in never, (name, feminine)
                assert masculine not in sets[Gender.FEMININE], (name, masculine)
                assert feminine not in sets[Gender.MASCULINE], (name, feminine)


@pytest.mark.parametrize("language", ["be", "cs", "es", "hr", "it", "pl", "ru", "sk", "sl", "sr", "uk"])
def test_every_list_and_form_of_a_grammar_is_used(language: str, detector: Any) -> None:
    grammar = detector(language).grammar
    used = {"clause", "and", "or", "neutral", "noun"}.union(*(rule.named for rule in grammar.rules))
    assert {*grammar.words, *grammar.forms} <= used
