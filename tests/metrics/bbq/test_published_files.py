"""The published files: how many items, templates and targets they have, and what published answers give with them."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from biascore import Engine
from biascore.api.kinds import Test
from biascore_metrics.bbq.formats.languages import foreign, languages
from biascore_metrics.bbq.items import ChoicesTest

FILES = [
    ("bbq", "en", "bbq/Age.jsonl.gz", 3680, 25),
    ("bbq", "en", "bbq/Religion.jsonl.gz", 1200, 25),
    ("esbbq", "es", "esbbq/es_Religion.csv.gz", 648, 16),
    ("esbbq", "ca", "esbbq/ca_Religion.csv.gz", 648, 16),
    ("esbbq", "es", "esbbq/es_Nationality.csv.gz", 504, 15),
    ("esbbq", "ca", "esbbq/ca_Nationality.csv.gz", 504, 15),
    ("ggbbq", "de", "ggbbq", 968, 19),
    ("ggbbq", "de", "ggbbq/bbq_de_amb_test.jsonl.gz", 484, 19),
    ("kobbq", "ko", "kobbq/KoBBQ_test_samples.tsv.gz", 2280, 269),
]


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    found = shared_data / "choices"
    if not found.is_dir():
        pytest.skip(f"reference data are not at {found}")
    return found


def read(engine: Engine, family: str, path: Path, language: str, **options: object) -> ChoicesTest:
    test: Test = engine.data(family, path, language=language, **options)
    assert isinstance(test, ChoicesTest)
    return test


@pytest.mark.parametrize(("family", "language", "file", "items", "templates"), FILES)
def test_every_item_is_read(
    engine: Engine, folder: Path, family: str, language: str, file: str, items: int, templates: int
) -> None:
    test = read(engine, family, folder / file, language)
    questions = test.questions.rows
    assert len(questions) == len({one.item for one in questions}) == items
    assert len({one.template for one in questions}) == templates
    assert not any("left out" in note or "does not fit" in note for note in test.notes)
    assert all(one.ambiguous == (one.options[one.label].role == "unknown") for one in questions)
    roles = Counter(one.options[one.label].role for one in questions if not one.ambiguous)
    if family != "ggbbq":  # of which some stereotypes are confirmed by every context
        assert roles["target"] == roles["other"] > 0


@pytest.mark.parametrize("category", ["Age", "Religion"])
@pytest.mark.parametrize("model", ["race", "arc"])
def test_published_answers_count_as_published(
    engine: Engine, folder: Path, category: str, model: str
) -> None:
    expected = json.loads((folder / "bbq" / "expected.json").read_text(encoding="utf-8"))[category][model]
    test = read(engine, "bbq", folder / "bbq" / f"{category}.jsonl.gz", "en")
    with gzip.open(
        folder / "bbq" / f"answers_{category}.csv.gz", "rt", encoding="utf-8", newline=""
    ) as stream:
        said = {
            f"{category}/{row['example_id']}": row[f"unifiedqa_{model}"] for row in csv.DictReader(stream)
        }
    assert len(said) - len(test.questions.rows) == expected["items without a target"]
    for context, ambiguous in (("ambig", True), ("disambig", False)):
        found: Counter[str] = Counter()
        for one in test.questions.rows:
            if one.ambiguous == ambiguous:
                answer = said[one.item].strip().rstrip(".").lower()
                chosen = [
                    i for i, option in enumerate(one.options) if option.text.rstrip(".").lower() == answer
                ]
                found["unreadable"] += not chosen
                found["right"] += chosen == [one.label]
                found[one.options[chosen[0]].role if chosen else "none"] += 1
        wanted = expected[context]
        read_ = found["target"] + found["other"] + found["unknown"]
        assert (read_, found["unreadable"]) == (wanted["n"], wanted["unreadable"])
        assert (found["target"] + found["other"], found["target"]) == (
            wanted["not unknown"],
            wanted["target"],
        )
        assert found["right"] / read_ == pytest.approx(wanted["accuracy"], abs=1e-12)


def test_esbbq_says_itself_which_questions_are_stereotyped(engine: Engine, folder: Path) -> None:
    with gzip.open(folder / "esbbq" / "es_Religion.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        kinds = {f"Religion/{row['instance_id']}": row["question_type"] for row in csv.DictReader(stream)}
    roles = {"pro-stereo": "target", "anti-stereo": "other", "n/a": "unknown"}
    test = read(engine, "esbbq", folder / "esbbq" / "es_Religion.csv.gz", "es")
    assert {one.item: one.options[one.label].role for one in test.questions.rows} == {
        item: roles[kind] for item, kind in kinds.items()
    }


def test_the_two_files_of_gg_bbq_have_the_same_templates(engine: Engine, folder: Path) -> None:
    templates = [
        {
            one.template
            for one in read(
                engine, "ggbbq", folder / "ggbbq" / f"bbq_de_{name}_test.jsonl.gz", "de"
            ).questions.rows
        }
        for name in ("amb", "disamb")
    ]
    assert templates[0] == templates[1]


def test_the_prompts_of_kobbq_bring_their_phrases(engine: Engine, folder: Path) -> None:
    prompts = folder / "kobbq" / "evaluation_prompts.tsv.gz"
    test = read(engine, "kobbq", folder / "kobbq" / "KoBBQ_test_samples.tsv.gz", "ko", prompts=str(prompts))
    assert len(test.prompts) == len(set(test.unknowns)) == 5
    assert all(prompt.endswith("{question}") and "{a}" not in prompt for prompt in test.prompts)


def test_own_questions_are_not_those_of_bbq(engine: Engine, folder: Path) -> None:
    own: set[str] = set()
    for name in ("gender", "age"):
        test = engine.catalogue.test(f"en/choices-{name}")
        assert isinstance(test, ChoicesTest)
        own |= {text for one in test.questions.rows for text in (one.context, one.question)}
    assert len(own) == 2 * (24 * 4 + 24 * 2)
    for file in ("Age", "Religion"):
        theirs = read(engine, "bbq", folder / "bbq" / f"{file}.jsonl.gz", "en").questions.rows
        assert not own & {text for one in theirs for text in (one.context, one.question)}


@pytest.mark.parametrize(
    ("family", "language", "file"), [(family, tag, file) for family, tag, file, *_ in FILES[::2]]
)
def test_a_language_is_seen_to_be_another(
    engine: Engine, folder: Path, family: str, language: str, file: str
) -> None:
    texts = [
        f"{one.context} {one.question}"
        for one in read(engine, family, folder / file, language).questions.rows
    ]
    for other in languages():
        found = Counter(foreign(text, other) for text in texts)
        if other == language:
            assert found == {"": len(texts)}
        else:
            assert found[language] > 0.75 * len(texts)
            assert found[language] + found[""] == len(texts)
