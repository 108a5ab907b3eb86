"""Translation by encoder-decoders: NLLB, M2M100, mBART, Marian and T5."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
import transformers
from transformers import AutoModelForSeq2SeqLM, PreTrainedModel

from biascore.api.adapters import Backend, Cost, Identity, hookimpl
from biascore.api.queries import check_text
from biascore.api.support import quoted
from biascore.errors import AnswerError, ModelLoadError, QuestionError, UnsupportedLanguageError
from biascore_adapters.hf.languages import find_code, language_codes
from biascore_adapters.hf.linear import fast_linear
from biascore_adapters.hf.load import any_tokenizer, model_of, place, quiet
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.hf.own_code import check_code, conventions_of
from biascore_adapters.hf.quantised import Quantised
from biascore_adapters.hf.threads import on_threads, threads_fact
from biascore_adapters.languages import subtags
from biascore_adapters.transformer.batching import ACCELERATOR_TOKENS, CPU_TOKENS, batches
from biascore_adapters.transformer.folder import GENERATION, ModelFolder, first_line
from biascore_adapters.transformer.generating import ends_of
from biascore_adapters.transformer.stated import UNSTATED, longest_text
from biascore_adapters.transformer.tokens import (
    check_ids,
    check_known,
    check_length,
    errors_of_libraries,
)

TRANSLATION_ARCHITECTURES: Final = (
    *("M2M100ForConditionalGeneration", "MBartForConditionalGeneration", "MT5ForConditionalGeneration"),
    *("MarianMTModel", "NllbMoeForConditionalGeneration", "T5ForConditionalGeneration"),
    "UMT5ForConditionalGeneration",
)
_MAX_NEW_TOKENS: Final = 256
_MOST: Final = 100
"""What a model may state as a setting: without a bound, a wrong number of beams takes all memory."""
_WITH_CODES: Final = ("m2m_100", "marian", "mbart", "nllb-moe")


@dataclass(frozen=True, slots=True)
class _Direction:
    """How the model gets a pair of languages: what goes before the text, and the first token of the answer."""

    source_language: str | None = None
    prefix: str = ""
    first_token: int | None = None


class TranslationBackend(Backend):
    """Translations by beam search (or greedily, with one beam); nothing is sampled.

    What the options leave open, the model's own generation settings say. A text that is longer than the model
    takes is refused, and a translation that does not end within ``max_new_tokens`` is an error, or a warning
    with ``truncated="keep"``.
    """

    batch = 256

    def __init__(self, folder: ModelFolder, options: HfOptions) -> None:
        self._folder, self._options = folder, options
        found = check_code(folder, options)
        self._device = place(options.device)
        with quiet():
            self._tokenizer = any_tokenizer(folder)
        self._model: PreTrainedModel
        self._model, stored = model_of(folder, options, AutoModelForSeq2SeqLM, self._device)
        self._kind = str(folder.config.get("model_type"))
        self._codes = language_codes(_tokens(self._tokenizer)) if self._kind in _WITH_CODES else {}
        stated = getattr(self._model.config, "max_position_embeddings", None)
        self._positions = stated if isinstance(stated, int) else UNSTATED
        self._limit = longest_text(folder, (self._tokenizer.model_max_length, self._positions))
        self._rows = int(self._model.get_input_embeddings().get_parameter("weight").shape[0])
        self._settings = self._generation()
        beams = int(self._settings["num_beams"])
        quantised = Quantised.of(folder.config)
        default = CPU_TOKENS if self._device.type == "cpu" else ACCELERATOR_TOKENS
        default = 1 if quantised and quantised.alone else default
        self._budget = max(1, (options.batch_tokens or default) // beams)
        facts: dict[str, str | int | float] = {
            "architecture": type(self._model).__name__,
            "kind": "translation",
            "parameters": self._model.num_parameters(),
            "max_tokens": "none stated" if self._limit is None else self._limit,
            "languages": len(self._codes),
            **{name: value for name, value in self._settings.items() if isinstance(value, str | int | float)},
            **(
                {"no_ends": f"{', '.join(map(quoted, self._no_ends))}: no such token"}
                if self._no_ends
                else {}
            ),
            **found,
            **stored,
            "dtype": options.dtype,
            "device": str(self._device),
            **threads_fact(options.threads, self._device),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        }
        if any(_is_flores(code) for code in self._codes):
            facts["language_codes"] = "FLORES-200"
        if self._kind == "marian":  # its tokenizer normalises punctuation with it, or does not
            facts["sacremoses"] = "yes" if importlib.util.find_spec("sacremoses") else "no"
        self.identity = Identity(
            digest=folder.digest(GENERATION),
            revision=folder.revision,
            facts=facts,
            conventions={
                **({"quantised weights": quantised.described} if quantised else {}),
                **conventions_of(folder),
            },
        )

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        """The translations, one for one.

        Raises UnsupportedLanguageError for languages that the model does not have, QuestionError for a text
        that it cannot take, AnswerError for a translation that does not end.
        """
        direction = self._direction(source, target)
        ids = self._read(texts, direction)
        answers = [""] * len(texts)
        lengths = {row: len(own) for row, own in enumerate(ids)}
        for rows in batches(lengths, self._budget):
            found = self._in_halves([texts[row] for row in rows], [ids[row] for row in rows], direction)
            for row, answer in zip(rows, found, strict=True):
                answers[row] = answer
        return tuple(answers)

    def batch_sizes(self, hook: str, questions: Sequence[Any]) -> Iterable[int]:
        """As many as ``batch``; raises QuestionError where the tokenizer reads half of the words or more as unknown."""
        with quiet():
            check_known(self._tokenizer, questions)
        return super().batch_sizes(hook, questions)

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """Tokens of the texts, and of translations at most; how many passes decoding takes is not known before.

        Raises what ``translate`` does.
        """
        ids = self._read(questions, self._direction(params["source"], params["target"]))
        written = len(ids) * self._settings["max_new_tokens"]
        known = {"tokens": sum(map(len, ids)), "tokens_out": written, "requests": 0}
        return super().cost(hook, questions, params).model_copy(update=known)

    def close(self) -> None:
        """Let go of the model and of the accelerator's memory."""
        self.__dict__.pop("_model", None)
        if self._device.type == "cuda":
            torch.cuda.empty_cache()

    def _direction(self, source: str, target: str) -> _Direction:
        name = str(self._folder.path)
        if self._options.prefix is not None:
            return _Direction(prefix=self._options.prefix)
        if self._kind == "marian":
            return self._marian(source, target, name)
        if self._codes:
            first = self._tokenizer.convert_tokens_to_ids(self._codes[find_code(target, self._codes, name)])
            return _Direction(find_code(source, self._codes, name), first_token=int(first))
        stated = self._folder.config.get("task_specific_params")
        listed = stated if isinstance(stated, dict) else {}
        tasks = {name: one for name, one in listed.items() if isinstance(one, dict)}
        wanted = f"translation_{subtags(source)[0]}_to_{subtags(target)[0]}"  # T5 tells neither scripts nor regions
        task = tasks.get(f"translation_{source}_to_{target}", tasks.get(wanted))
        if task is None or "prefix" not in task:
            pairs = sorted(
                key.removeprefix("translation_") for key in tasks if key.startswith("translation_")
            )
            raise UnsupportedLanguageError(
                f"{name} does not say how it is asked to translate {source} to {target}; it has "
                f"{', '.join(pairs) or 'no pair'}. Give what goes before the text as the option prefix, such as "
                'prefix="translate English to German: "'
            )
        return _Direction(prefix=str(task["prefix"]))

    def _marian(self, source: str, target: str, name: str) -> _Direction:
        """Marian models have a pair, or a group of targets whose member a token before the text names."""
        own = self._options.pair or "-".join(
            str(getattr(self._tokenizer, side, None) or "") for side in ("source_lang", "target_lang")
        )
        first, _, last = own.partition("-")
        if not first or not last:
            raise UnsupportedLanguageError(
                f"{name} does not say which languages it translates. Say it with the option pair, such as pair='en-es'"
            )
        members = len(first) == 2 or not self._codes
        if (members and subtags(source)[0] != subtags(first)[0]) or (
            not self._codes and subtags(target)[0] != subtags(last)[0]
        ):
            raise UnsupportedLanguageError(
                f"{name} translates {first} to {last}, not {source} to {target}. Choose the model of that pair, or "
                "correct the option pair"
            )
        if not self._codes:
            return _Direction()
        return _Direction(prefix=f"{self._codes[find_code(target, self._codes, name)]} ")

    def _read(self, texts: Sequence[str], direction: _Direction) -> list[list[int]]:
        """Token ids of each text as the encoder takes it."""
        for text in texts:
            check_text(text)
        if not texts:
            return []
        if direction.source_language is not None:
            self._tokenizer.src_lang = direction.source_language
        with quiet(), errors_of_libraries(f"the tokenizer in {self._folder.path}"):
            encoded = self._tokenizer(
                [direction.prefix + text for text in texts], truncation=False, padding=False, verbose=False
            )
        read: list[list[int]] = encoded["input_ids"]
        for text, ids in zip(texts, read, strict=True):
            check_length(text, len(ids), self._limit)
            check_ids(text, ids, self._rows)
        return read

    def _in_halves(
        self, texts: Sequence[str], ids: Sequence[Sequence[int]], direction: _Direction
    ) -> list[str]:
        try:
            return self._generate(texts, ids, direction)
        except torch.cuda.OutOfMemoryError as error:
            if len(texts) == 1:
                raise QuestionError(
                    f"the text {quoted(texts[0])} does not fit into the memory of {self._device}. Use the option "
                    "device='cpu', fewer beams, or dtype='bfloat16'"
                ) from error
        # Outside the except clause, which would keep the tensors of the failed attempt alive.
        half = len(texts) // 2
        return self._in_halves(texts[:half], ids[:half], direction) + self._in_halves(
            texts[half:], ids[half:], direction
        )

    def _generate(
        self, texts: Sequence[str], ids: Sequence[Sequence[int]], direction: _Direction
    ) -> list[str]:
        faster = fast_linear(self._device, self._model.dtype)
        try:
            with torch.inference_mode(), quiet(), on_threads(self._options.threads), faster:
                inputs = self._tokenizer.pad({"input_ids": list(ids)}, return_tensors="pt").to(self._device)
                forced = (
                    {} if direction.first_token is None else {"forced_bos_token_id": direction.first_token}
                )
                generate: Any = self._model.generate
                sequences = generate(
                    input_ids=inputs["input_ids"],
                    attention_mask=inputs["attention_mask"],
                    **self._settings,
                    **forced,
                )
                found = self._tokenizer.batch_decode(sequences.tolist(), skip_special_tokens=True)
        except torch.cuda.OutOfMemoryError:
            raise
        except Exception as error:  # transformers raises what it likes for settings that do not fit together
            raise ModelLoadError(
                f"{self._folder.path} does not translate ({type(error).__name__}: {first_line(error)[:200]}). Compare its "
                "config.json and generation_config.json with the original"
            ) from error
        # The first token starts the decoder, and with some models it is the one that ends a text.
        for text, tokens in zip(texts, sequences[:, 1:].tolist(), strict=True):
            if self._ends.isdisjoint(tokens):
                self._warn_cut(text)
        return [str(answer) for answer in found]

    def _warn_cut(self, text: str) -> None:
        said = (
            f"{self._folder.path}: the translation of {quoted(text)} does not end within {self._settings['max_new_tokens']} "
            "tokens"
        )
        if self._options.truncated != "keep":
            raise AnswerError(
                f"{said}. Raise the option max_new_tokens; if the model repeats itself, "
                "no_repeat_ngram_size=3 may help, and truncated='keep' accepts what there is"
            )
        warnings.warn(f"{said}; what there is of it is used", stacklevel=2)

    def _generation(self) -> dict[str, Any]:
        own, options = self._model.generation_config, self._options
        for name in ("num_beams", "no_repeat_ngram_size", "length_penalty"):
            stated = getattr(own, name, None)
            if stated is not None and not (type(stated) in (int, float) and abs(stated) <= _MOST):
                raise ModelLoadError(
                    f"{self._folder.path} states {name} as {quoted(stated)}. Compare generation_config.json with the "
                    "original"
                )
        settings = {
            "num_beams": options.beams or own.num_beams or 1,
            "length_penalty": own.length_penalty
            if options.length_penalty is None
            else options.length_penalty,
            "no_repeat_ngram_size": options.no_repeat_ngram_size or own.no_repeat_ngram_size or 0,
            "max_new_tokens": options.max_new_tokens or min(_MAX_NEW_TOKENS, self._positions - 1),
            "do_sample": False,
        }
        if settings["num_beams"] == 1 or settings["length_penalty"] is None:
            del settings["length_penalty"]  # transformers warns of what greedy search has no use for
        own.max_length = None  # it would be warned of, beside max_new_tokens
        own.forced_eos_token_id = None  # it would make a translation that was cut off look whole
        own.use_cache = True
        ends, self._no_ends = ends_of(
            getattr(self._model.generation_config, "eos_token_id", None), self._rows
        )
        own.eos_token_id, self._ends = ends or None, frozenset(ends)
        return settings


def _is_flores(code: str) -> bool:
    return len(code) == 8 and code[3] == "_"


def _tokens(tokenizer: Any) -> set[str]:
    """All tokens; those of languages are next to the vocabulary with M2M100."""
    return {
        *tokenizer.get_vocab(),
        *tokenizer.all_special_tokens,
        *getattr(tokenizer, "lang_token_to_id", ()),
    }
