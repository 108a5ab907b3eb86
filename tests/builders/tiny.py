"""Tiny random models with heads: the tokenizers and configurations of the families, trained and made here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

MASKED = ("bert-uncased", "bert-cased", "roberta", "albert", "distilbert", "xlm-roberta", "electra")
QUICK = ("bert-uncased", "roberta")
"""Of MASKED one for each way to write a token: the quick tests ask these where the way of asking is what is tested."""
CAUSAL = ("gpt2", "gpt2-no-bos", "llama", "llama-adds-bos")
CONTEXT = 64
"""The longest text that these models take where nothing else is said, in tokens, special ones included."""
EMOTIONS = {"id2label": {0: "anger", 1: "joy", 2: "fear"}, "label2id": {"anger": 0, "joy": 1, "fear": 2}}
"""The labels of a head of three."""

_WORDPIECE = ("bert-uncased", "bert-cased", "distilbert", "electra")
_CORPUS = [
    "The engineer finished her work before he left the office, and nobody noticed it.",
    "La dottoressa è andata in città con l'ingegnere più anziano.",
    "Die Ärztin grüßt den Krankenpfleger auf der Straße.",
    "L'infirmière a déjà mangé chez le médecin très sûr de lui.",
    "A nurse, a programmer and a carpenter walked home together 😀.",
    "Queen and king, mother and father, poetry and mathematics, unbelievable.",
    "the quick brown fox jumps over the lazy dog! THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG! È?",
] * 4


@contextmanager
def quiet_and_single_threaded() -> Iterator[None]:
    """Our own calls of transformers would draw progress bars; tiny models are fastest on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    transformers.logging.disable_progress_bar()
    yield
    transformers.logging.enable_progress_bar()
    torch.set_num_threads(threads)


def save_model(
    kind: str,
    folder: Path,
    seed: int,
    auto: Any = None,
    context: int = CONTEXT,
    size: float = 0.25,
    **config: Any,
) -> Path:
    """A folder with a random model of the kind and its tokenizer; ``auto``: the head's class; ``size``: see below."""
    tokenizer = tokenizer_of(kind)
    tokenizer.model_max_length = context
    tokenizer.save_pretrained(folder)
    if auto is None:
        auto = transformers.AutoModelForMaskedLM if kind in MASKED else transformers.AutoModelForCausalLM
    save_random(auto, config_of(kind, len(tokenizer), context, **config), folder, seed, size)
    return folder


def save_random(auto: Any, config: Any, folder: Path, seed: int, size: float = 0.25) -> None:
    """Weights large enough, biases included, that every part of the model moves the answer visibly."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = auto.from_config(config)
        with torch.no_grad():
            for weights in model.parameters():
                weights.add_(size * torch.randn_like(weights))
    model.save_pretrained(folder)


def config_of(kind: str, vocabulary: int, context: int = CONTEXT, **changes: Any) -> Any:
    size: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    size |= {"intermediate_size": 48, "vocab_size": vocabulary, "max_position_embeddings": context}
    gpt2 = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": context, "vocab_size": vocabulary}
    fairseq = size | {"max_position_embeddings": context + 2, "type_vocab_size": 1, "pad_token_id": 1}
    match kind:
        case "bert-uncased" | "bert-cased":
            return transformers.BertConfig(**size | changes)
        case "electra":
            return transformers.ElectraConfig(**size | {"embedding_size": 16} | changes)
        case "distilbert":
            distil = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48, "vocab_size": vocabulary}
            return transformers.DistilBertConfig(max_position_embeddings=context, **distil | changes)
        case "albert":
            return transformers.AlbertConfig(**size | {"embedding_size": 16} | changes)
        case "roberta":
            return transformers.RobertaConfig(**fairseq | changes)
        case "xlm-roberta" | "xlm-roberta-metaspace":
            return transformers.XLMRobertaConfig(**fairseq | changes)
        case "gpt2" | "gpt2-no-bos":
            return transformers.GPT2Config(bos_token_id=0, eos_token_id=0, **gpt2 | changes)
        case "llama" | "llama-adds-bos":
            llama = {"num_key_value_heads": 2, "bos_token_id": 1, "eos_token_id": 2}
            return transformers.LlamaConfig(**size | llama | changes)
    raise ValueError(kind)


def tokenizer_of(kind: str) -> Any:
    if kind in _WORDPIECE:
        return _wordpiece(lowercase=kind != "bert-cased", types=kind != "distilbert")
    return {
        "roberta": _roberta,
        "albert": _albert,
        "xlm-roberta": lambda: _xlm_roberta(splits=True),
        "xlm-roberta-metaspace": lambda: _xlm_roberta(splits=False),
        "gpt2": lambda: _gpt2(bos=True),
        "gpt2-no-bos": lambda: _gpt2(bos=False),
        "llama": lambda: _llama(adds_bos=False),
        "llama-adds-bos": lambda: _llama(adds_bos=True),
    }[kind]()


def whole_word_tokenizer(words: list[str]) -> Any:
    """BERT's tokenizer with a vocabulary of these words only, each one token."""
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {token: i for i, token in enumerate([*specials, *words])}
    return _bert(Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]")), lowercase=True, types=True)


def _wordpiece(*, lowercase: bool, types: bool) -> Any:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=140, special_tokens=specials, show_progress=False)
    tokenizer.train_from_iterator(_CORPUS, trainer)
    return _bert(tokenizer, lowercase=lowercase, types=types)


def _bert(tokenizer: Tokenizer, *, lowercase: bool, types: bool) -> Any:
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    _around(tokenizer, "[CLS]", "[SEP]")
    names = ["input_ids", "token_type_ids", "attention_mask"] if types else ["input_ids", "attention_mask"]
    return _fast(tokenizer, names, cls="[CLS]", sep="[SEP]", pad="[PAD]", unk="[UNK]", mask="[MASK]")


def _roberta() -> Any:
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = _byte_bpe(specials)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    roles = {"bos": "<s>", "eos": "</s>", "cls": "<s>", "sep": "</s>", "pad": "<pad>", "unk": "<unk>"}
    return _fast(tokenizer, ["input_ids", "attention_mask"], mask="<mask>", **roles)


def _albert() -> Any:
    specials = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    stripped = [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    tidy = normalizers.Replace(Regex(" {2,}"), " ")
    # Words are split at the Metaspace itself: a token's offsets hold the space before it.
    tokenizer = _unigram(specials, [*stripped, tidy], pre_tokenizers.Metaspace())
    _around(tokenizer, "[CLS]", "[SEP]")
    names = ["input_ids", "token_type_ids", "attention_mask"]
    return _fast(tokenizer, names, cls="[CLS]", sep="[SEP]", pad="<pad>", unk="<unk>", mask="[MASK]")


def _xlm_roberta(*, splits: bool) -> Any:
    """``splits``: at white space first, as the published one does; a Metaspace alone keeps where spaces were."""
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    split: Any = pre_tokenizers.Metaspace()
    if splits:
        split = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), split])
    tokenizer = _unigram(specials, [normalizers.NFKC()], split)
    _around(tokenizer, "<s>", "</s>")
    roles = {"bos": "<s>", "eos": "</s>", "cls": "<s>", "sep": "</s>", "pad": "<pad>", "unk": "<unk>"}
    return _fast(tokenizer, ["input_ids", "attention_mask"], mask="<mask>", **roles)


def _gpt2(*, bos: bool) -> Any:
    tokenizer = _byte_bpe(["<|endoftext|>"])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    roles = {"eos": "<|endoftext|>", "unk": "<|endoftext|>"} | ({"bos": "<|endoftext|>"} if bos else {})
    return _fast(tokenizer, ["input_ids", "attention_mask"], **roles)


def _llama(*, adds_bos: bool) -> Any:
    tokenizer = _unigram(["<unk>", "<s>", "</s>"], [normalizers.NFKC()], pre_tokenizers.Metaspace())
    if adds_bos:
        tokenizer.post_processor = processors.TemplateProcessing("<s> $A", special_tokens=[("<s>", 1)])
    return _fast(tokenizer, ["input_ids", "attention_mask"], bos="<s>", eos="</s>", unk="<unk>")


def _byte_bpe(specials: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=380, special_tokens=specials, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(_CORPUS, trainer)
    return tokenizer


def _unigram(specials: list[str], normal: list[Any], split: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(normal)
    tokenizer.pre_tokenizer = split
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=140, special_tokens=specials, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(_CORPUS, trainer)
    return tokenizer


def _around(tokenizer: Tokenizer, first: str, last: str) -> None:
    ids = [(token, tokenizer.token_to_id(token)) for token in (first, last)]
    tokenizer.post_processor = processors.TemplateProcessing(f"{first} $A {last}", special_tokens=ids)


def _fast(tokenizer: Tokenizer, names: list[str], **roles: str) -> Any:
    tokens = {f"{role}_token": token for role, token in roles.items()}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_input_names=names, model_max_length=CONTEXT, **tokens
    )
