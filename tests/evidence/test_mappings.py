"""Mappings with items: what a run offers to each by rule, what is refused, and what no text of them says."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest

from biascore.audits.evaluating_gates import evaluate
from biascore.audits.evaluating_mappings import offered
from biascore.audits.gates import Gate
from biascore.errors import StimuliError
from biascore.exporting.other_tables import markdown_of_mappings
from biascore.exporting.tables import markdown
from biascore.files.toml import dumps
from biascore.mapping import Mapping, Record
from biascore.report.page import document
from biascore.report.parts.answer import headline_of
from biascore.report.parts.gates import mappings, scenarios
from biascore.results.failure import Failure
from biascore.results.mappings import MappingUsed, OfferState
from biascore.results.run import Run
from biascore.stats import Adjustment

from ..builders import runs
from ..builders.runs import decided, model_used

FOLDER: Final = Path(__file__).resolve().parents[2] / "wordlists" / "biascore_mappings"
SHIPPED: Final = sorted(
    path for path in FOLDER.glob("*.toml") if "[[items]]" in path.read_text(encoding="utf-8")
)
"""Those with items; the others name the articles of grounds, which tests/results/test_untested.py reads."""
IDS: Final = {
    "eu-charter": r"Article (2[0-6])(\([12]\))?",
    "eu-directives": r"(2000/43|2000/78|2004/113|2006/54)/EC, (Article \d+(\(\d\))?|recital \d+)",
    "eu-ai-act": r"Article (10\([23]\)(\([a-h]\))?|15\([1-5]\))|Annex IV\([1-9]\)(\([a-h]\))?",
    "nist-ai-600-1": r"MS-2\.11-00[1-5]",
    "nyc-ll144": r"6 RCNY 5-30[0-4](\([a-d]\)(, \([a-d]\))*)?",
    "colorado-sb26-189": r"C\.R\.S\. 6-1-170[1-9]\(\d\)(\([a-e]\))?",
    "iso-tr-24027": r"Clause [5-8]",
}
"""Ids that the texts have, by mapping."""
NAMED: Final = {
    "eu-charter": "char_2016",
    "eu-directives": "eli/dir/(2000/43|2000/78|2004/113|2006/54)/oj",
    "eu-ai-act": "eli/reg/2024/1689",
    "nist-ai-600-1": "NIST.AI.600-1",
    "nyc-ll144": "nyc.gov/site/dca/about/automated-employment-decision-tools",
    "colorado-sb26-189": "leg.colorado.gov/bills/sb26-189",
    "iso-tr-24027": "iso.org/standard/77607",
}
"""What the address of each text holds."""
SAYS_TOO_MUCH: Final = re.compile(
    r"compl(y|ies|ian)|conform|certif|(meet|satisf|fulfil)\w* (the|a|all|its|every) (require|obligation|law|rule|standard)"
    r"|in line with|approved|passes the audit|legal(ly)? (safe|sound)|is lawful|is fair\b|free of bias",
    re.IGNORECASE,
)
ITEM: Final[dict[str, Any]] = {
    "id": "Rule 1",
    "says": "Look at bias.",
    "source": "https://example.org/rule",
    "date": date(2026, 1, 2),
    "confirmed": True,
    "offers": [],
    "cannot": "That nobody is harmed.",
}
HEAD: Final = {"name": "mine", "title": "My rule", "version": "1", "source": "https://example.org"}


def read(folder: Path, **parts: Any) -> Mapping:
    path = folder / "mine.toml"
    path.write_text(dumps({**HEAD, **parts}), encoding="utf-8")
    return Mapping.read(path)


def state(folder: Path, run: Run, **offer: Any) -> tuple[OfferState, str]:
    """Of an item with this one offer: its state, and what the run holds."""
    mapping = read(folder, items=[ITEM | {"offers": [{"what": "it", **offer}]}])
    ((one,),) = (item.offers for item in offered(mapping, run))
    return one.state, one.found


def the_run(**parts: Any) -> Run:
    some = [
        decided(0.001, test="en/a", metric="weat", concept="gender and class"),
        decided(0.4, test="en/b", metric="seat", concept="race"),
        decided(0.4, test="en/c", metric="weat", concept="baseline"),
        decided(0.001, test="en/a", metric="weat", model="planted", concept="age"),
    ]
    models = [model_used("m"), model_used("planted", control={"en/a": 1.0})]
    return runs.run_of(*some, models=models).model_copy(update=parts)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_mapping_that_ships_names_what_its_text_has(path: Path) -> None:
    mapping = Mapping.read(path)
    assert mapping.items
    for item in mapping.items:
        assert re.fullmatch(IDS[mapping.name], item.id), item.id
        assert re.search(NAMED[mapping.name], item.source), item.source
        assert date(2000, 1, 1) < item.date < date(2026, 12, 1)
        assert len(item.says) < 250  # own words, and short
        assert item.says.endswith(".")
        assert item.cannot.endswith(".")


def test_each_mapping_that_ships_is_looked_at() -> None:
    assert sorted(Mapping.read(path).name for path in SHIPPED) == sorted(IDS) == sorted(NAMED)


def test_what_was_not_compared_with_a_text_says_so() -> None:
    """Of the act of Colorado and of the standard nobody has read the text."""
    for name in ("colorado_sb26_189", "iso_tr_24027"):
        mapping = Mapping.read(FOLDER / f"{name}.toml")
        assert not any(item.confirmed for item in mapping.items)
        assert all(one.words.endswith("(not compared with the text)") for one in offered(mapping, the_run()))
    assert all(item.confirmed for item in Mapping.read(FOLDER / "nist_ai_600_1.toml").items)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_page_says_which_were_compared(path: Path) -> None:
    mapping = Mapping.read(path)
    page = (FOLDER.parents[1] / "docs" / "mappings.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith(f"| `{mapping.name}` |")]
    said = row.split(" | ")[-1].removesuffix(" |")
    compared = {item.confirmed for item in mapping.items}
    others = [item.id.removeprefix("6 RCNY ") for item in mapping.items if not item.confirmed]
    assert said == {(True,): "yes", (False,): "no"}.get(tuple(compared), f"all but {', '.join(others)}")


@pytest.mark.parametrize("key", [*ITEM])
def test_an_item_says_everything(tmp_path: Path, key: str) -> None:
    less = {name: value for name, value in ITEM.items() if name != key}
    with pytest.raises(StimuliError, match=rf"mine\.toml: .*{key}"):
        read(tmp_path, items=[less])


@pytest.mark.parametrize(
    ("parts", "wrong"),
    [
        ({"items": [ITEM | {"source": "a book"}]}, "'a book' is no address"),
        ({"items": [ITEM | {"date": "soon"}]}, "date"),
        ({"items": [ITEM | {"says": " "}]}, "says"),
        ({"items": [ITEM | {"confirmed": "yes"}]}, "confirmed"),
        ({"items": [ITEM, ITEM]}, "states the item 'Rule 1' twice"),
        ({"items": [ITEM | {"offers": [{"what": "x"}]}]}, "one of the two"),
        (
            {"items": [ITEM | {"offers": [{"what": "x", "metrics": ["a"], "records": ["gates"]}]}]},
            "one of the two",
        ),
        ({"items": [ITEM | {"offers": [{"what": "x", "records": ["gate"]}]}]}, "gate"),
        ({"items": [ITEM | {"verdict": "x"}]}, "verdict"),
        ({}, "neither"),
    ],
)
def test_what_is_no_mapping_is_refused(tmp_path: Path, parts: dict[str, Any], wrong: str) -> None:
    with pytest.raises(StimuliError, match=rf"mine\.toml: .*{wrong}"):
        read(tmp_path, **parts)


def test_measurements_of_models_in_use_are_offered_by_rule(tmp_path: Path) -> None:
    run = the_run()
    assert state(tmp_path, run, metrics=["weat"]) == (OfferState.OFFERED, "1 measured: 1 detected")
    assert state(tmp_path, run, metrics=["*"])[1] == "2 measured: 1 detected, 1 inconclusive"
    assert state(tmp_path, run, concepts=["gender*"])[0] is OfferState.OFFERED
    assert state(tmp_path, run, metrics=["seat"], concepts=["gender*"])[0] is OfferState.NOT
    assert state(tmp_path, run, tests=["en/b"], metrics=["seat"])[0] is OfferState.OFFERED
    assert state(tmp_path, run, concepts=["age"]) == (
        OfferState.NOT,
        "nothing of it is in the run",
    )  # of a control
    assert state(tmp_path, run, concepts=["baseline"])[0] is OfferState.NOT
    assert state(tmp_path, run, metrics=["weat"], estimates=["d"])[0] is OfferState.OFFERED
    assert state(tmp_path, run, metrics=["weat"], estimates=["rate *"])[0] is OfferState.NOT


def test_what_was_not_measured_is_offered_in_part_or_not(tmp_path: Path) -> None:
    lost = decided(None, test="en/z", metric="weat", concept="religion", value=None)
    failure = Failure(metric="seat", test="en/y", model="m", kind="answering", error="E", message="down")
    run = the_run()
    run = run.model_copy(update={"measurements": (*run.measurements, lost), "failed": (failure,)})
    assert state(tmp_path, run, metrics=["weat"]) == (
        OfferState.PART,
        "1 measured: 1 detected; 1 not measured",
    )
    assert state(tmp_path, run, concepts=["religion"]) == (OfferState.NOT, "1 not measured")
    assert state(tmp_path, run, metrics=["seat"]) == (
        OfferState.PART,
        "1 measured: 1 inconclusive; 1 not measured",
    )


GATED = {"gates": evaluate([Gate(name="g", measurements=("*",), within=0.1)], the_run(), Path())}


@pytest.mark.parametrize(
    ("record", "with_it", "without"),
    [
        (Record.INTERVALS, the_run(), the_run(measurements=())),
        (Record.SAMPLE_SIZES, the_run(), the_run(measurements=())),
        (Record.ADJUSTMENT, the_run(), the_run(adjustment=Adjustment.NONE)),
        (Record.CONTROLS, the_run(), the_run(measurements=the_run().measurements[:1])),
        (Record.GATES, the_run(**GATED), the_run()),
        (Record.TEST_DATA, the_run(), the_run(stimuli=())),
        (
            Record.MODEL_DIGESTS,
            the_run(),
            the_run(models=(model_used("m").model_copy(update={"digest": "asked"}),)),
        ),
        (Record.LIMITS, the_run(), the_run(measurements=())),
        (Record.RELEASE, the_run(line="ranker", release="3"), the_run()),
    ],
)
def test_records_are_offered_where_the_run_holds_them(
    tmp_path: Path, record: Record, with_it: Run, without: Run
) -> None:
    assert state(tmp_path, with_it, records=[record.value])[0] is OfferState.OFFERED
    assert state(tmp_path, without, records=[record.value])[0] is OfferState.NOT


@pytest.mark.parametrize(
    "record", [Record.HARMLESS_GROUPS, Record.SCENARIOS, Record.VERSIONS, Record.MITIGATION]
)
def test_records_that_the_run_has_not(tmp_path: Path, record: Record) -> None:
    assert state(tmp_path, the_run(), records=[record.value])[0] is OfferState.NOT
    assert state(tmp_path, the_run(), records=[record.value, "limits"])[0] is OfferState.PART


def test_some_models_without_a_digest_are_in_part(tmp_path: Path) -> None:
    service = model_used("s").model_copy(update={"digest": "asked over a network"})
    run = the_run(models=(model_used("m"), service))
    assert state(tmp_path, run, records=["model digests"]) == (OfferState.PART, "1 of 2 models with a digest")


def test_an_item_is_offered_where_all_that_serves_it_is(tmp_path: Path) -> None:
    there, gone = {"what": "a", "metrics": ["weat"]}, {"what": "b", "metrics": ["bbq"]}
    items = [
        ITEM | {"id": str(n), "offers": offers}
        for n, offers in enumerate([[there], [there, gone], [gone], []])
    ]
    mapping = read(tmp_path, items=items)
    found = offered(mapping, the_run())
    assert [one.state for one in found] == [
        OfferState.OFFERED,
        OfferState.PART,
        OfferState.NOT,
        OfferState.NOT,
    ]
    assert used(mapping, the_run()).in_short == "of 4 items 1 offered, 1 offered in part, 2 not offered"


def used(mapping: Mapping, run: Run) -> MappingUsed:
    parts = {name: getattr(mapping, name) for name in ("name", "title", "version", "sha256", "source")}
    return MappingUsed(**parts, dist="made 1", items=offered(mapping, run))


def test_the_page_and_markdown_show_each_item_with_what_no_run_shows() -> None:
    run = the_run()
    run = run.model_copy(update={"mappings": tuple(used(Mapping.read(path), run) for path in SHIPPED)})
    part = mappings(run)
    assert part is not None
    page = document([part], title="", kicker="", what="", headline=headline_of(run), version="")
    body = page.partition("<main")[2].partition("</main>")[0]
    shown = " ".join(re.sub(r"<[^>]+>", "", body).split())
    text = markdown_of_mappings(run.title, run.mappings)
    for one in run.mappings:
        for item in one.items:
            assert item.id in shown
            assert f"| {item.state} |" in text
            assert markdown(item.source) in text
    assert "Offered means that this run holds such a measurement or record, whatever it found." in shown
    assert (
        "associations in what a model has learnt: offered (2 measured: 1 detected, 1 inconclusive)" in shown
    )
    assert not SAYS_TOO_MUCH.search(shown)
    assert not SAYS_TOO_MUCH.search(text)
    assert mappings(the_run()) is None
    assert scenarios(run) is None


def test_no_mapping_says_that_something_is_in_order() -> None:
    for path in SHIPPED:
        said = SAYS_TOO_MUCH.search(str(tomllib.loads(path.read_text(encoding="utf-8"))))
        assert not said, (path.name, said)
    for wrong in (
        "The model complies.",
        "It meets the requirement.",
        "In conformity",
        "a certi" + "fied audit",
        "is lawful",
    ):
        assert SAYS_TOO_MUCH.search(wrong)
