"""What was compared, what was published, and telling examples: on the page, by names that people use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from biascore import Engine
from biascore.report.examples import MOST, examples_of
from biascore.results.figures import Examples
from biascore.results.run import Run
from biascore.results.stimuli_used import MOST_WORDS, TestUsed, called
from biascore.stimuli import Test, WordList
from biascore_metrics.characters.items import MEN, WOMEN, Occasion

from ..builders.runs import measurement, run_of, table
from ..metrics.characters.writers import measured, occasions_test
from .pages import page_of, tables_of

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

FIGURE = Examples(
    title="Samples",
    follows="follows",
    beside=("translation", "translation (sk)"),
    marked="word",
    notice="These sentences repeat stereotypes.",
)


def samples(figure: Examples = FIGURE) -> Run:
    """Six that follow, of two groups, one that does not, and one that goes neither way."""
    rows = [(f"{'I am strong ' * (i + 1)}", f"g{i % 2}", 1.0) for i in range(6)]
    rows += [("I am kind", "g2", 0.0), ("I am", "g2", None)]
    more = {
        "follows": [True] * 6 + [False, None],
        "translation": ["Som silný, silnýmu nie"] * 6 + ["Som milá", ""],
        "word": ["silný"] * 6 + ["Milá", ""],
    }
    made = measurement(metric="gest-mt", items=table(rows, more))
    return run_of(made.model_copy(update={"figures": (figure,)}))


def test_examples_are_of_both_sides_and_of_different_groups() -> None:
    told = examples_of(samples()[0])
    assert told is not None
    assert (told.n_for, told.n_against) == (6, 1)
    assert len(told.follow) == MOST
    assert [one.group for one in told.follow[:2]] == ["g0", "g1"]
    assert told.follow[0].item == "I am strong "  # of equals the shortest
    # Whole words in whatever case, and not as a part of another one.
    assert told.follow[0].beside == (("Som ", False), ("silný", True), (", silnýmu nie", False))
    assert told.against[0].beside == (("Som ", False), ("milá", True))


def test_a_number_with_a_comma_is_marked_whole() -> None:
    one = {"follows": [True], "translation": ["Offer 1,736 or 5 dollars, 1 at least."], "word": ["1,736, 5"]}
    made = measurement(metric="gest-mt", items=table([("I am strong", "g0", 1.0)], one))
    told = examples_of(made.model_copy(update={"figures": (FIGURE,)}))
    assert told is not None
    assert [piece for piece, marked in told.follow[0].beside if marked] == ["1,736", "5"]


def test_numbers_follow_by_their_side_and_missing_columns_give_none() -> None:
    by_value = FIGURE.model_copy(update={"follows": "value", "beside": None, "marked": None})
    told = examples_of(samples(by_value)[0])
    assert told is not None
    assert (told.n_for, told.n_against) == (6, 0)  # 0 goes neither way
    assert examples_of(samples(FIGURE.model_copy(update={"follows": "absent"}))[0]) is None


def test_sentences_with_a_notice_stand_behind_it(tmp_path: Path) -> None:
    page = page_of(samples(), tmp_path)
    (notice,) = page.all("details", "notice")
    assert "These sentences repeat stereotypes." in notice.all("summary")[0].text
    assert "6 of 7 items that go either way go this way, 1 the other." in page.text
    assert [mark.text for mark in notice.all("mark")] == ["silný"] * MOST + ["milá"]
    outside = page.text.replace(notice.text, "")
    assert "I am strong" not in outside
    assert tables_of(page)["items-1"]["rows"][0][0].startswith("I am strong")


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>&lt;b&gt;\u202e\x1b[2J"


def test_a_page_shows_six_texts_of_a_model_at_most_two_a_side_one_unread_and_one_refused(
    engine: Engine, tmp_path: Path
) -> None:
    """Whatever is written in them, as texts behind the notice."""

    def says(one: Occasion) -> str:
        number = int(one.about.rpartition(" ")[2])
        if number > 5:
            return (
                f"I'm sorry, but I can't write about that. {HOSTILE}"
                if number == 7
                else f"It rained. {HOSTILE}"
            )
        man = (one.side == MEN) == (number > 0)
        return f"{'He' if man else 'She'} closed the shop. {HOSTILE}"

    run = run_of(measured(engine, says, occasions_test(9)))
    page = page_of(run, tmp_path)
    (notice,) = page.all("details", "notice")
    tables = [
        (table.all("caption")[0].text, [row.all("td") for row in table.all("tr")[1:]])
        for table in notice.all("table", "examples")
    ]
    assert [(name, sorted(row[-1].text for row in rows)) for name, rows in tables] == [
        ("This way", [MEN, WOMEN]),
        ("The other way", [MEN, WOMEN]),
        ("Neither way", [f"{MEN}, refused", f"{MEN}, unread"]),
    ]
    assert all("<script>alert(1)</script><img" in row[0].text for _, rows in tables for row in rows)
    assert not [one for one in page.all("img") if one.attributes.get("src") == "x"]
    assert not [one for one in page.all("script") if "alert(1)" in "".join(map(str, one.own_text))]
    assert "\x1b" not in page.text
    assert "\u202e" not in page.text


def test_a_page_shows_what_could_not_be_read_where_nothing_is_measured(
    engine: Engine, tmp_path: Path
) -> None:
    run = run_of(measured(engine, lambda _: "It rained. Later it snowed."))
    assert run[0].headline.value is None
    page = page_of(run, tmp_path)
    (notice,) = page.all("details", "notice")
    assert [one.text for one in notice.all("caption")] == ["Neither way"]
    assert "It rained." in notice.text
    assert "items that go either way" not in page.text
    nothing = run[0].model_copy(update={"items": run[0].items.slice(0, 0)})
    assert examples_of(nothing) is None


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Engine(cache=None)
    yield engine
    engine.close()


def test_a_run_keeps_the_words_of_its_tests_and_the_page_shows_them_by_name(
    engine: Engine, tmp_path: Path
) -> None:
    run = engine.measure("weat", "planted:gender=1", ["it/weat6", "en/weat7"], resamples=200)
    italian, english = run.tests
    assert [one.title for one in italian.lists] == ["male names", "female names", "career", "family"]
    assert [one.title for one in english.lists] == ["mathematics", "arts", "men", "women"]
    assert "stipendio" in italian.lists[2].words
    assert Run.load(run.save(tmp_path / "run")).tests == run.tests
    sections = page_of(run, tmp_path).all("details", "measurement")
    assert "stipendio" in sections[0].text
    assert "Published for this test" in sections[0].text
    assert italian.published[0].source in sections[0].text
    assert "geometry" in sections[1].text
    assert "Published for this test" not in sections[1].text


def test_a_long_list_is_cut_and_says_so(tmp_path: Path) -> None:
    words = WordList("ingressive_balanced", tuple(f"w{i}" for i in range(MOST_WORDS + 3)))
    used = TestUsed.of(Test(id="it/weat6", kind="x", language="it", roles={"A": words}))
    assert (used.lists[0].given, len(used.lists[0].words)) == (MOST_WORDS + 3, MOST_WORDS)
    page = page_of(run_of(measurement()).model_copy(update={"tests": (used,)}), tmp_path)
    assert f"w{MOST_WORDS - 1} and 3 more" in page.text


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("weat7_math", "math"),
        ("pleasant_5", "pleasant"),
        ("unpleasant_5a", "unpleasant"),
        ("GER1_male", "male"),
        ("_1", "_1"),
    ],
)
def test_lists_are_called_by_what_they_hold(name: str, title: str) -> None:
    assert called(name) == title
