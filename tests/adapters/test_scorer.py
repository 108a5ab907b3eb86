"""Scorers trained here as models: what they answer, say of themselves, and refuse."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from biascore import Engine
from biascore.api.queries import Text
from biascore.cli import codes, exit_code
from biascore.cli.app import app
from biascore.errors import BiascoreError, ModelLoadError, QuestionError
from biascore_emotions.folder import read_scorer

from ..builders.npz import HOSTILE, replaced, saved
from ..scorers.conftest import rows

Train = Callable[..., Result]
ONE = ("-o", "C=10", "-o", "gamma=1", "-o", "kernel=rbf")
TEXTS = [text for text, _, _ in rows(12, seed=9)]


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("labelled") / "labelled.csv"
    lines = [f"{text},{anger},{joy}" for text, anger, joy in rows()]
    path.write_text("\n".join(["text,anger,joy", *lines]) + "\n", encoding="utf-8")
    return path


def trained(labelled: Path, folder: Path, *options: object) -> Result:
    return CliRunner().invoke(app, ["train-scorer", str(labelled), "--out", str(folder), *map(str, options)])


@pytest.fixture(scope="module")
def tfidf(labelled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scorer of anger and joy on tf-idf."""
    folder = tmp_path_factory.mktemp("tfidf") / "scorer"
    done = trained(labelled, folder, "--emotion", "anger", "--emotion", "joy", *ONE)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Word vectors of the words of the texts, in lower case."""
    path = tmp_path_factory.mktemp("vectors") / "words.vec"
    words = sorted({word for text, _, _ in rows() for word in text.split()})
    numbers = np.random.default_rng(2).standard_normal((len(words), 24)).round(4)
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(words, numbers, strict=True)]
    path.write_text("\n".join([f"{len(words)} 24", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def mlp(labelled: Path, vectors: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scorer of anger and joy on word vectors: a perceptron of two seeds."""
    folder = tmp_path_factory.mktemp("mlp") / "scorer"
    options = (
        "--model",
        f"fasttext:{vectors}",
        "--head",
        "mlp",
        "--seeds",
        2,
        "-o",
        "hidden=8",
        "-o",
        "alpha=1",
    )
    done = trained(labelled, folder, "--emotion", "anger", "--emotion", "joy", *options)
    assert done.exit_code == 0, done.output
    return folder


def test_a_scorer_on_tfidf_is_a_model(tfidf: Path, engine: Engine) -> None:
    with engine.model(f"scorer:{tfidf}") as model:
        assert model.identity.quantities == ("anger", "joy")
        anger, joy = model.score(TEXTS, "anger"), model.score(TEXTS, "joy")
        assert np.corrcoef(anger, [row[1] for row in rows(12, seed=9)])[0, 1] > 0.7
        assert np.corrcoef(joy, [row[2] for row in rows(12, seed=9)])[0, 1] > 0.7
        np.testing.assert_array_equal(model.score(TEXTS, "Anger"), anger)
        np.testing.assert_array_equal(model.score(TEXTS, "happiness"), joy)
        assert [one.seen for one in model.familiarity(["angry", "Lamar"])] == [True, False]
        with pytest.raises(QuestionError, match="no output 'fear'; it has 'anger', 'joy'"):
            model.score(TEXTS, "fear")
        record = json.loads((tfidf / "scorer.json").read_text(encoding="utf-8"))
        facts = dict(model.identity.facts)
        test = record["emotions"][0]["test"]
        assert test["n"] == 12
        assert facts["anger: Pearson r"].startswith(f"{test['r']:.3f} [{test['low']:.3f}, ")
        assert facts["anger: vocabulary"] == record["emotions"][0]["terms"]
        assert facts["joy: trained on"] == "48 texts of labelled.csv"


def test_a_scorer_on_word_vectors_averages_known_words_and_seeds(
    mlp: Path, vectors: Path, engine: Engine
) -> None:
    with engine.model(f"scorer:{mlp}") as model, engine.model(f"fasttext:{vectors}") as words:
        assert model.identity.quantities == ("anger", "joy", "anger@0", "anger@1", "joy@0", "joy@1")
        seeds = [model.score(TEXTS, f"anger@{seed}") for seed in (0, 1)]
        assert not np.array_equal(*seeds)
        np.testing.assert_allclose(model.score(TEXTS, "anger"), np.mean(seeds, axis=0), rtol=0, atol=1e-15)
        # Case, punctuation and unknown words leave the mean as it is.
        np.testing.assert_array_equal(
            model.score(["Angry, Lamar: train."], "joy"), model.score(["angry train"], "joy")
        )
        with pytest.raises(QuestionError, match="knows no word of 'Lamar said'"):
            model.score(["Lamar said"], "anger")
        mean = np.mean(words.embed(["angry", "train"]).astype(float), axis=0, keepdims=True)
        ours = read_scorer(mlp, "x").predict("joy", mean)
        np.testing.assert_allclose(model.score(["angry train"], "joy"), ours, rtol=0, atol=1e-12)
        facts = model.identity.facts
        assert facts["encoder digest"] == words.identity.digest
        assert facts["joy: seeds"] == "0, 1"
        assert facts["kind"] == "encoder fasttext:words.vec"
        assert not [fact for fact in facts.values() if str(vectors.parent) in str(fact)]


def test_an_encoder_that_moved_is_named_and_another_one_refused(
    mlp: Path, vectors: Path, tmp_path: Path, engine: Engine
) -> None:
    moved = tmp_path / "moved.vec"
    shutil.copy(vectors, moved)
    folder = tmp_path / "scorer"
    shutil.copytree(mlp, folder)
    record = json.loads((folder / "scorer.json").read_text(encoding="utf-8"))
    record["encoder"]["ref"] = "fasttext:./gone.vec"
    (folder / "scorer.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(
        ModelLoadError, match=r"the encoder of scorer:.*, fasttext:\./gone\.vec, cannot be opened.*encoder="
    ):
        engine.model(f"scorer:{folder}")
    with engine.model(f"scorer:{folder}", encoder=f"fasttext:{moved}") as model:
        assert model.score(TEXTS, "anger").shape == (12,)
    moved.write_text(moved.read_text(encoding="utf-8").replace(" 0.", " 1."), encoding="utf-8")
    with pytest.raises(ModelLoadError, match=r"is another model .* than the encoder that"):
        engine.model(f"scorer:{folder}", encoder=f"fasttext:{moved}")


@pytest.mark.parametrize("permission", ["allow_pickle", "trust_remote_code"])
def test_a_folder_does_not_permit_its_encoder_to_run_code(
    permission: str, mlp: Path, tmp_path: Path, engine: Engine
) -> None:
    folder = tmp_path / "scorer"
    shutil.copytree(mlp, folder)
    record = json.loads((folder / "scorer.json").read_text(encoding="utf-8"))
    record["encoder"] |= {"ref": f"hf:{tmp_path / 'evil'}", "options": {permission: True}}
    (folder / "scorer.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(ModelLoadError, match=rf"opened with {permission}, .*trust_encoder=true"):
        engine.model(f"scorer:{folder}")
    with pytest.raises(ModelLoadError, match=r"evil.* cannot be opened"):
        engine.model(f"scorer:{folder}", trust_encoder=True)


def test_any_model_that_embeds_is_an_encoder(labelled: Path, tmp_path: Path, engine: Engine) -> None:
    done = trained(labelled, tmp_path / "s", "--emotion", "joy", "--model", "planted:gender=0", "--json")
    assert done.exit_code == 0, done.output
    shown = json.loads(done.stdout)
    assert shown["record"] == json.loads((tmp_path / "s" / "scorer.json").read_text(encoding="utf-8"))
    with engine.model(shown["ref"]) as model, engine.model("planted:gender=0") as encoder:
        cost = model.cost_of("score", TEXTS, {"quantity": "joy"})
        assert cost == encoder.cost_of("embed", [Text(text) for text in TEXTS], {"level": "sentence"})
        assert len(set(model.score(TEXTS, "joy"))) == 12


def test_answers_are_kept_and_an_encoder_of_a_plan_writes_nothing(mlp: Path, tmp_path: Path) -> None:
    cached = Engine(cache=tmp_path / "cache")
    with cached.model(f"scorer:{mlp}") as model:
        first = model.score(TEXTS, "anger")
    with cached.model(f"scorer:{mlp}") as model:
        np.testing.assert_array_equal(model.score(TEXTS, "anger"), first)
        assert model.counts.cached == 12
    cached.close()


def test_the_folder_is_digested_whole(tfidf: Path, tmp_path: Path, engine: Engine) -> None:
    shutil.copytree(tfidf, tmp_path / "copy")
    with engine.model(f"scorer:{tfidf}") as one, engine.model(f"scorer:{tmp_path / 'copy'}") as other:
        assert one.identity == other.identity
    terms = tmp_path / "copy" / "vocabulary.json"
    terms.write_text(terms.read_text(encoding="utf-8").replace('"angry"', '"angrier"'), encoding="utf-8")
    with engine.model(f"scorer:{tfidf}") as one, engine.model(f"scorer:{tmp_path / 'copy'}") as other:
        assert one.identity.digest != other.identity.digest


def _rewrite(**changes: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        record = json.loads((folder / "scorer.json").read_text(encoding="utf-8"))
        (folder / "scorer.json").write_text(json.dumps(record | changes), encoding="utf-8")

    return change


def _pickled(folder: Path) -> None:
    np.savez(folder / "arrays.npz", **{"0.idf": np.array([{"a": 1}], dtype=object)})


def _other_shape(folder: Path) -> None:
    with np.load(folder / "arrays.npz") as arrays:
        held = dict(arrays)
    held["0.0.coefficients"] = held["0.0.coefficients"][1:]
    np.savez(folder / "arrays.npz", **held)


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda folder: (folder / "scorer.json").unlink(), "has no scorer.json, so it is no scorer"),
        (lambda folder: (folder / "scorer.json").write_text("{"), "is damaged: "),
        (lambda folder: (folder / "arrays.npz").unlink(), "arrays.npz cannot be read"),
        (lambda folder: (folder / "arrays.npz").write_bytes(b"PK"), "arrays.npz cannot be read"),
        (lambda folder: (folder / "vocabulary.json").write_text("{}"), "is damaged: 'anger'"),
        (_rewrite(format=2), "has the format 2, and this version of biascore reads 1"),
        (_rewrite(format=True), "format"),
        (_rewrite(head="forest"), "head"),
        (_rewrite(files=["../secret"]), "names other files than a scorer has"),
        (_pickled, "arrays.npz cannot be read .*no header of an array of numbers"),
        (_other_shape, "is damaged: the array vectors.indptr"),
    ],
)
def test_a_folder_that_is_no_scorer(
    tfidf: Path, tmp_path: Path, engine: Engine, harm: Callable[[Path], None], message: str
) -> None:
    shutil.copytree(tfidf, tmp_path / "s")
    harm(tmp_path / "s")
    with pytest.raises(ModelLoadError, match=message):
        engine.model(f"scorer:{tmp_path / 's'}")
    with pytest.raises(
        ModelLoadError, match=r"is not there\. Name the folder that biascore train-scorer wrote"
    ):
        engine.model(f"scorer:{tmp_path / 'gone'}")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("array", ["0.idf", "0.0.coefficients"])
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_arrays_are_an_error_of_the_folder(
    tfidf: Path, tmp_path: Path, engine: Engine, array: str, what: str
) -> None:
    shutil.copytree(tfidf, tmp_path / "s")
    replaced(tfidf / "arrays.npz", tmp_path / "s" / "arrays.npz", array, HOSTILE[what])
    with pytest.raises(ModelLoadError, match=r"/s is damaged: .*train it anew"):
        engine.model(f"scorer:{tmp_path / 's'}")


@pytest.mark.parametrize("dtype", ["bool", "complex128", "U3", "int8", "float32", "nan"])
def test_weights_of_words_are_finite_float64(tfidf: Path, tmp_path: Path, engine: Engine, dtype: str) -> None:
    shutil.copytree(tfidf, tmp_path / "s")
    with np.load(tfidf / "arrays.npz") as arrays:
        idf = arrays["0.idf"]
    wrong = idf * np.nan if dtype == "nan" else idf.astype(dtype)
    replaced(tfidf / "arrays.npz", tmp_path / "s" / "arrays.npz", "0.idf", saved(wrong))
    with pytest.raises(ModelLoadError, match=r"/s is damaged: .*0\.idf"):
        engine.model(f"scorer:{tmp_path / 's'}")


@pytest.mark.parametrize("compression", [12, 14, 99])
def test_an_unknown_compression_is_an_error_of_the_folder(
    tfidf: Path, tmp_path: Path, engine: Engine, compression: int
) -> None:
    shutil.copytree(tfidf, tmp_path / "s")
    arrays = tmp_path / "s" / "arrays.npz"
    replaced(tfidf / "arrays.npz", arrays, "0.idf", b"x", compression=compression)
    with pytest.raises(ModelLoadError, match=r"/s is damaged: "):
        engine.model(f"scorer:{tmp_path / 's'}")


@pytest.mark.parametrize("longest", [10**9, 21, 0, -1])
def test_runs_of_words_in_the_record_have_a_bound(
    tfidf: Path, tmp_path: Path, engine: Engine, longest: int
) -> None:
    shutil.copytree(tfidf, tmp_path / "s")
    _rewrite(tfidf={"longest": longest, "least": 2, "most": 200_000})(tmp_path / "s")
    with pytest.raises(ModelLoadError, match=r"/s is damaged: .*longest"):
        engine.model(f"scorer:{tmp_path / 's'}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--emotion", "fear"), "has no scores of 'fear'; its columns are: 'text', 'anger', 'joy'"),
        (("--emotion", "joy", "--head", "forest"), "head='forest' is none of: ridge, svr, mlp"),
        (("--emotion", "joy", "--seeds", 3), "nothing is random in a svr"),
        (("--emotion", "joy", "-o", "model.a=1"), "is of an encoder, and none is named"),
        (
            ("--emotion", "joy", "--model", "answers:{table}", "-o", "model.text=text"),
            "cannot embed (it can score)",
        ),
        (("--emotion", "joy", "--column", "text=gone"), "has no column 'gone'"),
        (("--emotion", "joy", "--out", "{table}"), "exists already and is no folder"),
    ],
)
def test_what_is_refused_leaves_nothing_behind(
    labelled: Path, tmp_path: Path, options: tuple[object, ...], message: str
) -> None:
    filled = [str(option).format(table=labelled) for option in options]
    done = trained(labelled, tmp_path / "new", *filled)
    assert isinstance(done.exception, BiascoreError), done.output
    assert message in str(done.exception)
    assert exit_code(done.exception) == codes.WRONG_INPUT
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_replaced_only_if_it_is_a_scorer(
    labelled: Path, tfidf: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "s"
    shutil.copytree(tfidf, folder)
    again = trained(labelled, folder, "--emotion", "joy", *ONE)
    assert "exists already. Choose another folder, or replace it: --force" in str(again.exception)
    forced = trained(labelled, folder, "--emotion", "joy", *ONE, "--force")
    assert forced.exit_code == 0, forced.output
    assert "n = 12" in forced.stdout
    assert f"new model: scorer:{folder}. It can score 'joy'" in forced.stderr
    assert "joy: tested on 12 texts, 0.2 of the texts of the train files, by seed 0" in forced.stdout
    (folder / "mine.txt").write_text("mine", encoding="utf-8")
    kept = trained(labelled, folder, "--emotion", "joy", *ONE, "--force")
    assert "next to a scorer it holds mine.txt" in str(kept.exception)
