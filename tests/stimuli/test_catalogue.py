"""Addresses, globs, did-you-mean, and files that contradict each other."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biascore.errors import StimuliError, UnknownNameError
from biascore.stimuli import Catalogue, PairList
from biascore.stimuli.catalogue import natural_order

from ..builders.kinds import KINDS

SHIPPED = Path(__file__).parents[2] / "wordlists" / "biascore_wordlists"


def write(
    root: Path, language: str, stem: str, *tests: str, word: str = "word", meta_language: str = ""
) -> Path:
    text = (
        f'schema = 1\n[meta]\nlanguage = "{meta_language or language}"\n'
        'title = "t"\nsource = "s"\nlicence = "CC0"\n'
        f'[lists.one]\nwords = ["{word}"]\n[pairs.two]\nsides = ["f", "m"]\npairs = [["a", "b"]]\n'
    )
    for test in tests:
        text += (
            f'[tests."{test}"]\nkind = "weat"\ntitle = "t"\nconcept = "gender"\n'
            'X = "one"\nY = "one"\nA = "one"\nB = "one"\npositive_means = "p"\n'
        )
    folder = root / language
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "it", "first", "weat10", "weat2", "GenS")
    write(tmp_path, "en", "second", "weat1", "GenS")
    (tmp_path / "it" / "README.md").write_text("no TOML")
    (tmp_path / "notes").mkdir()
    return tmp_path


@pytest.fixture
def catalogue(root: Path) -> Catalogue:
    return Catalogue.from_folders([(root, "mine")], kinds=KINDS)


def ids(tests) -> list[str]:
    return [test.id for test in tests]


def test_tests_are_sorted_by_language_and_naturally(catalogue: Catalogue) -> None:
    assert ids(catalogue.tests) == ["en/GenS", "en/weat1", "it/GenS", "it/weat2", "it/weat10"]
    assert catalogue.languages == ("en", "it")
    assert catalogue.tests[0].file == "mine/en/second.toml"


def test_lookup_ignores_case(catalogue: Catalogue) -> None:
    assert catalogue.test("IT/WEAT2").id == "it/weat2"


@pytest.mark.parametrize("wrong", ["it/waet2", "weat2", "it/wheat2"])
def test_an_unknown_test_gets_a_suggestion(catalogue: Catalogue, wrong: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalogue.test(wrong)
    assert repr(wrong) in str(caught.value)
    assert "it/weat2" in str(caught.value)
    assert str(caught.value).endswith("biascore list tests")


def test_nothing_is_suggested_where_nothing_is_near(catalogue: Catalogue) -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalogue.test("zzzzzz")
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ("*", ["en/GenS", "en/weat1", "it/GenS", "it/weat2", "it/weat10"]),
        ("it/weat*", ["it/weat2", "it/weat10"]),
        ("*/gens", ["en/GenS", "it/GenS"]),
        ("it/weat?", ["it/weat2"]),
        ("IT/[gw]*2", ["it/weat2"]),
        (["it/weat10", "it/*", "it/weat2"], ["it/weat10", "it/GenS", "it/weat2"]),
        (["it/GenS", "IT/GENS"], ["it/GenS"]),
        ([], []),
    ],
)
def test_globs(catalogue: Catalogue, patterns: str | list[str], expected: list[str]) -> None:
    assert ids(catalogue.select(patterns)) == expected


def test_a_glob_without_a_match_is_an_error_even_among_others(catalogue: Catalogue) -> None:
    with pytest.raises(UnknownNameError, match=r"no test 'fr/\*'.*biascore list tests$"):
        catalogue.select(["it/*", "fr/*"])
    with pytest.raises(UnknownNameError, match="Did you mean it/weat2"):
        catalogue.select("it/weta2")


def test_lists_are_addressed_by_language_file_and_name(catalogue: Catalogue) -> None:
    assert list(catalogue.lists("it")) == ["it/first/one", "it/first/two"]
    assert len(catalogue.lists()) == 4
    assert catalogue.word_list("IT/First/one").words == ("word",)
    assert isinstance(catalogue.list_("it/first/two"), PairList)
    with pytest.raises(UnknownNameError, match="Did you mean it/first/one"):
        catalogue.word_list("it/frist/one")
    with pytest.raises(UnknownNameError, match="is a PairList, no WordList"):
        catalogue.word_list("it/first/two")
    with pytest.raises(UnknownNameError, match="the language 'xx'"):
        catalogue.lists("xx")
    with pytest.raises(TypeError):
        catalogue.lists()["x"] = catalogue.list_("it/first/two")  # type: ignore[index]


@pytest.mark.parametrize("duplicate", ["weat2", "WEAT2"])
def test_a_test_in_two_files_names_both(root: Path, duplicate: str) -> None:
    write(root, "it", "third", duplicate)
    with pytest.raises(StimuliError) as caught:
        Catalogue.from_folders([(root, "mine")], kinds=KINDS)
    assert "mine/it/first.toml" in str(caught.value)
    assert "mine/it/third.toml" in str(caught.value)
    assert f"it/{duplicate}" in str(caught.value)


def test_a_test_twice_in_one_file_but_for_case(root: Path) -> None:
    write(root, "it", "first", "weat2", "WEAT2")
    with pytest.raises(StimuliError, match=r"first\.toml, line \d+, tests\.WEAT2: differs from tests\.weat2"):
        Catalogue.from_folders([(root, "mine")], kinds=KINDS)


def test_one_file_name_in_two_folders_names_both(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    write(other, "it", "First", "new")
    with pytest.raises(StimuliError, match=r"other/it/First\.toml.*mine/it/first\.toml"):
        Catalogue.from_folders([(root, "mine"), (other, "other")], kinds=KINDS)


def test_one_test_name_may_stand_in_two_languages(catalogue: Catalogue) -> None:
    assert ids(catalogue.select("*/GenS")) == ["en/GenS", "it/GenS"]


def test_the_folder_is_the_language(root: Path) -> None:
    write(root, "it", "wrong", meta_language="fr")
    with pytest.raises(
        StimuliError, match=r"mine/it/wrong\.toml, meta\.language: is 'fr', but the folder is 'it'"
    ):
        Catalogue.from_folders([(root, "mine")], kinds=KINDS)


def test_a_folder_that_is_no_language(root: Path) -> None:
    write(root, "drafts", "x", meta_language="it")
    with pytest.raises(StimuliError, match="'drafts' is no language code"):
        Catalogue.from_folders([(root, "mine")], kinds=KINDS)


def test_a_file_outside_a_language_folder(root: Path) -> None:
    (root / "stray.toml").write_text("")
    with pytest.raises(StimuliError, match=r"mine/stray\.toml: lies outside"):
        Catalogue.from_folders([(root, "mine")], kinds=KINDS)


def test_a_folder_without_files(tmp_path: Path) -> None:
    (tmp_path / "it").mkdir()
    (tmp_path / "it" / "a.txt").write_text("x")
    with pytest.raises(StimuliError, match=r"^mine: holds no <language>/\*\.toml"):
        Catalogue.from_folders([(tmp_path, "mine")], kinds=KINDS)
    with pytest.raises(StimuliError, match=r"^mine/it: holds no \*\.toml"):
        Catalogue.from_folders(language_folders=[(tmp_path / "it", "mine/it")], kinds=KINDS)
    with pytest.raises(StimuliError, match="mine: there is no such folder"):
        Catalogue.from_folders([(tmp_path / "none", "mine")], kinds=KINDS)


def test_a_file_in_place_of_its_folder_names_the_folder(tmp_path: Path) -> None:
    path = write(tmp_path / "my lists", "pt", "genero")
    with pytest.raises(StimuliError, match=rf"genero\.toml: is a file.*stimuli=\['{tmp_path}/my lists'\]$"):
        Catalogue.from_folders([(path, "pt/genero.toml")])
    stray = write(tmp_path, "My lists", "genero")
    with pytest.raises(StimuliError, match=r"genero\.toml: is a file.*<language>/genero\.toml"):
        Catalogue.from_folders([(stray, "genero.toml")])


@pytest.mark.parametrize("name", ["lists.csv", "en/lists.tsv", "lists.json", "lists"])
def test_a_table_in_place_of_a_folder_is_named_as_data(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("list,word\na,b\n")
    with pytest.raises(StimuliError) as caught:
        Catalogue.from_folders([(path, name)])
    assert str(caught.value).startswith(f"{name}: is no TOML file")
    assert f".data('words', '{path}'" in str(caught.value)


def test_hidden_entries_and_case_of_the_suffix(root: Path) -> None:
    (root / ".cache").mkdir()
    (root / ".cache" / "x.toml").write_text("broken")
    (root / "it" / ".x.toml").write_text("broken")
    (root / "it" / "first.toml").rename(root / "it" / "first.TOML")
    assert "it/weat2" in ids(Catalogue.from_folders([(root, "mine")], kinds=KINDS).tests)


def test_a_users_folder_stands_beside_the_shipped_ones(tmp_path: Path) -> None:
    write(tmp_path, "it", "own", "mine", word="<b>&שלום")
    catalogue = Catalogue.from_folders(
        [(tmp_path, "lists")], language_folders=[(SHIPPED / "it", "biascore_wordlists/it")], kinds=KINDS
    )
    assert {"it/IT1", "it/mine"} <= set(ids(catalogue.tests))
    assert catalogue.test("it/IT1").file == "biascore_wordlists/it/puttick2025_weat.toml"
    assert catalogue.test("it/mine").file == "lists/it/own.toml"
    assert catalogue.test("it/mine").roles["X"].words == ("<b>&שלום",)
    write(tmp_path, "it", "clash", "it1")
    with pytest.raises(
        StimuliError, match=r"lists/it/clash\.toml: the test it/it1 is taken by biascore_wordlists"
    ):
        Catalogue.from_folders(
            [(tmp_path, "lists")], language_folders=[(SHIPPED / "it", "biascore_wordlists/it")], kinds=KINDS
        )


def test_a_file_below_a_language_folder_is_not_ignored(tmp_path: Path) -> None:
    write(tmp_path, "it", "own", "mine")
    (tmp_path / "it" / "old").mkdir()
    (tmp_path / "it" / "old" / "own.toml").write_text("", encoding="utf-8")
    with pytest.raises(StimuliError, match=r"lists/it/old/own\.toml: lies deeper"):
        Catalogue.from_folders([(tmp_path, "lists")], kinds=KINDS)


def test_the_case_of_a_language_does_not_matter() -> None:
    catalogue = Catalogue.from_folders(
        language_folders=[(SHIPPED / "it", "biascore_wordlists/it")], kinds=KINDS
    )
    assert catalogue.lists("IT") == catalogue.lists("it")


def test_a_catalogue_may_be_empty() -> None:
    assert Catalogue.from_folders().tests == ()


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no failure
@given(st.lists(st.integers(min_value=0, max_value=10**6), unique=True), st.randoms())
def test_numbers_sort_as_numbers(numbers: list[int], shuffler: random.Random) -> None:
    names = [f"weat{number}" for number in numbers]
    shuffler.shuffle(names)
    assert sorted(names, key=natural_order) == [f"weat{number}" for number in sorted(numbers)]


@given(st.lists(st.text(alphabet="ab12_²٣", max_size=6)))
def test_any_names_can_be_sorted(names: list[str]) -> None:
    assert sorted(sorted(names, key=natural_order)) == sorted(names)


def test_templates_of_a_file_by_name() -> None:
    catalogue = Catalogue.from_folders([(SHIPPED, "shipped")], kinds=KINDS)
    templates = catalogue.templates("it", "PUTTICK2025_SEAT")
    assert list(templates) == ["noun-singular", "noun-plural", "adjective", "verb"]
    assert templates["verb"].sentences == ("Questo può WORD.", "Questa può WORD.")


@pytest.mark.parametrize(
    ("language", "file", "told"),
    [
        ("it", "seats", r"no templates it/seats. Did you mean seat\? It has templates in: .*seat"),
        (
            "it",
            "omrani2022",
            r"no templates it/omrani2022. .*It has templates in: ",
        ),  # a file without templates
        ("eo", "seat", r"no templates eo/seat. It has no templates. See what there is with: biascore list"),
    ],
)
def test_templates_that_are_not_there(language: str, file: str, told: str) -> None:
    with pytest.raises(UnknownNameError, match=told):
        Catalogue.from_folders([(SHIPPED, "shipped")], kinds=KINDS).templates(language, file)
