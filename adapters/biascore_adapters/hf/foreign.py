"""Folders that hold something else than a model that ``hf:`` opens: what each is, and the next step."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import Any, Final

from biascore.api.formats import is_path, leads_out
from biascore.api.support import quoted
from biascore.errors import ModelLoadError
from biascore_adapters.hf import gguf
from biascore_adapters.hf.quantised import check_quantised
from biascore_adapters.transformer.folder import PICKLE, SAFETENSORS, matching, read_json_file

ADAPTER: Final = "adapter_config.json"
_ATTENTION: Final = ("attn_implementation", "_attn_implementation", "_attn_implementation_internal")
_WHOLE: Final = (SAFETENSORS[0], PICKLE[0])
_OTHER_WEIGHTS: Final = (
    ("tf_model.h5", "TensorFlow", "from_tf"),
    ("flax_model.msgpack", "Flax", "from_flax"),
)
_CONVERTERS: Final = {"TensorFlow": "tensorflow tf-keras", "Flax": "flax jax"}
_INDEX: Final = {".safetensors": "model.safetensors.index.json", ".bin": "pytorch_model.bin.index.json"}
_UNREAD: Final = (
    "added_tokens_file",
    "special_tokens_map_file",
)  # by transformers, from the tokenizer's settings
_TEKKEN: Final = "tekken.json"
# What peft calls a task, and its class that opens an adapter for it.
_PEFT_CLASSES: Final = {
    "CAUSAL_LM": "AutoPeftModelForCausalLM",
    "FEATURE_EXTRACTION": "AutoPeftModelForFeatureExtraction",
    "SEQ_2_SEQ_LM": "AutoPeftModelForSeq2SeqLM",
    "SEQ_CLS": "AutoPeftModelForSequenceClassification",
    "TOKEN_CLS": "AutoPeftModelForTokenClassification",
}
# Tokenizers that transformers has only in Python, by class and, where tokenizer_config.json names none, by family.
_CHARACTERS: Final = ("ByT5Tokenizer", "CanineTokenizer", "MyT5Tokenizer", "PerceiverTokenizer")
_SLOW: Final = (
    *("BertJapaneseTokenizer", "BertweetTokenizer", "BioGptTokenizer", "CTRLTokenizer", "CpmTokenizer"),
    *("FlaubertTokenizer", "PhobertTokenizer", "ProphetNetTokenizer", "RoCBertTokenizer", "XLMTokenizer"),
)
_BY_FAMILY: Final = {"canine": "CanineTokenizer", "flaubert": "FlaubertTokenizer", "xlm": "XLMTokenizer"}
_INSTEAD: Final = {"FlaubertTokenizer": "hf:almanach/camembert-base"}


def check_files(path: Path) -> None:
    """Raise ModelLoadError for a folder with an adapter or with GGUF files, which say so by their names."""
    weights = matching(path, (*SAFETENSORS, *PICKLE))
    if (path / ADAPTER).is_file():
        raise ModelLoadError(_adapter(path, beside=bool(weights)))
    files = matching(path, ("*.gguf",))
    if files and not weights:
        raise ModelLoadError(gguf.which(path, files))


def check_config(path: Path, config: Mapping[str, Any]) -> None:
    """Raise ModelLoadError for static embeddings, fetched code, tokenizers without offsets, and some quantised weights."""
    _check_kernels(path, config)
    _check_elsewhere(path, config)
    check_quantised(path, config)
    if config.get("model_type") == "model2vec":
        raise ModelLoadError(static(path))
    if not (path / "tokenizer.json").is_file():
        _check_tokenizer(path, config)


def one_set(path: Path, weights: tuple[Path, ...]) -> tuple[Path, ...]:
    """The weights; raises ModelLoadError where they are a whole file and also shards, of which each could be the model."""
    whole = next((file for file in weights if file.name in _WHOLE), None)
    shards = [file for file in weights if file != whole]
    if whole is None or not shards:
        return weights
    raise ModelLoadError(
        f"{path} holds its weights twice, in {whole.name} and in {len(shards)} shards ({shards[0].name} ...), so that it "
        f"does not say which of the two is meant. Copy the folder without one of them, and name the copy"
    )


def no_weights(path: Path) -> str:
    """What a folder without weights that are read here holds in their place, and the next step."""
    for name, library, flag in _OTHER_WEIGHTS:
        if (path / name).is_file():
            into = f"{path}-converted"
            program = (
                f"import transformers as t, json; p = {_literal(path)}; "
                'c = getattr(t, (json.load(open(p + "/config.json")).get("architectures") or ["AutoModel"])[0]); '
                f"c.from_pretrained(p, {flag}=True).save_pretrained({_literal(into)}); "
                f"t.AutoTokenizer.from_pretrained(p).save_pretrained({_literal(into)})"
            )
            return (
                f"{path} has its weights only as {name}, of {library}, which hf: does not read. Name a copy of the model "
                f"that has a model.safetensors; or convert it in an environment of its own (pip install "
                f"'transformers<5' torch {_CONVERTERS[library]}): python -c {quote(program)}, and name hf:{into}"
            )
    graphs = matching(path, ("*.onnx",))
    if graphs:
        return f"{path} has its weights only as {graphs[0].name}, a graph. Name it {quote(f'onnx:{path}')}"
    others = [
        file.name for file in matching(path, ("*.safetensors", "*.bin", "*.pt", "*.pth", "*.ckpt", "*.ot"))
    ]
    index = next((name for name in _INDEX.values() if (path / name).is_file()), None)
    if index and not others:
        return f"{path} has no weights: its {index} names files of which none is there. Fetch the model with its shards"
    there = f"; it holds {', '.join(others[:3])}, under another name" if others else ""
    return f"{path} has no weights (no model.safetensors{there}). Fetch the model again, or save it with save_pretrained()"


def check_index(path: Path, weights: tuple[Path, ...]) -> None:
    """Raise ModelLoadError where the index of sharded weights names others than the files that identify the model."""
    names = {file.name for file in weights}
    if not names.isdisjoint(_WHOLE):  # which is opened without an index
        return
    index = path / _INDEX[weights[0].suffix]
    stated = read_json_file(index) if index.is_file() else {}
    shards = stated.get("weight_map") if isinstance(stated, dict) else None
    named = set(map(str, shards.values())) if isinstance(shards, dict) else set()
    if named == names:
        return
    absent, more = sorted(named - names), sorted(names - named)
    what = (
        f"names {quoted(absent[0])}, which is none of the weights there"
        if absent
        else f"does not name {more[0]}, which is there"
    )
    raise ModelLoadError(
        f"{index} {what if index.is_file() else 'is missing'}. Fetch or save the model again, in an empty folder"
    )


def _check_elsewhere(path: Path, config: Mapping[str, Any]) -> None:
    """Raise ModelLoadError where settings name other files to open than those that identify the model."""
    settings = path / "tokenizer_config.json"
    stated = read_json_file(settings) if settings.is_file() else {}
    named = {"transformers_weights": config.get("transformers_weights")}
    for key, value in stated.items() if isinstance(stated, dict) else ():
        if key.endswith("_file") and key not in _UNREAD and isinstance(value, str) and value:
            # Many folders name files of the machine that they were saved on, which are not there.
            inside = not leads_out(value) and (path / value).is_file()
            named[key] = value if is_path(value) and not inside else None
    for key, value in named.items():
        if value is not None:
            raise ModelLoadError(
                f"{path} names {quoted(value)} as {key}, a file by which the model is not identified. If you trust the "
                "model, remove that line"
            )


def _check_kernels(path: Path, config: object) -> None:
    """Raise ModelLoadError where a configuration, or one inside it, names code of the hub that computes attention.

    transformers takes ``owner/name`` for a kernel to fetch and run, and with the package ``kernels`` it puts one of the
    hub in the place of a flash attention that is not installed.
    """
    if isinstance(config, dict):
        for key, value in config.items():
            if key in _ATTENTION:
                named = value.values() if isinstance(value, dict) else [value]
                for name in named:
                    if isinstance(name, str) and _is_kernel(name):
                        raise ModelLoadError(
                            f"{path} names {name!r} as {key} in config.json, code that would be fetched and run, which "
                            'this adapter never allows. If you trust the model, write "sdpa" there'
                        )
            _check_kernels(path, value)


def _is_kernel(name: str) -> bool:
    fetched = importlib.util.find_spec("kernels") is not None and name.startswith(("flash", "paged|flash"))
    return "/" in name or fetched


def _literal(text: object) -> str:
    """A text of a program that is in single quotes on a command line."""
    return json.dumps(str(text), ensure_ascii=False)


def static(path: Path) -> str:
    """The advice for static embeddings."""
    return (
        f"{path} holds static embeddings (StaticEmbedding, model2vec): a table of vectors of tokens and no transformer, "
        "which hf: does not read. Measure the sentence encoder that they were distilled from, or word vectors: "
        "fasttext:<file.vec>"
    )


def _adapter(path: Path, *, beside: bool) -> str:
    stated = read_json_file(path / ADAPTER)
    config = stated if isinstance(stated, dict) else {}
    base, kind = config.get("base_model_name_or_path") or "<base model>", config.get("peft_type") or "PEFT"
    into = f"{path}-merged"
    opener = _PEFT_CLASSES.get(str(config.get("task_type")), "AutoPeftModel")
    program = (
        f"from peft import {opener} as M; from transformers import AutoTokenizer as T; "
        f"M.from_pretrained({_literal(path)}).merge_and_unload().save_pretrained({_literal(into)}); "
        f"T.from_pretrained({_literal(base)}).save_pretrained({_literal(into)})"
    )
    merge = f"python -c {quote(program)}"
    if beside:
        return (
            f"{path} holds a whole model and also an adapter ({kind}, {ADAPTER}), so that it does not say which of "
            f"the two is meant. For the model alone, move {ADAPTER} out of the folder; for the adapter applied to {base}, "
            f"merge them (pip install peft): {merge}, and name hf:{into}"
        )
    return (
        f"{path} holds an adapter ({kind}) for {base}, and no model. Merge the two (pip install peft): {merge}, and name "
        f"hf:{into}; or measure the base model, {quote(f'hf:{base}')}"
    )


def _check_tokenizer(path: Path, config: Mapping[str, Any]) -> None:
    if (path / _TEKKEN).is_file():
        program = (
            "from transformers.integrations.mistral.tokenizer import convert_tekken_tokenizer as convert; "
            f"convert({_literal(path / _TEKKEN)}).save_pretrained({_literal(path)})"
        )
        raise ModelLoadError(
            f"{path} has its tokenizer only as {_TEKKEN}, of Mistral's own library. Write tokenizer.json there: "
            f"python -c {quote(program)}"
        )
    settings = path / "tokenizer_config.json"
    stated = read_json_file(settings) if settings.is_file() else {}
    named = stated.get("tokenizer_class") if isinstance(stated, dict) else None
    name = str(named or _BY_FAMILY.get(str(config.get("model_type")), ""))
    if name not in (*_CHARACTERS, *_SLOW):
        return
    why = (
        "reads single characters or bytes"
        if name in _CHARACTERS
        else "exists in Python only, whatever else is installed"
    )
    raise ModelLoadError(
        f"{path} has the tokenizer {name}, which {why} and cannot say which characters of a text a token covers, as hf: "
        "must know. Measure a model of the same language that has a tokenizer.json, such as "
        f"{_INSTEAD.get(name, 'hf:FacebookAI/xlm-roberta-base (100 languages)')}"
    )
