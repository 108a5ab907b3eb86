"""Tiny translation models of each family with random weights, and their tokenizers."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path
from typing import Any

import sentencepiece
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from ...builders import tiny

TEXTS = (
    "I am a nurse.",
    "The engineer finished her work before he left.",
    "No.",
    "Der Arzt grüßt die Krankenschwester auf der Straße, und niemand hat es gesehen 😀.",
    "I am a nurse, she said.",
)
FAMILIES = ("nllb", "m2m100", "mbart", "marian", "marian-group", "t5")
SIZE: dict[str, Any] = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 128,
    "tie_word_embeddings": False,  # or a random model says one token for ever
}
CORPUS = [*TEXTS, *(word for text in TEXTS for word in text.split())] * 5


def _pieces() -> tuple[bytes, list[str]]:
    """A SentencePiece model of the corpus, and its pieces."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=written, vocab_size=60, model_type="unigram",
        pad_id=-1, bos_id=-1, eos_id=0, unk_id=1, minloglevel=2,
    )  # fmt: skip
    processor = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    return written.getvalue(), [processor.id_to_piece(i) for i in range(len(processor))]


def _bpe() -> tuple[dict[str, int], list[tuple[str, str]]]:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.BpeTrainer(vocab_size=150, special_tokens=specials, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return model["vocab"], [tuple(pair) for pair in model["merges"]]


def tokenizer_of(family: str, folder: Path) -> Any:
    if family == "nllb":
        vocabulary, merges = _bpe()
        return transformers.NllbTokenizer(vocab=vocabulary, merges=merges)
    if family in ("mbart", "t5"):
        return _unigram(family)
    spm, own = _pieces()
    (folder / "raw.spm").write_bytes(spm)
    if family == "m2m100":
        vocabulary = ["<s>", "<pad>", "</s>", "<unk>", *(p for p in own if p not in ("</s>", "<unk>"))]
    else:
        codes = [">>hrv<<", ">>srp_Cyrl<<", ">>slv<<"] if family == "marian-group" else []
        vocabulary = [*own, *codes, "<pad>"]
    file = folder / "raw.json"
    file.write_text(json.dumps({piece: i for i, piece in enumerate(vocabulary)}), encoding="utf-8")
    if family == "m2m100":
        return transformers.M2M100Tokenizer(str(file), str(folder / "raw.spm"))
    target = "zls" if codes else "es"
    spms = [str(folder / "raw.spm")] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it recommends sacremoses
        return transformers.MarianTokenizer(*spms, str(file), source_lang="en", target_lang=target)


def _unigram(family: str) -> Any:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=120, special_tokens=specials, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    if family == "t5":
        tokenizer.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 2)])
        roles = {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
        return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=128, **roles)
    vocabulary = [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["vocab"]]
    return transformers.MBart50Tokenizer(vocab=vocabulary, src_lang="en_XX", tgt_lang="es_XX")


def config_of(family: str, tokenizer: Any) -> Any:
    if family == "t5":
        tasks = {"translation_en_to_de": {"prefix": "translate English to German: "}, "summarization": {}}
        return transformers.T5Config(
            vocab_size=len(tokenizer), d_model=32, d_ff=48, d_kv=8, num_layers=2, num_heads=4, tie_word_embeddings=False,
            decoder_start_token_id=1, pad_token_id=1, eos_token_id=2, task_specific_params=tasks,
        )  # fmt: skip
    ids = {"pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id}
    size = {
        **SIZE,
        "vocab_size": max([*tokenizer.get_vocab().values(), *_language_ids(tokenizer)]) + 1,
        **ids,
    }
    if family.startswith("marian"):
        return transformers.MarianConfig(
            **size, decoder_start_token_id=ids["pad_token_id"], forced_eos_token_id=ids["eos_token_id"]
        )
    kind = transformers.MBartConfig if family == "mbart" else transformers.M2M100Config
    return kind(**size, bos_token_id=0, decoder_start_token_id=ids["eos_token_id"])


def _language_ids(tokenizer: Any) -> list[int]:
    return list(getattr(tokenizer, "lang_token_to_id", {}).values())


def save(family: str, folder: Path, seed: int) -> None:
    """A random model of the family and its tokenizer."""
    folder.mkdir()
    tokenizer = tokenizer_of(family, folder)
    tokenizer.save_pretrained(folder)
    tiny.save_random(transformers.AutoModelForSeq2SeqLM, config_of(family, tokenizer), folder, seed)
