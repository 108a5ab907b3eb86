"""Models trained further: to the weights of a plain loop, to the same after any interruption, whole or not at all."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from safetensors.torch import load_file, save_file  # noqa: E402

from biascore import Engine  # noqa: E402
from biascore.api.queries import Masked  # noqa: E402
from biascore.basics.progress import Advance  # noqa: E402
from biascore.errors import (  # noqa: E402
    BiascoreError,
    CapabilityError,
    ModelLoadError,
    OptionsError,
    PluginFailedError,
    QuestionError,
    RunError,
)
from biascore.models.training import CHECKPOINT_FILE, Training  # noqa: E402
from biascore_adapters.transformer.masking import Masking, Piece  # noqa: E402
from biascore_training.mitigate import MITIGATION_FILE, Mitigated, mitigate, prepare  # noqa: E402

from ..builders.models import Lengths, model_of  # noqa: E402

SHORT = Training(epochs=2, batch=16, learning_rate=1e-3, warmup_steps=2, seed=5)
"""Twelve steps: 82 texts of augmentation, of which two are cut in two pieces or more."""

Trains = Callable[..., Mitigated]


class StopsAfter:
    """Progress that ends the work at a step, as anything may."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Advance]:
        def advance(steps: int) -> None:
            self.left -= steps
            if self.left < 0:
                raise ZeroDivisionError("the machine is on fire")

        yield advance


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def trains(engine: Engine, corpus: Path, saved_model: Callable[[str], Path]) -> Trains:
    """``trains(folder)``: a tiny model trained on the corpus into that folder."""

    def work(
        folder: Path,
        training: Training = SHORT,
        *,
        kind: str = "bert-uncased",
        source: Path | None = None,
        stops: int | None = None,
        options: dict[str, Any] | None = None,
        texts: str = "",
        **how: Any,
    ) -> Mitigated:
        own = engine if stops is None else Engine(cache=None, progress=StopsAfter(stops))
        if texts:
            corpus.write_text(texts, encoding="utf-8")
        recipe = prepare(own.catalogue, corpus, seed=training.seed)
        with own.model(f"hf:{source or saved_model(kind)}", **(options or {})) as model:
            return mitigate(own, model, recipe, folder, training, **how)

    return work


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def weights_of(folder: Path) -> dict[str, Any]:
    return load_file(folder / "model.safetensors")


@pytest.mark.parametrize(
    "kind",
    ["bert-uncased", *(pytest.param(k, marks=pytest.mark.slow) for k in ("roberta", "albert", "distilbert"))],
)
def test_the_new_folder_opens_and_the_original_stays(
    trains: Trains, engine: Engine, saved_model: Callable[[str], Path], tmp_path: Path, kind: str
) -> None:
    before = bytes_of(saved_model(kind))
    done = trains(tmp_path / "new", kind=kind)
    assert bytes_of(saved_model(kind)) == before
    assert done.ref == f"hf:{tmp_path / 'new'}"
    assert json.loads((tmp_path / "new" / MITIGATION_FILE).read_text(encoding="utf-8")) == done.record
    asked = [Masked("She said that he finished.", None, one_at_a_time=True)]
    with engine.model(f"hf:{saved_model(kind)}") as one, engine.model(done.ref) as other:
        old, new = (model.mask_logprob(asked)[0] for model in (one, other))
        assert one.identity.digest == done.record["model"]["digest"] != other.identity.digest
        assert one.identity.facts["architecture"] == other.identity.facts["architecture"]
    assert old.tokens == new.tokens
    assert old.logprobs != new.logprobs


def test_an_open_model_answers_as_before_it_was_copied(
    engine: Engine, corpus: Path, saved_model: Callable[[str], Path], tmp_path: Path
) -> None:
    asked = [Masked("She said that he finished.", None)]
    drawn = torch.get_rng_state()
    with engine.model(f"hf:{saved_model('bert-uncased')}") as model:
        before = model.mask_logprob(asked)
        mitigate(engine, model, prepare(engine.catalogue, corpus), tmp_path / "new", SHORT)
        assert model.mask_logprob(asked) == before
    assert torch.equal(torch.get_rng_state(), drawn)  # nor are torch's own generators moved


def test_the_record_says_from_what_and_how(trains: Trains, tmp_path: Path) -> None:
    record = trains(tmp_path / "new").record
    assert record["model"]["facts"]["torch"] == torch.__version__
    assert record["training"] == {
        "epochs": 2, "batch": 16, "learning_rate": 1e-3, "warmup_steps": 2, "masked": 0.15, "weight_decay": 0.0,
        "power": 1.0, "seed": 5,
    }  # fmt: skip
    assert (record["corpus"]["file"], record["method"]) == ("corpus.txt", "augmentation")
    assert record["swapped"]["texts"] == 82
    assert record["pieces"] > 82
    assert record["steps"] == 2 * -(-record["pieces"] // 16)
    assert len(record["losses"]) == 2
    assert set(record["files"]) == {p.name for p in (tmp_path / "new").iterdir()} - {MITIGATION_FILE}
    assert not (tmp_path / "new.checkpoint").exists()
    assert str(tmp_path) not in json.dumps(record)


def test_the_weights_are_those_of_a_plain_loop(
    trains: Trains, saved_model: Callable[[str], Path], tmp_path: Path
) -> None:
    """Three steps of torch's AdamW on the same hidden tokens, by transformers' own loss; without dropout."""
    source = Path(shutil.copytree(saved_model("bert-uncased"), tmp_path / "source"))
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (source / "config.json").write_text(json.dumps(config), encoding="utf-8")
    training = Training(epochs=3, batch=4, learning_rate=1e-3, warmup_steps=1, weight_decay=0.1, seed=3)
    texts = ["She sleeps.", "The queen and the mother", "queen", "unbelievable he"]
    on_the_cpu = {"device": "cpu"}
    trains(tmp_path / "new", training, source=source, texts="\n".join(texts[:1]), options=on_the_cpu)
    trained = ["She sleeps.", "He sleeps."]

    tokenizer = transformers.AutoTokenizer.from_pretrained(source)
    model = transformers.AutoModelForMaskedLM.from_pretrained(source).train()
    pieces = [
        Piece(ids, [0] * len(ids), own=range(1, len(ids) - 1)) for ids in tokenizer(trained)["input_ids"]
    ]
    masking = Masking(tokenizer.mask_token_id, np.arange(5, len(tokenizer)), 0.15, tokenizer.pad_token_id)
    optimiser = torch.optim.AdamW(model.parameters(), weight_decay=0.1)
    for step in range(3):
        order = np.random.default_rng([3, 0, step]).permutation(2)
        batch = masking.batch([pieces[i] for i in order], np.random.default_rng([3, 1, step]))
        for group in optimiser.param_groups:
            group["lr"] = training.rate(step, 3)
        loss = model(**{name: torch.from_numpy(ids) for name, ids in batch.items()}).loss
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    model.save_pretrained(tmp_path / "plain")
    found, expected = weights_of(tmp_path / "new"), weights_of(tmp_path / "plain")
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        torch.testing.assert_close(found[name], tensor, rtol=0, atol=1e-6)


@pytest.mark.parametrize("stops", [5, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 6, 11))])
def test_a_training_that_stopped_goes_on_to_the_same_bytes(
    trains: Trains, tmp_path: Path, stops: int
) -> None:
    """With dropout, in the middle of an epoch and at its end; 12 steps in all."""
    straight, resumed = tmp_path / "straight" / "new", tmp_path / "resumed" / "new"
    trains(straight)
    with pytest.raises(PluginFailedError, match="the machine is on fire"):
        trains(resumed, stops=stops, checkpoint_minutes=0)
    assert [path.name for path in resumed.parent.iterdir()] == ["new.checkpoint"]
    place = json.loads((resumed.parent / "new.checkpoint" / "state.json").read_text(encoding="utf-8"))
    assert place["step"] == stops
    trains(resumed)
    assert bytes_of(resumed) == bytes_of(straight)
    assert [path.name for path in resumed.parent.iterdir()] == ["new"]


@pytest.mark.slow
def test_another_seed_gives_other_weights(trains: Trains, tmp_path: Path) -> None:
    one, other = (trains(tmp_path / str(seed), Training(1, 16, 1e-3, 2, seed=seed)) for seed in (1, 2))
    assert one.record["losses"] != other.record["losses"]


@pytest.fixture
def stopped(trains: Trains, tmp_path: Path) -> Path:
    """The folder of a training that stopped in its third step."""
    with pytest.raises(PluginFailedError):
        trains(tmp_path / "new", stops=2, checkpoint_minutes=0)
    return tmp_path / "new"


@pytest.mark.slow
def test_the_state_of_another_training_is_not_gone_on_with(stopped: Path, trains: Trains) -> None:
    other = Training(2, 16, 2e-3, 2, seed=5)
    with pytest.raises(
        RunError, match=r"another training \(another training.learning_rate\).*overwrite=True"
    ):
        trains(stopped, other)
    assert (stopped.parent / "new.checkpoint").is_dir()
    forced = trains(stopped, other, overwrite=True)
    straight = trains(stopped.with_name("straight"), other)
    assert forced.record == straight.record
    assert not (stopped.parent / "new.checkpoint").exists()


@pytest.mark.parametrize("damage", ["state.json", "state.safetensors"])
def test_a_damaged_state_is_refused(stopped: Path, trains: Trains, damage: str) -> None:
    checkpoint = stopped.with_name("new.checkpoint")
    (checkpoint / damage).write_bytes((checkpoint / damage).read_bytes()[:-9])
    with pytest.raises(ModelLoadError, match=r"new.checkpoint is damaged .*Remove that folder"):
        trains(stopped)


def test_a_folder_of_somebody_else_is_no_state(trains: Trains, tmp_path: Path) -> None:
    (tmp_path / "new.checkpoint").mkdir()
    (tmp_path / "new.checkpoint" / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(
        RunError, match=f"not overwritten: it is not the state of a training.*{CHECKPOINT_FILE}"
    ):
        trains(tmp_path / "new", overwrite=True)
    assert (tmp_path / "new.checkpoint" / "thesis.tex").exists()


def test_a_folder_that_exists_is_left_alone(trains: Trains, tmp_path: Path) -> None:
    new = tmp_path / "new"
    trains(new)
    before = bytes_of(new)
    with pytest.raises(
        RunError, match=r"exists already\. Choose another folder, or replace it: overwrite=True"
    ):
        trains(new)
    trains(new, overwrite=True)
    assert bytes_of(new) == before
    (new / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(RunError, match=r"next to a mitigated model it holds notes\.txt"):
        trains(new, overwrite=True)


@pytest.mark.slow
def test_a_training_that_comes_apart_leaves_nothing(trains: Trains, tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match=r"the loss is no number in step .*lower learning_rate"):
        trains(tmp_path / "out" / "new", Training(3, 16, 1e18, 0))
    assert list((tmp_path / "out").iterdir()) == []


def test_a_warm_up_longer_than_the_training_is_told(trains: Trains, tmp_path: Path) -> None:
    with pytest.warns(
        UserWarning, match=r"1 epochs of 6 batches are 6 steps, .* over 500: it never reaches 2e-05"
    ):
        trains(tmp_path / "new", Training(epochs=1))


def test_a_corpus_that_the_tokenizer_does_not_know_is_refused_with_the_share(
    trains: Trains, tmp_path: Path
) -> None:
    with pytest.raises(QuestionError, match=r"\d\d % of the words .*unknown"):
        trains(tmp_path / "new", texts="She is 漢 字 語 文 学 校 先.\n" * 3)
    assert not (tmp_path / "new").exists()


def test_the_text_with_a_token_that_the_model_has_no_vector_for_is_named(
    trains: Trains, saved_model: Callable[[str], Path], tmp_path: Path
) -> None:
    """It is found in the second piece of the second text."""
    source = Path(shutil.copytree(saved_model("bert-uncased"), tmp_path / "source"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(source)
    tokenizer.add_tokens(["cyborg"])
    tokenizer.save_pretrained(source)
    texts = "she sees a fox\nthe second text " + "fox " * 99 + "cyborg\n"
    with pytest.raises(
        QuestionError, match=r"the text 'the second .* has token number \d+, and the model has"
    ):
        trains(tmp_path / "new", source=source, texts=texts)


def test_a_text_longer_than_the_model_takes_is_cut_in_pieces(trains: Trains, tmp_path: Path) -> None:
    """No token of it is lost: pieces hold 64 tokens, two of them [CLS] and [SEP]."""
    record = trains(tmp_path / "new", Training(1, 16, 1e-3, 0), texts="she " + "fox " * 199).record
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "new")
    tokens = [len(tokenizer.tokenize(f"{word} " + "fox " * 199, verbose=False)) for word in ("she", "he")]
    assert record["pieces"] == sum(-(-count // 62) for count in tokens)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("gpt2", {}, r"is no masked language model \(it can choose, embed, generate, score\)"),
        ("bert-uncased", {"dtype": "bfloat16"}, "is open in bfloat16, and only float32 is trained"),
    ],
)
def test_models_that_are_not_trained(
    trains: Trains, tmp_path: Path, kind: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(CapabilityError, match=message):
        trains(tmp_path / "new", kind=kind, options=options)
    assert not (tmp_path / "new").exists()


def test_a_masked_model_of_another_kind_cannot_be_trained(
    engine: Engine, corpus: Path, tmp_path: Path
) -> None:
    with pytest.raises(CapabilityError, match="fake: models of this kind cannot be trained"):
        mitigate(engine, model_of(Lengths()), prepare(engine.catalogue, corpus), tmp_path / "new")


def test_a_sentence_transformers_folder_is_refused(
    trains: Trains, saved_model: Callable[[str], Path], tmp_path: Path
) -> None:
    source = Path(shutil.copytree(saved_model("bert-uncased"), tmp_path / "source"))
    modules = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]
    (source / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    with pytest.raises(CapabilityError, match="is a sentence-transformers folder"):
        trains(tmp_path / "new", source=source, options={"sentence": "mean"})


@pytest.mark.slow
def test_a_model_that_cannot_be_opened_again_is_not_kept(
    trains: Trains, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biascore_adapters.hf import training

    def spoilt(tensors: Any, path: Path) -> None:
        save_file({name: torch.full_like(tensor, torch.nan) for name, tensor in tensors.items()}, path)

    def write(_folder: object, model: Any, into: Path, whole: Any = training._write) -> None:
        whole(_folder, copy.deepcopy(model), into)
        spoilt(weights_of(into), into / "model.safetensors")

    monkeypatch.setattr(training, "_write", write)
    with pytest.raises(BiascoreError, match="was trained, but cannot be used, so that it was not kept"):
        trains(tmp_path / "out" / "new")
    assert not (tmp_path / "out" / "new").exists()
