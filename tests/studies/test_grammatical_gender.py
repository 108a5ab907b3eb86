"""What the study of grammatical gender printed, beside what its own tables and lists give."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import unicodedata
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from biascore import Audit, Engine, Measurement, Run
from biascore.stats import normal_approximation

STUDIES = Path(__file__).parents[2] / "docs" / "studies"
LANGUAGES = ("fr", "de", "it", "pl", "es")
WORDS = {"GenS": 18, "GenC": 8, "GG": 9}
TRAINED = 6000


@pytest.fixture(scope="module")
def gg(shared_data: Path) -> Path:
    return shared_data / "gg"


@pytest.fixture(scope="module")
def runs(gg: Path) -> dict[str, Any]:
    """The per-iteration tables of the authors' runs, by language."""
    found: dict[str, Any] = json.loads((gg / "paper_iterations.json").read_text("utf-8"))["languages"]
    return found


@pytest.fixture(scope="module")
def lists(shared_data: Path) -> dict[str, Any]:
    """The lists of the authors' code."""
    found: dict[str, Any] = json.loads(
        (shared_data / "wordlists" / "omrani2022_code_lists.json").read_text("utf-8")
    )
    return found


def printed(run: dict[str, Any]) -> dict[str, Any]:
    """The row of a language's runs that the paper prints."""
    return dict(run["iterations"][run["iteration_reported_in_paper"]])


def test_every_published_p_is_the_closed_form(runs: dict[str, Any]) -> None:
    differences = [
        abs(row[f"P_{test}"] - normal_approximation(row[test], n, n))
        for run in runs.values()
        for row in run["iterations"]
        for test, n in WORDS.items()
    ]
    assert len(differences) == 3 * sum(len(run["iterations"]) for run in runs.values()) == 390
    assert max(differences) < 0.005
    assert sum(differences) / len(differences) < 5e-4


def test_the_tables_print_rows_of_the_runs(runs: dict[str, Any]) -> None:
    chosen = {language: runs[language]["iteration_reported_in_paper"] for language in LANGUAGES}
    assert chosen == {"fr": 27, "de": 19, "it": 30, "pl": 20, "es": 28}
    for run in runs.values():
        for test in WORDS:
            figures = run["paper_tables_2_5"][test]
            assert figures["d_init"] == pytest.approx(run["iterations"][0][test], abs=0.00501)
            assert figures["d_final"] == pytest.approx(printed(run)[test], abs=0.00501)
            if "p_final" in figures:
                assert figures["p_final"] == pytest.approx(printed(run)[f"P_{test}"], abs=0.00501)
    noted = {language: runs[language]["num_iter_in_main_ipynb"] for language in LANGUAGES}
    assert {language for language in LANGUAGES if noted[language] != chosen[language]} == {"it", "es"}


def test_the_test_accuracy_is_pulled_to_a_half_by_rows_of_zeros(runs: dict[str, Any]) -> None:
    """From the first projection on 6,000 rows are scored, of which as many are zero as there are too few nouns."""
    pairs = {language: runs[language]["n_rest_pairs"] for language in LANGUAGES}
    assert pairs == {"fr": 2269, "de": 3000, "it": 1130, "pl": 3000, "es": 1837}
    first = {}
    for language, run in runs.items():
        n = pairs[language]
        before = Fraction(run["iterations"][0]["test_acc"]).limit_denominator(TRAINED)
        assert 2 * n % before.denominator == 0  # the first score is over the real nouns alone
        for row in run["iterations"][1:]:
            right = row["test_acc"] * TRAINED - (3000 - n)
            assert right == pytest.approx(round(right), abs=1e-6)  # so many of 2n nouns: a whole number
            assert row["undiluted_test_acc"] == pytest.approx(right / (2 * n), abs=1e-12)
        first[language] = run["iterations"][1]
    assert {k: round(row["test_acc"], 4) for k, row in first.items()} == {
        "fr": 0.7725, "de": 0.7865, "it": 0.6423, "pl": 0.8185, "es": 0.736,
    }  # fmt: skip
    assert {k: round(row["undiluted_test_acc"], 4) for k, row in first.items()} == {
        "fr": 0.8603, "de": 0.7865, "it": 0.8779, "pl": 0.8185, "es": 0.8854,
    }  # fmt: skip
    means = [sum(row[key] for row in first.values()) / 5 for key in ("test_acc", "undiluted_test_acc")]
    assert [round(mean, 3) for mean in means] == [0.751, 0.846]


def test_german_is_below_the_accuracy_that_is_claimed_of_all(runs: dict[str, Any]) -> None:
    starts = {language: run["iterations"][0] for language, run in runs.items()}
    below = {k for k, row in starts.items() if min(row["train_acc"], row["test_acc"]) < 0.96}
    assert below == {"de", "pl"}
    assert round(starts["de"]["train_acc"], 3) == 0.937
    assert (round(starts["de"]["test_acc"], 3), round(starts["pl"]["test_acc"], 3)) == (0.913, 0.944)


BASELINES = {
    # printed after, and what the results say: FloI, InsW
    "fr": ((1.44, 1.45), (1.33, 1.45)),
    "de": ((1.62, 1.67), (1.60, 1.65)),
    "it": ((1.61, 1.37), (1.60, 1.38)),
    "pl": ((1.34, 1.19), (1.112, 1.19)),
    "es": ((1.60, 1.12), (1.5951, 1.01382)),
}


def test_printed_baselines_beside_those_of_the_results(runs: dict[str, Any]) -> None:
    for language, (in_print, in_file) in BASELINES.items():
        figures = runs[language]["paper_tables_2_5"]
        assert (figures["FloI"]["d_final"], figures["InsW"]["d_final"]) == in_print
        rows = [row[1:] for row in runs[language]["baseline_sheet_raw"] if str(row[0]).startswith("correct")]
        after = [row for row in rows if isinstance(row[1], float)]
        if after:
            assert tuple(after[0]) == in_file
        else:  # German: its last row, the second
            last = runs[language]["baseline_weat_rows"][-1]
            assert (round(last["flow_ins"], 2), round(last["instr_wep"], 2)) == in_file


def test_four_baselines_before_are_cut_and_not_rounded(runs: dict[str, Any]) -> None:
    cut = {
        (language, test)
        for language, run in runs.items()
        for test, name in (("FloI", "flow_ins"), ("InsW", "instr_wep"))
        if abs(run["baseline_weat_rows"][0][name] - run["paper_tables_2_5"][test]["d_init"]) > 0.00501
    }
    assert cut == {("es", "FloI"), ("it", "InsW"), ("de", "FloI"), ("de", "InsW")}


def test_the_gap_of_table_6_depends_on_where_one_stops(runs: dict[str, Any]) -> None:
    gaps = {
        language: [row["gonen_same"] - row["gonen_diff"] for row in run["iterations"]]
        for language, run in runs.items()
    }
    for language, run in runs.items():
        first, last, english = (
            gaps[language][0],
            gaps[language][run["iteration_reported_in_paper"]],
            run["implied_english_gap"],
        )
        assert 1 - (last - english) / (first - english) == pytest.approx(
            run["paper_table6_reduction"], abs=1e-9
        )
    assert {k: round(run["implied_english_gap"], 3) for k, run in runs.items()} == {
        "fr": 0.062, "de": 0.007, "it": -0.018, "pl": 0.020, "es": 0.032,
    }  # fmt: skip
    smallest = {language: min(range(len(found)), key=found.__getitem__) for language, found in gaps.items()}
    assert smallest == {"fr": 9, "de": 9, "it": 30, "pl": 14, "es": 8}
    assert [round(gaps["es"][k], 3) for k in (0, 8, 28)] == [0.126, 0.078, 0.088]


def test_single_nouns(runs: dict[str, Any]) -> None:
    single = {language: run["sc_gg_weat"] for language, run in runs.items()}
    assert sum(one["masc_weakened"] + one["fem_weakened"] for one in single.values()) == 9139
    assert {k: (one["masc_weakened"], one["fem_weakened"]) for k, one in single.items()} == {
        "fr": (984, 965), "de": (920, 804), "it": (872, 991), "pl": (816, 820), "es": (998, 969),
    }  # fmt: skip
    # Both genders move to a common place, and not to 0.
    assert (single["es"]["masc_mean_d_after"], single["es"]["fem_mean_d_after"]) == (-0.2433, -0.2931)


def test_lists_of_the_code_hold_words_twice(lists: dict[str, Any]) -> None:
    twice = {
        (language, name, word): times
        for language, named in lists["weat"].items()
        for name, words in named.items()
        for word, times in Counter(words).items()
        if times > 1
    }
    assert twice[("it", "weapons", "lancia")] == 5
    assert ("es", "humanities", "periodismo") in twice
    assert Counter(language for language, *_ in twice) == {"fr": 4, "es": 4, "it": 3}


def test_decomposed_words_miss_the_vocabulary(lists: dict[str, Any]) -> None:
    poles = lists["valnorm_poles"]
    decomposed = {
        language: tuple(
            sum(not unicodedata.is_normalized("NFC", word) for word in poles[language][pole]["words"])
            for pole in ("pleasant", "unpleasant")
        )
        for language in ("de", "es", "pl", "fr", "it")
    }
    assert decomposed == {"de": (3, 5), "es": (1, 6), "pl": (8, 8), "fr": (0, 0), "it": (0, 0)}


def test_the_printed_lists_are_not_those_of_the_code(lists: dict[str, Any], engine: Engine) -> None:
    names = {"men": "man_words", "women": "woman_words"}
    differ = {
        (language, name)
        for language in LANGUAGES
        for name in ("science", "humanities", "men", "women", "career", "family")
        if sorted(engine.catalogue.word_list(f"{language}/omrani2022/{name}").words)
        != sorted(lists["weat"][language][names.get(name, name)])
    }
    assert {("fr", "men"), ("fr", "women"), ("it", "men"), ("it", "women")} <= differ
    assert all(len(words) >= 8 for language in LANGUAGES for words in lists["weat"][language].values())


def test_percentages_of_analogies_are_cut_and_rounded(runs: dict[str, Any]) -> None:
    raw = {k: [cell for row in run["baseline_sheet_raw"] for cell in row] for k, run in runs.items()}
    assert any(isinstance(cell, float) and round(cell, 4) == 0.6274 for cell in raw["fr"])  # printed 62
    assert {"correct:  627", "in vocab:  848"} <= set(raw["it"])  # 73.9 %, printed 73
    assert {"correct:  655", "in vocab:  800"} <= set(raw["es"])  # 81.9 %, printed 82


def test_the_substring_rule_leaves_questions_that_nothing_answers(gg: Path) -> None:
    unsolvable = {}
    for language in ("en", *LANGUAGES):
        text = (gg / "authors_eval" / f"analogies_{language}.txt").read_text("utf-8")
        rows = [line.lower().split() for line in text.splitlines() if line.strip()]
        unsolvable[language] = sum(any(word in d for word in words) for *words, d in rows)
    assert unsolvable == {"en": 81, "fr": 46, "de": 83, "it": 67, "pl": 101, "es": 6}


def test_the_french_and_italian_norms_are_one_english_list(gg: Path) -> None:
    scores = {}
    for language in ("fr", "it", "de"):
        with (gg / "authors_eval" / f"valnorm_{language}.csv").open(
            encoding="utf-8-sig", newline=""
        ) as stream:
            rows = [row for row in csv.reader(stream) if row[2] != "score"]
        scores[language] = {row[0].strip("\ufeff"): row[2] for row in rows}
    assert len(scores["fr"]) == 399
    assert scores["fr"] == scores["it"] != scores["de"]


def test_printed_p_of_german_baselines_follow_from_no_d(runs: dict[str, Any]) -> None:
    """Table 5 gives 10^-5 and 10^-9; fewer words than the 9 and 21 of the lists would make p larger still."""
    figures = runs["de"]["paper_tables_2_5"]
    assert normal_approximation(figures["FloI"]["d_final"], 9, 9) > 2.5e-4
    assert normal_approximation(figures["InsW"]["d_final"], 21, 21) > 2.5e-8


def test_few_nouns_keep_an_association_that_many_have_lost(gg: Path) -> None:
    """The reference for the small Spanish vectors: the paper's 18 nouns, and the nouns that were held out."""
    rows = json.loads((gg / "es_reference.json").read_text("utf-8"))["runs"]["rows"]["primal"]
    few, many = ({row["iter"]: row[key] for row in rows} for key in ("d_GG", "d_GG_held_out"))
    assert [round(few[k], 2) for k in (0, 1, 5)] == [1.55, 1.02, 0.95]
    assert [round(many[k], 2) for k in (0, 1, 5)] == [1.21, 0.32, 0.18]


def study(engine: Engine, models: dict[str, str]) -> Run:
    left_out = [language for language in LANGUAGES if language not in models]
    audit = Audit.load(STUDIES / "grammatical-gender.toml").with_models(models, without=left_out)
    return engine.run(audit)


def value_of(one: Measurement) -> float | None:
    """The effect, of what is left where the test lost half of a list and is not measured."""
    left = [estimate for estimate in one.estimates if estimate.name.endswith(", of what is left")]
    return (left or one.estimates)[0].value


def check(run: Run, expected: dict[str, tuple[float, ...]]) -> None:
    """Compare with the page: effects before and after by test, and their change where the audit measures it."""
    found = {(one.metric, one.model, one.test): value_of(one) for one in run}
    for test, (before, after, *change) in expected.items():
        assert found["weat", "es before", test] == pytest.approx(before, abs=0.03), test
        assert found["weat", "es", test] == pytest.approx(after, abs=0.03), test
        if change:
            assert found["weat-change", "es", test] == pytest.approx(change[0], abs=0.03), test


def held_out(run: Run) -> list[float]:
    """GG-WEAT of the nouns that were held out, before and after."""
    (found,) = [one for one in run if (one.metric, one.model) == ("gg-weat", "es")]
    values = {estimate.name: estimate.value for estimate in found.estimates}
    return [values[f"effect size d, held-out nouns{when}"] for when in (" before", "")]


def test_the_audit_names_every_language_and_checks(engine: Engine) -> None:
    audit = Audit.load(STUDIES / "grammatical-gender.toml")
    assert [model.name for model in audit.models] == ["es", "it", "fr", "de", "pl"]
    tests = {test for entry in audit.measurements for test in entry.tests}
    assert {f"{language}/gg-weat" for language in LANGUAGES} <= tests
    for test in tests:
        engine.catalogue.test(test)


@pytest.mark.slow
def test_on_made_vectors_the_planted_gender_goes_and_the_social_bias_stays(
    engine: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "es.vec"
    subprocess.run([sys.executable, str(STUDIES / "gendered_vectors.py"), "es", str(path)], check=True)
    run = study(engine, {"es": f"fasttext:{path}"})
    expected = {
        "es/gg-weat": (1.93, 0.19, -1.74), "es/GenS": (0.93, 1.20, 0.27), "es/GenC": (0.68, 0.69, 0.01),
        "es/weat1": (1.50, 1.48, -0.02), "es/weat2": (1.37, 1.40, 0.03),
    }  # fmt: skip
    check(run, expected)
    assert held_out(run) == pytest.approx([1.95, 0.14], abs=0.03)


@pytest.mark.slow
def test_on_small_real_vectors_gg_weat_falls_and_baselines_stay(engine: Engine, gg: Path) -> None:
    run = study(engine, {"es": f"fasttext:{gg / 'es_eltec_50d.vec.gz'}"})
    expected = {
        "es/gg-weat": (1.70, 0.46, -1.24), "es/GenS": (-0.28, 0.05, 0.34), "es/weat1": (1.63, 1.63, 0.0),
        "es/weat2": (1.72, 1.75, 0.03), "es/GenC": (0.86, 1.02, 0.17),
    }  # fmt: skip
    check(run, expected)
    lost = {one.test for one in run if one.metric == "weat" and one.headline.value is None}
    assert lost == {"es/GenS", "es/weat1"}, "these vectors lack half of a list or more"
    assert held_out(run) == pytest.approx([1.44, -0.28], abs=0.03)


@pytest.mark.slow
def test_nouns_of_a_treebank_leave_more_of_gg_weat(engine: Engine, gg: Path) -> None:
    """718 forms a gender, plurals too, named by an audit as data and learnt from by a transform."""
    through = {"name": "grammatical-gender", "options": {"nouns": "es/mine"}}
    run = engine.run(
        Audit.from_parts(
            title="nouns of a treebank",
            data=[{"format": "nouns", "source": str(gg / "es_nouns.tsv"), "language": "es", "name": "mine"}],
            models=[{
                "name": "es", "ref": f"fasttext:{gg / 'es_eltec_50d.vec.gz'}", "transforms": [through], "before": True
            }],
            measurements=[{"metric": "weat", "tests": ["es/gg-weat"]}],
        )
    )  # fmt: skip
    check(run, {"es/gg-weat": (1.70, 1.23)})
