"""The data format ``eec-parts``: the published corpora row for row, and a small file of the same shape."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import biascore_wordlists
from biascore.api.formats import DataFile
from biascore.engine.engine import Engine
from biascore.errors import DataError
from biascore.stimuli import load_file
from biascore_metrics.eec.format import EecPartsFormat, EecPartsOptions
from biascore_metrics.eec.items import EquityTest

from ...builders.equity_parts import SMALL
from ...builders.kinds import KINDS

DATA = Path(__file__).parents[4] / "shared" / "data" / "eec"
LANGUAGES = {"en": "en", "en_es": "en", "en_ar": "en", "es": "es", "ar": "ar"}
SHIPPED = {
    "en": "en/eec",
    "en_es": "en/eec-anglo-latino",
    "en_ar": "en/eec-anglo-arab",
    "es": "es/eec",
    "ar": "ar/eec",
}
# SHA-256 of the sentences of each file released with Câmara et al. 2022 (github.com/ascamara/ml-intersectionality), sorted
# by code point and joined with line feeds, and their number. The Arabic file lacks two rows.
PUBLISHED = {
    "en": (8640, "24b0f7d783e50ce68636208b0cd293952b1a6112ee1a81da0657bac10a3f37fe"),
    "en_es": (8640, "ee26d6f51202c249dac14060e4dba37293cae6953ff252a2ca379d5cb2841124"),
    "en_ar": (8640, "b54101213f91d811c0494ae3dc57dea65ee5648a73db154d73ff2d39fe521df6"),
    "es": (8460, "85d3064987c1dadadbd4698ef0568af9433ea117daee78d2403c6af488eefa93"),
    "ar": (8038, "1134cd68614830e5637aecc7caaa65fda5cab915691e953bf278fc928e0b6650"),
}


def read(path: Path, corpus: str, mode: str, language: str) -> EquityTest:
    options = EecPartsOptions.model_validate({"corpus": corpus, "mode": mode})
    test = EecPartsFormat(options).read(DataFile(path, "parts.json", "0", f"{language}/{corpus}", language))
    assert isinstance(test, EquityTest)
    return test


def components() -> Path:
    if not DATA.is_dir():
        pytest.skip("the parts of the published corpora in ../shared/data/eec are absent")
    return DATA / "components.json"


def digest(rows: pd.DataFrame) -> str:
    return hashlib.sha256("\n".join(sorted(rows["sentence"])).encode()).hexdigest()


@pytest.mark.parametrize("corpus", PUBLISHED)
def test_the_published_corpus_row_for_row(corpus: str) -> None:
    rows = read(components(), corpus, "as_published", LANGUAGES[corpus]).rows()
    assert (len(rows), digest(rows)) == PUBLISHED[corpus]
    counts: Any = json.loads((DATA / "expected_counts.json").read_text(encoding="utf-8"))
    expected = counts["corpora"][corpus]["as_published"]
    assert rows["sentence"].nunique() == expected["distinct"]
    assert Counter(rows["template"]) == expected["by_template"]
    assert Counter(emotion or "none" for emotion in rows["emotion"]) == expected["by_emotion"]
    assert Counter(rows["kind"]) == {"name": expected["with_name"], "noun phrase": expected["noun_phrase"]}
    named = rows[(rows["kind"] == "name") & (rows["emotion"] != "")]
    cells = Counter(named["emotion"] + "|" + named["gender"] + "|" + named["race/ethnicity"])
    assert cells == expected["regression_cell_sizes"]


@pytest.mark.parametrize("corpus", PUBLISHED)
def test_corrected_it_is_what_ships(corpus: str) -> None:
    language = LANGUAGES[corpus]
    corrected = read(components(), corpus, "corrected", language)
    file = Path(biascore_wordlists.__file__).parent / language / "eec.toml"
    (shipped,) = (test for test in load_file(file, "x", kinds=KINDS).tests if test.id == SHIPPED[corpus])
    assert isinstance(shipped, EquityTest)
    assert corrected.factors == shipped.factors
    assert corrected.agreement == shipped.agreement
    rows = shipped.rows()
    order = ["template", "person", "emotion", "word"]
    given = corrected.rows().sort_values(order, ignore_index=True)
    pd.testing.assert_frame_equal(given, rows.sort_values(order, ignore_index=True))


def small(tmp_path: Path, text: str = SMALL) -> Path:
    path = tmp_path / "parts.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_json_says_the_same_as_toml(tmp_path: Path) -> None:
    as_json = tmp_path / "parts.json"
    as_json.write_text(json.dumps(tomllib.loads(SMALL)), encoding="utf-8")
    first, second = (read(path, "mine", "as_published", "en") for path in (small(tmp_path), as_json))
    assert first == second


def test_a_small_file_in_both_modes(tmp_path: Path) -> None:
    corrected = read(small(tmp_path), "mine", "corrected", "en").rows()
    assert list(corrected["sentence"]) == [
        *("Odd is triste.", "Ida is trista.", "Ugo is triste.", "Ada is trista.", "She is trista."),
        *("Odd saw himself in an awful place.", "Ida saw herself in an awful place."),
        *("Ugo saw himself in an awful place.", "Ada saw herself in an awful place."),
        "She saw herself in an awful place.",
        *("I saw Odd.", "I saw Ida.", "I saw Ugo.", "I saw Ada.", "Her I saw."),
    ]
    published = read(small(tmp_path), "mine", "as_published", "en").rows()
    assert list(published["sentence"]) == [
        *("Ida is trista", "Hugo be triste", "Ada is trista", "she is trista"),
        *("Odd saw himself in an aweful place", "Ida saw herself in an aweful place"),
        *("Ugo saw himself in an aweful place", "Ada saw herself in an aweful place"),
        "she saw herself in an aweful place",
        *("I saw Odd", "I saw Ida", "I saw Ugo", "I saw Ada", "her I saw"),
    ]


def test_the_engine_reads_it_by_the_name_of_the_format(tmp_path: Path) -> None:
    test = Engine(cache=None).data("eec-parts", small(tmp_path), language="en", name="mine", corpus="mine")
    assert isinstance(test, EquityTest)
    assert (test.id, test.kind, len(test.rows())) == ("en/mine", "equity", 15)
    assert test.factors == {"race/ethnicity": ("north", "south"), "gender": ("male", "female")}
    assert test.agreement == {"1": True, "2": True, "3": False}


BROKEN = {
    "another corpus": ("Mine", "Mine", "yours", ["has no corpus 'yours'", "'mine'", "option corpus"]),
    "another language": ('"en"', '"it"', "mine", ["is in 'it'", 'Write language = "it"']),
    "an unknown slot": ("{p} is", "{q} is", "mine", ["corpora.mine: nothing fills {q} of template 1 with 'Odd' and 'sad'"]),
    "a form that is not there": ("{w} place", "{w:x} place", "mine", ["nothing fills {w:x} of template 2"]),
    "a person without base": ('{ base = "Odd" }', "{}", "mine", ["nothing fills {p} of template 1 with 'Odd'"]),
    "a third group": ('group = "south"', 'group = "east"', "mine", ["the group 'east' is neither majority ('north')"]),
    "an unknown key": ("label", "labels", "mine", ["corpora.mine.label: field required", "more problem"]),
    "no TOML": ("schema =", "schema", "mine", ["is no valid JSON or TOML"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_file_that_cannot_be_used_says_why(case: str, tmp_path: Path) -> None:
    old, new, corpus, told = BROKEN[case]
    assert old in SMALL
    with pytest.raises(DataError) as caught:
        read(small(tmp_path, SMALL.replace(old, new, 1)), corpus, "corrected", "en")
    for part in ("parts.json", *told):
        assert part in str(caught.value)
