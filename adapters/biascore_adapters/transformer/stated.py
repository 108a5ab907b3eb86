"""What the files of a model state of it, for runtimes that open a graph next to them; read without torch."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from biascore.api.support import quoted
from biascore.errors import ModelLoadError
from biascore_adapters.transformer.exported import Exported, Kind
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.tokens import Reader, errors_of_libraries

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

UNSTATED: Final = 10**9  # tokenizers that state no limit carry 1e30
# Checkpoints of a pre-training class hold the masked head next to another; the masked class reads them.
PRETRAINING_WITH_MASKED_HEAD: Final = ("BertForPreTraining", "AlbertForPreTraining")

# Families that count positions from the padding id + 1, so that their table is longer than their texts.
_POSITIONS_AFTER_PADDING: Final = frozenset(
    {
        "camembert",
        "data2vec-text",
        "esm",
        "ibert",
        "longformer",
        "luke",
        "mpnet",
        "roberta",
        "roberta-prelayernorm",
        "xlm-roberta",
        "xlm-roberta-xl",
        "xmod",
    }
)


@contextmanager
def quiet() -> Iterator[None]:
    """Without transformers' advice, such as that torch is not installed, which is not needed here."""

    def no_advice(record: logging.LogRecord) -> bool:
        return record.levelno >= logging.ERROR

    logger = logging.getLogger("transformers")
    logger.addFilter(no_advice)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.removeFilter(no_advice)


@quiet()
def stated(folder: ModelFolder, tokenizer: PreTrainedTokenizerFast) -> Exported:
    """What ``config.json`` and tokenizer state of a model; raises ModelLoadError without a size of the vocabulary."""
    config = folder.config
    rows = config.get("vocab_size")
    if not isinstance(rows, int) or rows < 1:
        raise ModelLoadError(
            f"{folder.path / 'config.json'} states no vocab_size. Copy the configuration of the model that was exported"
        )
    kind, decoder = _kind(folder.architecture), is_decoder(config)
    if kind == "encoder" and decoder:
        kind = "decoder"
    reader = Reader(tokenizer, _limit(folder, tokenizer), rows)
    return Exported(
        kind=kind,
        causal=decoder or kind == "causal",
        max_tokens=reader.limit,
        rows=rows,
        tokens=len(tokenizer),
        pad=_pad(config, kind, reader),
    )


@quiet()
def tokenizer_of(folder: ModelFolder) -> PreTrainedTokenizerFast:
    """The folder's fast tokenizer; raises ModelLoadError where it cannot be read or is a slow one."""
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    with errors_of_libraries(f"the tokenizer in {folder.path}"):
        tokenizer = AutoTokenizer.from_pretrained(folder.path, trust_remote_code=False, local_files_only=True)
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise ModelLoadError(
            f"{folder.path} has only the slow tokenizer {type(tokenizer).__name__}, which cannot say which "
            "characters a token covers. Save a fast one (tokenizer.json) next to the graph"
        )
    longest_text(
        folder, [tokenizer.model_max_length]
    )  # which is read with every text, whatever an export stated
    return tokenizer


@quiet()
def is_decoder(config: Mapping[str, Any]) -> bool:
    """Whether the family that the configuration names is one of decoders."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    family = config.get("model_type")
    return family in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and (
        family not in MODEL_FOR_MASKED_LM_MAPPING_NAMES or bool(config.get("is_decoder"))
    )


def _pad(config: Mapping[str, Any], kind: Kind, reader: Reader) -> int | None:
    """The padding: for a head the one that the configuration states, since decoders find the last token by it."""
    if kind == "head":
        stated = config.get("pad_token_id")
        return stated if isinstance(stated, int) and 0 <= stated < reader.rows else None
    return reader.pad


def _kind(architecture: str) -> Kind:
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
    )

    if architecture in {*MODEL_FOR_MASKED_LM_MAPPING_NAMES.values(), *PRETRAINING_WITH_MASKED_HEAD}:
        return "masked"
    if architecture in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values():
        return "causal"
    if architecture in MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES.values():
        return "head"
    return "encoder"


def longest_text(folder: ModelFolder, stated: Iterable[object]) -> int | None:
    """The least of the stated numbers of tokens that a text may have, None where none is stated.

    Raises ModelLoadError for one that is no number.
    """
    numbers: list[float] = []
    for one in stated:
        if isinstance(one, bool) or not isinstance(one, int | float | None):
            raise ModelLoadError(
                f"{folder.path} states {quoted(one)} as the longest text that it takes, which is no number of tokens. "
                "Correct model_max_length in tokenizer_config.json, or max_position_embeddings in config.json"
            )
        if one is not None and 1 <= one < UNSTATED:
            numbers.append(one)
    return int(min(numbers)) if numbers else None


def _limit(folder: ModelFolder, tokenizer: PreTrainedTokenizerFast) -> int | None:
    """The longest text in tokens: the least of what tokenizer and configuration state."""
    config = folder.config
    table = config.get("max_position_embeddings", config.get("n_positions"))
    if isinstance(table, int) and config.get("model_type") in _POSITIONS_AFTER_PADDING:
        pad = config.get("pad_token_id", 1)
        table -= (pad if isinstance(pad, int) else 1) + 1
    return longest_text(folder, (tokenizer.model_max_length, table))
