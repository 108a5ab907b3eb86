"""The shipped lists: they load, they hold the words of their sources, and nothing that may not be shipped."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import biascore_wordlists
from biascore.plugins.loading import Plugins
from biascore.stimuli import Catalogue, PairList, TemplateList, WordList
from biascore_metrics.fise.items import FiseTest

from ..builders.kinds import KINDS

FOLDER = Path(biascore_wordlists.__file__).parent
DATA = Path(__file__).parents[3] / "shared" / "data" / "wordlists"
CODES = ("ar", "de", "en", "es", "fr", "it", "pl")
OF_OMRANI = tuple(code for code in CODES if code != "ar")


def shipped_files() -> list[Path]:
    return sorted(path for path in FOLDER.rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc"})


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.from_folders([(FOLDER, "biascore_wordlists")], kinds=KINDS)


@pytest.fixture
def source() -> Any:
    """The transcriptions that the shipped files were made from, read by name."""
    if not DATA.is_dir():
        pytest.skip("the transcriptions in ../shared/data/wordlists are absent")

    def read(name: str) -> Any:
        text = (DATA / name).read_text(encoding="utf-8")
        return json.loads(text) if name.endswith(".json") else tomllib.loads(text)

    return read


def test_every_file_loads_and_is_toml(catalogue: Catalogue) -> None:
    files = [path for path in shipped_files() if path.name != "py.typed"]
    assert [path.suffix for path in files] == [".toml"] * len(catalogue.files)
    assert catalogue.languages == CODES


def test_number_of_tests_per_language(catalogue: Catalogue) -> None:
    assert Counter(test.language for test in catalogue.tests) == {
        "ar": 1,
        "de": 27,
        "en": 77,
        "es": 19,
        "fr": 18,
        "it": 39,
        "pl": 13,
    }
    assert [test.id for test in catalogue.select("en/weat*")] == [f"en/weat{n}" for n in range(1, 11)]
    assert len(catalogue.select(["*/GenS", "*/GenC"])) == 12


def test_no_file_speaks_of_how_it_was_made() -> None:
    for path in shipped_files():
        text = path.read_text(encoding="utf-8").casefold()
        for forbidden in ("seed 0", "seed text", "the seed", "shared/", "xweat"):
            assert forbidden not in text, (path, forbidden)


def test_every_test_has_a_source_a_licence_and_a_remark_on_published_figures(catalogue: Catalogue) -> None:
    for test in catalogue.tests:
        assert test.source
        assert test.licence
        assert "/audit-" in test.id or any(
            "ublished figure" in note or "effect sizes that the paper" in note for note in test.notes
        ), test.id


def test_each_language_that_ships_and_its_folder() -> None:
    plugins = Plugins()
    provides = {one.name: one.provides for one in plugins.records}
    for code in CODES:
        assert plugins.languages[code].code == code
        assert provides[f"wordlists-{code}"] == (f"wordlists biascore_wordlists/{code}",)
        folders = [(FOLDER / code, f"biascore_wordlists/{code}")]
        assert Catalogue.from_folders(language_folders=folders, kinds=KINDS).languages == (code,)


def words_of(catalogue: Catalogue, id: str) -> list[str]:
    return list(catalogue.word_list(id).words)


def check_lists(catalogue: Catalogue, prefix: str, lists: dict[str, Any]) -> None:
    for name, table in lists.items():
        assert words_of(catalogue, f"{prefix}/{name}") == table["words"], name


def check_roles(catalogue: Catalogue, source: dict[str, Any], names: dict[str, str]) -> None:
    for old, id in names.items():
        roles = catalogue.test(id).roles
        for role in "XYAB":
            assert list(roles[role].words) == source["lists"][source["tests"][old][role]]["words"], (id, role)
    assert set(names) == set(source["tests"])


def test_words_caliskan(catalogue: Catalogue, source: Any) -> None:
    data = source("caliskan2017_en.toml")
    check_lists(catalogue, "en/caliskan2017", data["lists"])
    check_roles(catalogue, data, {f"WEAT{n}": f"en/weat{n}" for n in range(1, 11)})
    for name, table in data["lists"].items():
        doubtful = {doubt.printed for doubt in catalogue.list_(f"en/caliskan2017/{name}").doubtful}
        assert doubtful == set(table.get("only_here", ())), name


@pytest.mark.parametrize("code", OF_OMRANI)
def test_words_omrani(catalogue: Catalogue, source: Any, code: str) -> None:
    data = source(f"omrani2022_{code}.toml")
    check_lists(catalogue, f"{code}/omrani2022", data["lists"])
    check_roles(catalogue, data, {"GenS": f"{code}/GenS", "GenC": f"{code}/GenC"})
    for name, table in data["lists"].items():
        marks = catalogue.word_list(f"{code}/omrani2022/{name}").marks
        assert list(marks.get("masculine_or_neuter", ())) == table.get("printed_masculine_or_neuter", [])
        assert list(marks.get("starred", ())) == table.get("printed_star", [])
    for doubt in data.get("doubtful", []):
        listed = catalogue.list_(f"{code}/omrani2022/{doubt['list']}").doubtful
        assert (doubt["printed"], doubt.get("proposed")) in {(d.printed, d.proposed) for d in listed}


@pytest.mark.parametrize("code", OF_OMRANI)
def test_figures_are_comparable_only_where_printed_and_coded_lists_agree(
    catalogue: Catalogue, source: Any, code: str
) -> None:
    coded = source("omrani2022_code_lists.json")["weat"].get(code, {})
    names = {"men": "man_words", "women": "woman_words"}
    for id in (f"{code}/GenS", f"{code}/GenC"):
        test = catalogue.test(id)
        agree = all(
            sorted(words.words) == sorted(coded[names.get(words.name, words.name)])
            for words in test.roles.values()
        )
        assert {figure.comparable for figure in test.published} == {agree}


def test_words_puttick(catalogue: Catalogue, source: Any) -> None:
    data = source("puttick2025_it_weat.toml")
    check_lists(catalogue, "it/puttick2025_weat", data["lists"])
    check_roles(catalogue, data, {f"IT{n}": f"it/IT{n}" for n in range(1, 6)})
    fise = source("puttick2025_it_fise.toml")
    check_lists(catalogue, "it/puttick2025_fise", fise["lists"])
    for doubt in [*data["doubtful"]]:
        listed = catalogue.list_(f"it/puttick2025_weat/{doubt['list']}").doubtful
        assert (doubt["printed"], doubt.get("proposed")) in {(d.printed, d.proposed) for d in listed}
    tops = source("puttick2025_it_fise_printed_tops.toml")
    for what in ("occupations", "traits"):
        for dimension, quadrants in tops[what].items():
            named = {f"{what}_{dimension}_{quadrant}": table for quadrant, table in quadrants.items()}
            check_lists(catalogue, "it/puttick2025_fise_printed_tops", named)
        named = {f"affect_{what}_{end}": table for end, table in tops["affect_top5"][what].items()}
        check_lists(catalogue, "it/puttick2025_fise_printed_tops", named)
    templates = source("puttick2025_it_seat_templates.toml")
    tags = {
        "nouns_singular": "noun-singular",
        "nouns_plural": "noun-plural",
        "adjectives": "adjective",
        "verbs": "verb",
    }
    for name, table in templates["templates"].items():
        shipped = catalogue.list_(f"it/puttick2025_seat/{tags[name]}")
        assert isinstance(shipped, TemplateList)
        assert list(shipped.sentences) == table["sentences"]
        assert shipped.slots == (templates["meta"]["placeholder"],)


def test_words_bfh(catalogue: Catalogue, source: Any) -> None:
    data = source("bfh_bias_de.toml")
    renamed = {
        name.replace("WEAT7_DE", "weat7").replace("WEAT8_DE", "weat8"): table
        for name, table in data["lists"].items()
    }
    check_lists(catalogue, "de/bfh_bias", renamed)
    for name, table in renamed.items():
        if "plural" in table:
            assert words_of(catalogue, f"de/bfh_bias/{name}_plural") == table["plural"]
    same = {name: f"de/{name}" for name in ("GER1", "GER2", "CW1", "CW2", "CW3", "CW4", "CW5")}
    check_roles(catalogue, data, {**same, "WEAT7_DE": "de/weat7", "WEAT8_DE": "de/weat8"})


def test_words_shrestha(catalogue: Catalogue, source: Any) -> None:
    data = source("shrestha2025_en.toml")
    pairs = catalogue.list_("en/shrestha2025/gendered")
    assert isinstance(pairs, PairList)
    assert [list(pair) for pair in pairs.pairs] == data["attributes"]["pairs"]
    assert pairs.sides == ("female", "male")
    assert words_of(catalogue, "en/shrestha2025/neo_pronouns") == data["neo_pronouns"]["printed"]
    for kind in ("indirect", "direct"):
        shipped = catalogue.list_(f"en/shrestha2025/{kind}")
        assert isinstance(shipped, TemplateList)
        assert list(shipped.sentences) == [data["templates"][name] for name in data["templates"][kind]]
    for name in ("determiners", "pronouns", "articles"):
        assert words_of(catalogue, f"en/shrestha2025/{name}") == data["templates"][name]
    for group, dimensions in data["traits"].items():
        for dimension, signs in dimensions.items():
            for sign, words in signs.items():
                assert words_of(catalogue, f"en/shrestha2025/{group}_{dimension}_{sign}") == words


def test_figures_of_puttick_tables_1_to_3(catalogue: Catalogue) -> None:
    figures = {
        (test.id, figure.model): (figure.value, figure.p)
        for test in catalogue.select("it/IT?")
        for figure in test.published
        if figure.what.startswith("WEAT")
    }
    assert len(figures) == 15
    assert figures["it/IT1", "fastText cc.it.300"] == (1.364754, 0.0009)
    assert figures["it/IT4", "fastText cc.it.300"] == (1.7231854, 0.0001)
    assert figures["it/IT5", "fastText cc.it.300"] == (1.1506343, 0.0695)
    assert figures["it/IT3", "dbmdz/bert-base-italian-uncased"] == (-0.8377872, 0.9649)
    assert figures["it/IT5", "GroNLP/gpt2-small-italian"] == (-0.5059762, 0.6283)


def test_figures_of_puttick_are_comparable_for_weat_on_printed_lists_only(catalogue: Catalogue) -> None:
    figures = [figure for test in catalogue.select("it/IT?") for figure in test.published]
    assert Counter(figure.what.split()[0] for figure in figures) == {"WEAT": 15, "SEAT": 25, "LPBS": 5}
    for figure in figures:
        assert figure.comparable == figure.what.startswith("WEAT"), figure
        assert figure.note


def lists_of_fise(catalogue: Catalogue) -> dict[str, WordList]:
    return {
        f"{test.language}/{words.name}": words
        for test in catalogue.tests
        if isinstance(test, FiseTest)
        for dimension in (*test.dimensions, *test.affect)
        for words in (dimension.A, dimension.B)
    }


def share_a_stem(first: str, second: str) -> bool:
    """Whether the words begin with the same five letters, or a short one with the other but for its last letter."""
    letters = ["".join(filter(str.isalpha, word.casefold())) for word in (first, second)]
    start = max(2, min(5, len(letters[0]) - 1, len(letters[1]) - 1))
    return letters[0][:start] == letters[1][:start]


# Derived words, compounds and a chance likeness: words of their own.
NO_FORMS_OF_ONE_ANOTHER = {
    ("en/men", "man", "male"),
    ("en/white", "European", "European American"),
    ("en/black", "black", "black-skinned"),
    ("en/black", "African", "African American"),
    ("en/rich", "rich", "riches"),
    ("en/rich", "wealthy", "wealth"),
    ("en/poor", "destitute", "destitution"),
    ("it/pleasant", "felicità", "felice"),
    ("it/pleasant", "bellezza", "bello"),
}


def test_no_form_of_a_word_is_missing_from_its_family(catalogue: Catalogue) -> None:
    lists = lists_of_fise(catalogue)
    assert Counter(id.partition("/")[0] for id in lists) == {"en": 10, "it": 12}
    alike = {
        (id, words.family_of(first), words.family_of(second))
        for id, words in lists.items()
        for first, second in combinations(dict.fromkeys(words.words), 2)
        if words.family_of(first) != words.family_of(second) and share_a_stem(first, second)
    }
    assert alike == NO_FORMS_OF_ONE_ANOTHER


@pytest.mark.parametrize(
    ("id", "forms"),
    [
        ("en/men", "man men"),
        ("en/men", "he him his himself"),
        ("en/women", "woman women"),
        ("en/women", "she her hers herself"),
        ("it/men", "uomo uomini"),
        ("it/black", "etiopie etiopi"),
        ("it/romanian", "daco daca daci dace"),
    ],
)
def test_forms_that_share_no_stem_or_a_short_one_are_a_family(
    catalogue: Catalogue, id: str, forms: str
) -> None:
    assert tuple(forms.split()) in lists_of_fise(catalogue)[id].families


def test_families_hold_words_of_their_list_in_its_order(catalogue: Catalogue) -> None:
    with_families = set()
    for id, words in catalogue.lists().items():
        if isinstance(words, WordList) and words.families:
            with_families.add(id)
            members = [word for family in words.families for word in family]
            assert len(members) == len(set(members)), id
            assert set(members) <= set(words.words), id
            for family in words.families:
                assert len(family) > 1, id
                assert list(family) == sorted(family, key=words.words.index), id
    assert len(with_families) == 24


def test_counterparts_are_declared_where_lists_are_pairs(catalogue: Catalogue) -> None:
    lists = lists_of_fise(catalogue)
    assert lists["en/men"].paired_with(lists["en/women"])
    assert lists["en/women"].paired_with(lists["en/men"])
    assert not lists["en/men"].paired_with(lists["en/men"])
    for id in (
        "en/weat7",
        "en/weat8",
        "it/GER1",
        "de/CW4",
        *(f"{code}/gg-weat" for code in ("de", "es", "fr", "it", "pl")),
    ):
        roles = catalogue.test(id).roles
        assert roles["A"].paired_with(roles["B"]), id
    nouns = catalogue.test("es/gg-weat").roles
    assert nouns["X"].paired_with(nouns["Y"])
    names = catalogue.test("en/weat6").roles  # as many of each, and nobody belongs to anybody
    assert not names["X"].paired_with(names["Y"])


def all_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for entry in value:
            yield from all_strings(entry)


def test_lists_without_a_licence_are_not_shipped(catalogue: Catalogue, source: Any) -> None:
    for code, lists in source("omrani2022_code_lists.json")["weat"].items():
        printed = [sorted(t["words"]) for t in source(f"omrani2022_{code}.toml")["lists"].values()]
        shipped = [
            sorted(words.words)
            for id, words in catalogue.lists(code).items()
            if isinstance(words, WordList) and id.startswith(f"{code}/omrani2022/")
        ]
        for name, words in lists.items():
            assert sorted(words) not in shipped or sorted(words) in printed, (code, name)
    for code, lists in source("xweat_it_de_es.json")["languages"].items():
        own = {id: words for id, words in catalogue.lists(code).items() if isinstance(words, WordList)}
        # But for nouns of every kind, and the long lists together, among which are many words of any list.
        together = [
            words for id, words in own.items() if not id.startswith((f"{code}/nouns/", f"{code}/audit/"))
        ]
        everything = {word for words in together for word in words.words}
        long = [set(words.words) for id, words in own.items() if id.startswith(f"{code}/audit/")]
        for name, rows in lists.items():
            translated = {word for row in rows for word in all_strings(row["tr"])}
            if len(translated) >= 20:
                for words in (everything, *long):
                    assert len(translated & words) < len(translated) / 2, (code, name)


def test_the_page_lists_every_file_and_its_example_loads(catalogue: Catalogue, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "stimuli.md").read_text(encoding="utf-8")
    rows = [row for row in page.splitlines() if row.startswith("| `")]
    for file in catalogue.files:
        name = file.display.removeprefix("biascore_wordlists/").removesuffix(".toml")
        licence = "facts" if "facts" in file.licence else file.licence.split()[0]
        assert any(
            f"| {licence} " in row
            and any(fnmatch(name, one) for one in re.findall(r"`([^`]+)`", row.split("|")[1]))
            for row in rows
        ), file.display
    example = page.partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "it").mkdir()
    (tmp_path / "it" / "colleagues.toml").write_text(example, encoding="utf-8")
    mine = Catalogue.from_folders([(tmp_path, "my-lists")], kinds=KINDS)
    assert [test.id for test in mine.tests] == ["it/colleagues"]
    assert len(mine.lists("it")) == 7
