"""Three small random models that know the words of a language's stimuli: to try an audit file without downloads.

Usage: python docs/studies/small_models.py LANGUAGE FOLDER

Writes FOLDER/vectors.vec (word vectors for fasttext:), FOLDER/bert (a masked language model) and FOLDER/gpt2 (a
causal one). Their weights are random, so whatever bias they show is chance: the audit's path is real, its numbers
mean nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from biascore import Engine
from biascore.designs.pairs.test import SentencePairs
from biascore.stimuli import PairList, TemplateList, WordList

DIMENSIONS = 50
CONTEXT = 256


def texts_of(language: str) -> list[str]:
    """Every word and sentence of the language's stimuli, and each word in each template."""
    lists = Engine(cache=None).catalogue.lists(language).values()
    words: list[str] = []
    templates: list[str] = []
    sentences: list[str] = []
    for one in lists:
        match one:
            case WordList():
                words += one.words
            case PairList():
                words += [form for pair in one.pairs for form in pair]
            case TemplateList():
                templates += one.sentences
            case SentencePairs():
                sentences += [text for pair in one.rows for text in (pair.sent_more, pair.sent_less)]
    return list(dict.fromkeys([*words, *templates, *sentences]))


def save_vectors(texts: Iterable[str], path: Path, seed: int) -> None:
    """One random vector for every word between spaces, in fastText's text format."""
    plain = [word for text in texts for word in text.split()]
    # Sentence templates put a full stop after the last word, and without subwords that is another word.
    words = list(dict.fromkeys([*plain, *(f"{word}." for word in plain)]))
    vectors = np.random.default_rng(seed).normal(size=(len(words), DIMENSIONS))
    lines = [f"{len(words)} {DIMENSIONS}"]
    lines += [f"{word} {' '.join(f'{x:.4f}' for x in row)}" for word, row in zip(words, vectors, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def save_bert(texts: list[str], folder: Path, seed: int) -> None:
    """A masked language model of two layers with a WordPiece vocabulary trained on the texts."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=2000, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=ends)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=CONTEXT,
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        unk_token="[UNK]",
        mask_token="[MASK]",
    )
    config = transformers.BertConfig(
        vocab_size=len(fast),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=CONTEXT,
    )
    _save(transformers.AutoModelForMaskedLM, config, fast, folder, seed)


def save_gpt2(texts: list[str], folder: Path, seed: int) -> None:
    """A causal language model of two layers with a byte-level vocabulary trained on the texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    end = "<|endoftext|>"
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=CONTEXT, bos_token=end, eos_token=end, unk_token=end
    )
    config = transformers.GPT2Config(
        vocab_size=len(fast),
        n_embd=32,
        n_layer=2,
        n_head=4,
        n_positions=CONTEXT,
        bos_token_id=0,
        eos_token_id=0,
    )
    _save(transformers.AutoModelForCausalLM, config, fast, folder, seed)


def _save(auto: Any, config: Any, tokenizer: Any, folder: Path, seed: int) -> None:
    """Weights larger than a fresh model's, so that every part of a text moves the answer."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = auto.from_config(config)
        with torch.no_grad():
            for weights in model.parameters():
                weights.add_(0.25 * torch.randn_like(weights))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def main(language: str, folder: Path) -> None:
    """Write the three models for one language."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = texts_of(language)
    save_vectors(texts, folder / "vectors.vec", seed=1)
    save_bert(texts, folder / "bert", seed=2)
    save_gpt2(texts, folder / "gpt2", seed=3)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]))
