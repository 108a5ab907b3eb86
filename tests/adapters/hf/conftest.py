"""Tiny random models of five kinds, made here, and the obvious way to embed with any of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from biascore.plugins_api import LoadContext, ModelRef, Text

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")
huggingface_hub = pytest.importorskip("huggingface_hub", reason="needs biascore[hf]")

from tokenizers import (  # noqa: E402
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import logging as transformers_logging  # noqa: E402

from biascore_adapters.hf import HfAdapter  # noqa: E402
from biascore_adapters.hf.options import HfOptions  # noqa: E402

KINDS = ("bert-uncased", "bert-cased", "roberta", "xlm-roberta", "gpt2")
CONTEXT = cast(LoadContext, None)  # this adapter asks nothing of it

CORPUS = [
    "The engineer finished her work before he left the office.",
    "La dottoressa è andata in città con l'ingegnere più anziano.",
    "Die Ärztin grüßt den Krankenpfleger auf der Straße.",
    "L'infirmière a déjà mangé chez le médecin très sûr de lui.",
    "A nurse, a programmer and a carpenter walked home together 😀.",
    "Queen and king, mother and father, poetry and mathematics, unbelievable.",
    "the quick brown fox jumps over the lazy dog! THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG! È",
] * 4


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test asks the hub; the variable is read at import, so the constant is set as well."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.fixture(scope="session", autouse=True)
def _quiet_and_single_threaded() -> Iterator[None]:
    """Our own calls of transformers here would draw progress bars; tiny models are fastest on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    transformers_logging.disable_progress_bar()
    yield
    transformers_logging.enable_progress_bar()
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A saved model folder of each kind."""
    root = tmp_path_factory.mktemp("models")
    for seed, kind in enumerate(KINDS):
        tokenizer = _tokenizer(kind)
        tokenizer.save_pretrained(root / kind)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = transformers.AutoModel.from_config(_config(kind, len(tokenizer)))
        model.save_pretrained(root / kind)
    return {kind: root / kind for kind in KINDS}


@pytest.fixture
def copied(folders: dict[str, Path], tmp_path: Path) -> Callable[..., Path]:
    """``copied(kind, **changes)``: a copy of a folder to damage, with changes to its config.json."""

    def copy(kind: str = "bert-uncased", **changes: Any) -> Path:
        folder = Path(shutil.copytree(folders[kind], tmp_path / kind))
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        (folder / "config.json").write_text(json.dumps(config | changes), encoding="utf-8")
        return folder

    return copy


@pytest.fixture(scope="session")
def opened() -> Callable[..., Any]:
    """``opened(locator, **options)``: the backend that the adapter makes of ``hf:<locator>``."""

    def load(locator: object, **options: Any) -> Any:
        return HfAdapter().load(ModelRef.parse(f"hf:{locator}"), HfOptions(**options), CONTEXT)

    return load


@pytest.fixture(scope="session")
def obvious() -> Callable[..., np.ndarray]:
    """``obvious(folder, text, level, pooling)``: one vector, one text at a time, in plain transformers."""

    @lru_cache
    def model_of(folder: Path) -> tuple[Any, Any]:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        return tokenizer, transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()

    def vector(folder: Path, text: Text, level: str, pooling: str = "") -> np.ndarray:
        tokenizer, model = model_of(folder)
        inputs = tokenizer(text.text, return_tensors="pt", return_offsets_mapping=True)
        offsets = inputs.pop("offset_mapping")[0].tolist()
        with torch.no_grad():
            states = model(**inputs).last_hidden_state[0]
        if level == "token":
            meant = set(range(*text.span))
            rows = [states[i] for i, (start, end) in enumerate(offsets) if meant & set(range(start, end))]
        else:
            rows = {"cls": [states[0]], "last": [states[-1]], "mean": list(states)}[pooling]
        return (sum(rows) / len(rows)).numpy()

    return vector


def _config(kind: str, vocabulary: int) -> Any:
    small: dict[str, Any] = {"vocab_size": vocabulary}
    if kind == "gpt2":
        return transformers.GPT2Config(
            n_embd=32, n_layer=2, n_head=4, n_positions=128, bos_token_id=0, eos_token_id=0, **small
        )
    small |= {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
    if kind.startswith("bert"):
        return transformers.BertConfig(max_position_embeddings=128, **small)
    config = transformers.RobertaConfig if kind == "roberta" else transformers.XLMRobertaConfig
    return config(max_position_embeddings=130, type_vocab_size=1, pad_token_id=1, **small)


def _tokenizer(kind: str) -> Any:
    if kind.startswith("bert"):
        specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=kind == "bert-uncased")
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(vocab_size=140, special_tokens=specials, show_progress=False)
    elif kind == "xlm-roberta":
        specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=140, special_tokens=specials, unk_token="<unk>", show_progress=False
        )
    else:
        specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"] if kind == "roberta" else ["<|endoftext|>"]
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=380,
            special_tokens=specials,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
    tokenizer.train_from_iterator(CORPUS, trainer)
    fast = transformers.PreTrainedTokenizerFast
    if kind == "gpt2":
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
        return fast(
            tokenizer_object=tokenizer, eos_token=specials[0], unk_token=specials[0], model_max_length=128
        )
    order = (
        ("pad", "unk", "cls", "sep", "mask")
        if kind.startswith("bert")
        else ("cls", "pad", "sep", "unk", "mask")
    )
    roles = dict(zip(order, specials, strict=True))
    if kind == "roberta":
        tokenizer.post_processor = processors.RobertaProcessing(
            ("</s>", 2), ("<s>", 0), add_prefix_space=False
        )
    else:
        first, last = roles["cls"], roles["sep"]
        ids = [(token, tokenizer.token_to_id(token)) for token in (first, last)]
        tokenizer.post_processor = processors.TemplateProcessing(f"{first} $A {last}", special_tokens=ids)
    names = ["input_ids", "token_type_ids", "attention_mask"][:: 1 if kind.startswith("bert") else 2]
    tokens = {f"{role}_token": token for role, token in roles.items()}
    return fast(tokenizer_object=tokenizer, model_input_names=names, **tokens)
