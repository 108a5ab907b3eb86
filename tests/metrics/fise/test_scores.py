"""FISE and GG-FISE: scores, groups and shares, against reference figures on real vectors and against loops."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from biascore import Engine
from biascore.api.stimuli import PairList, WordList
from biascore_metrics.fise.items import Dimension, FiseTest

from ..loops import cosine
from .axes import CLASS, FEW, GENDER, RACE, TARGETS, VALENCE, VECTORS, fise, fise_test, gg_fise


def slow_score(vector: np.ndarray, of: Dimension) -> float:
    sides = [np.mean([cosine(vector, VECTORS[w]) for w in side.words]) for side in (of.A, of.B)]
    return float(sides[0] - sides[1])


@pytest.mark.parametrize("targets", ["occupations", "traits"])
@pytest.mark.parametrize(
    ("metric", "options", "treatment"),
    [
        ("gg-fise", {}, "gg"),
        ("fise", {"forms": "both"}, "gender_balanced"),
        ("fise", {}, "masculine"),
    ],
)
def test_equals_the_reference_on_real_vectors(
    shared_data: Path, targets: str, metric: str, options: dict[str, str], treatment: str
):
    reference = json.loads((shared_data / "gg" / "it_fise_A_reference.json").read_text(encoding="utf-8"))
    expected = reference["results"][f"{targets}.{treatment}"]
    test = FiseTest(
        id="it/reference",
        kind="fise",
        language="it",
        targets=PairList(
            targets, tuple(map(tuple, reference["targets"][targets])), ("masculine", "feminine")
        ),
        dimensions=tuple(
            Dimension(name, WordList(d["A"], tuple(d["A_words"])), WordList(d["B"], tuple(d["B_words"])))
            for name, d in reference["dimensions"].items()
        ),
        affect=tuple(
            Dimension(
                name,
                WordList("pole", tuple(d["positive_words"])),
                WordList("pole", tuple(d["negative_words"])),
            )
            for name, d in reference["affect"].items()
        ),
        file="reference.toml",
        sha256="0" * 64,
    )
    model = f"fasttext:{shared_data / 'gg' / 'it_fise_A.vec'}"
    got = Engine(cache=None).measure(metric, model, test, **FEW, **options)[0]
    frame = got.items_frame().set_index("item")
    assert len(frame) == expected["n"]
    assert [word["word"] for word in expected["words"]] == list(frame.index)
    for word in expected["words"]:
        row = frame.loc[word["word"]]
        assert row["group"] == word["quadrant"]
        for column, key in (("gender", "b1"), ("race", "b2")):
            assert row[column] == pytest.approx(word[key], abs=1e-6)
        for affect in ("valence", "ingressivity"):
            assert row[affect] == pytest.approx(word[affect], abs=1e-6)
    for group, found in expected["quadrants"].items():
        share = got.estimate(f"share of {group}")
        assert share.value == pytest.approx(found["share_percent"] / 100, abs=1e-9)
        for affect in ("valence", "ingressivity"):
            positive = got.estimate(f"positive {affect} among {group}")
            assert positive.n["words"] == found["n"]
            percent = found[f"positive_{affect}_percent"]
            assert positive.value == (None if percent is None else pytest.approx(percent / 100, abs=1e-9))
        top = frame[frame["group"] == group].dropna(subset="top").sort_values("top")
        assert list(top.index) == [word for word, _ in found["top"]]
        assert list(top["value"]) == pytest.approx([value for _, value in found["top"]], abs=1e-6)
        assert list(top["top"]) == list(range(1, len(found["top"]) + 1))


@pytest.mark.parametrize("dimensions", [(GENDER, RACE), (GENDER, RACE, CLASS)])
def test_everything_equals_a_loop_over_words(model_of, dimensions: tuple[Dimension, ...]):
    got = fise(model_of(VECTORS), fise_test(dimensions=dimensions))
    scores = {w: [slow_score(VECTORS[w], d) for d in dimensions] for w in TARGETS}
    valence = {w: slow_score(VECTORS[w], VALENCE) for w in TARGETS}
    group = {
        w: " ".join((d.A if b > 0 else d.B).name for d, b in zip(dimensions, bs, strict=True))
        for w, bs in scores.items()
    }
    frame = got.items_frame().set_index("item")
    assert frame["group"].to_dict() == group
    for w in TARGETS:
        assert frame.loc[w, "value"] == pytest.approx(
            sum(map(abs, scores[w])) / math.sqrt(len(dimensions)), abs=1e-6
        )
    groups = [" ".join(names) for names in itertools.product(*[(d.A.name, d.B.name) for d in dimensions])]
    shares = []
    for name in groups:
        members = [w for w in TARGETS if group[w] == name]
        shares.append(len(members) / 40)
        assert got.estimate(f"share of {name}").value == pytest.approx(shares[-1])
        assert got.estimate(f"share of {name}").neutral == 1 / len(groups)
        if members:
            positive = sum(valence[w] > 0 for w in members) / len(members)
            assert got.estimate(f"positive valence among {name}").value == pytest.approx(positive)
    distance = got.estimate("distance of the distribution from even").value
    assert distance == pytest.approx(sum(abs(s - 1 / len(groups)) for s in shares) / 2)
    for i, d in enumerate(dimensions):
        own = np.array([bs[i] for bs in scores.values()])
        assert got.estimate(f"mean bias {d.name}").value == pytest.approx(own.mean(), abs=1e-6)
        standardised = got.estimate(f"standardised mean bias {d.name}").value
        assert standardised == pytest.approx(own.mean() / own.std(ddof=1), abs=1e-5)
        for name in ("mean bias {}", "mean bias {} at equal tightness", "standardised mean bias {}"):
            sides = tuple(f"jobs are associated with {side.name}" for side in (d.A, d.B))
            assert got.estimate(name.format(d.name)).sides == sides
    assert len(got.estimates) == len({e.name for e in got.estimates})


def test_gg_fise_takes_the_mean_of_raw_or_of_unit_vectors(model_of):
    pairs = list(itertools.pairwise(TARGETS))
    for mean in ("raw", "unit"):
        frame = gg_fise(model_of(VECTORS), fise_test(pairs), mean=mean).items_frame().set_index("item")
        for pair in pairs:
            forms = [VECTORS[w] / (np.linalg.norm(VECTORS[w]) if mean == "unit" else 1) for w in pair]
            expected = slow_score(np.mean(forms, axis=0), GENDER)
            assert frame.loc["/".join(pair), "gender"] == pytest.approx(expected, abs=1e-6)


def test_the_three_treatments_of_forms(model_of):
    pairs = [("t0", "t1"), ("t2", "t2"), ("t3", "t4"), ("t3", "t5")]
    model, test = model_of(VECTORS), fise_test(pairs)
    assert fise(model, test).items["item"].to_pylist() == ["t0", "t2", "t3"]
    both = fise(model, test, forms="both")
    assert both.items["item"].to_pylist() == ["t0", "t1", "t2", "t3", "t4", "t5"]
    assert gg_fise(model, test).items["item"].to_pylist() == ["t0/t1", "t2", "t3/t4", "t3/t5"]
    assert [(w.word, w.reason) for w in both.coverage.lost] == [("t3", "repeated in its list")]
    assert both.coverage.given["targets"] == 7
    assert fise(model, test, duplicates="keep").items["item"].to_pylist() == ["t0", "t2", "t3", "t3"]
    assert "both" in both.conventions["targets in two forms"]
    assert fise(model, test).conventions["targets in two forms"] == "the first (masculine)"
    assert fise(model, fise_test()).conventions["targets in two forms"] == "none in this test"
