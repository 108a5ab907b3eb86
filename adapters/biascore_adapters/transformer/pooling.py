"""Which token states make a vector: every vector is the mean of the last hidden states of some tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from biascore.errors import ModelLoadError, QuestionError
from biascore.plugins_api import Text
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.tokens import Tokens, shown, without_space

Pooling = Literal["cls", "last", "mean"]
"""Which token states a sentence vector is the mean of: the first, the last, or all of them."""

_DECLARED: Final[dict[str, Pooling]] = {"cls": "cls", "mean": "mean", "lasttoken": "last"}
_LEGACY: Final = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_lasttoken": "lasttoken",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
}
_MEANING: Final[dict[Pooling, str]] = {
    "cls": "last hidden state of the first token ([CLS])",
    "last": "last hidden state of the last token",
    "mean": "mean of the last hidden states of all tokens, special ones included",
}


@dataclass(frozen=True, slots=True)
class SentenceVector:
    """The rule for ``level="sentence"`` and, in words, what it is and who chose it."""

    pooling: Pooling
    described: str

    @classmethod
    def choose(cls, folder: ModelFolder, *, causal: bool, asked: Pooling | None) -> SentenceVector:
        """What the user asks for, else what the folder declares, else the custom of the architecture.

        The custom is the last token for a decoder and [CLS] for an encoder. Raises ModelLoadError where the
        rule that is declared or asked for cannot be followed.
        """
        if asked == "cls" and causal:
            raise ModelLoadError(
                f"{folder.path} is a decoder, whose first token sees none of the others, so that "
                "sentence='cls' says nothing of the sentence. Use sentence='last' or 'mean'"
            )
        if asked:
            return cls(asked, f"{_MEANING[asked]}, as asked")
        if declared := _declared(folder):
            later = _modules_after_pooling(folder)
            before = f"; before its {', '.join(later)} module" if later else ""
            return cls(
                declared, f"{_MEANING[declared]}, as the sentence-transformers folder declares{before}"
            )
        custom: Pooling = "last" if causal else "cls"
        return cls(custom, f"{_MEANING[custom]}, by architecture")


def sentence_positions(text: Text, tokens: Tokens, pooling: Pooling) -> range | list[int]:
    """The tokens whose states make the sentence vector; empty where the text is out of vocabulary.

    That is where every token of the text, special ones aside, is the tokenizer's unknown token.
    Raises QuestionError where the tokenizer leaves nothing of the text.
    """
    content = tokens.content()
    if not content:
        raise QuestionError(
            f"the tokenizer leaves nothing of the text {shown(text.text)}. Leave the text out"
        )
    if tokens.unknown_at(content):
        return []
    everything = range(len(tokens.ids))
    return {"cls": everything[:1], "last": everything[-1:], "mean": everything}[pooling]


def word_positions(text: Text, tokens: Tokens) -> list[int]:
    """The sub-tokens that cover ``text.span``; empty where all of them are the tokenizer's unknown token.

    Raises QuestionError without a span, and where the tokenizer leaves nothing of the characters under it.
    """
    if text.span is None:
        raise QuestionError(
            f"no span is given for the word meant in {shown(text.text)}. At level 'token' write Text(text, "
            "(start, end)), or Text.word(word) for a word alone; or ask for level 'sentence'"
        )
    start, end = without_space(text.text, text.span)
    covering = tokens.content((start, end)) if start < end else []
    if not covering:
        raise QuestionError(
            f"no sub-token covers {text.text[slice(*text.span)]!r} at {text.span} of {shown(text.text)}: the "
            "tokenizer drops those characters. Put the span on a word"
        )
    return [] if tokens.unknown_at(covering) else covering


def _declared(folder: ModelFolder) -> Pooling | None:
    """The pooling of a sentence-transformers folder, which stores it as flags (to version 5) or by name."""
    configs = sorted(folder.path.glob("*_Pooling/config.json"))
    if not configs:
        return None
    name = configs[0].relative_to(folder.path).as_posix()
    config = folder.read_json(name)
    if not isinstance(config, dict):
        raise ModelLoadError(f"{folder.path / name} holds no JSON object. Fetch or save the model again")
    flagged = [mode for flag, mode in _LEGACY.items() if config.get(flag)]
    modes = config.get("pooling_mode") or flagged or "mean"
    match modes:
        case str(mode) | [str(mode)] if mode in _DECLARED:
            return _DECLARED[mode]
    raise ModelLoadError(
        f"{folder.path} declares the pooling {modes} in {name}, which this adapter does not compute. "
        f"Choose one with the option sentence='cls', 'last' or 'mean'"
    )


def _modules_after_pooling(folder: ModelFolder) -> list[str]:
    if not (folder.path / "modules.json").is_file():
        return []
    modules = folder.read_json("modules.json")
    kinds = [str(module.get("type")).rpartition(".")[2] for module in modules if isinstance(module, dict)]
    return kinds[kinds.index("Pooling") + 1 :] if "Pooling" in kinds else []
