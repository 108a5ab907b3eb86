"""The plain loop that every family is compared with: transformers alone, one text at a time, no padding.

    python -m tests.adapters.hf.compare [FAMILY ...]

prints the deviation of each answer from that loop; docs/adapters/hf.md gives the largest. The weights are random:
whether there is a deviation is the finding, not its size.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
import transformers

from biascore.api.adapters import ModelRef
from biascore.api.queries import Masked, Text
from biascore.errors import ModelLoadError
from biascore_adapters.hf.adapter import HfAdapter
from biascore_adapters.hf.options import HfOptions

from .families import FAMILIES, Family, save

# Of mixed lengths, so that one batch is full of padding.
TEXTS: Final = (
    "The engineer finished her work before he left the office.",
    "La dottoressa è andata in città con l'ingegnere più anziano.",
    "nurse",
    "Queen and king",
    "A NURSE\tand a programmer",
    "He said that he knew",
    "the lazy dog",
)
WORDS: Final = (
    ("The engineer finished her work", "engineer"),
    ("La dottoressa è andata in città", "città"),
    ("nurse", "nurse"),
    ("Queen and king walked home together", "king"),
    ("A nurse, a programmer and a carpenter walked home", "carpenter"),
)
SAME: Final = 2e-5
"""Deviations up to here are rounding of float32 for states and log-probabilities of order one to ten."""


class Plain:
    """A family's folder in transformers alone: one text at a time, no padding, no biascore."""

    def __init__(self, folder: Path, family: Family) -> None:
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = getattr(transformers, family.auto).from_pretrained(folder, dtype=torch.float32).eval()
        self.trunk = self.model.get_submodule(family.trunk or self.model.base_model_prefix)

    def states(self, text: str) -> tuple[Any, list[tuple[int, int]]]:
        """The last hidden states of a text and the characters that each covers."""
        inputs = self.tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
        offsets = inputs.pop("offset_mapping")[0].tolist()
        with torch.no_grad():
            return self.trunk(**inputs).last_hidden_state[0].numpy(), offsets

    def word(self, text: str, word: str) -> Any:
        """The mean over the tokens that share a character with the word; bare word boundaries are none."""
        states, offsets = self.states(text)
        start = text.index(word)
        ids = self.tokenizer(text)["input_ids"]
        boundary = self.tokenizer.convert_tokens_to_ids("▁")
        rows = [
            states[i]
            for i, (begin, end) in enumerate(offsets)
            if max(begin, start) < min(end, start + len(word)) and ids[i] != boundary
        ]
        return sum(rows) / len(rows)

    def masked(self, text: str) -> list[float]:
        """log p of each token of the text, hidden alone."""
        inputs = self.tokenizer(text, return_tensors="pt", return_special_tokens_mask=True)
        own = [i for i, special in enumerate(inputs.pop("special_tokens_mask")[0].tolist()) if not special]
        found = []
        for i in own:
            hidden = {name: values.clone() for name, values in inputs.items()}
            hidden["input_ids"][0, i] = self.tokenizer.mask_token_id
            with torch.no_grad():
                logits = self.model(**hidden).logits[0, i].double()
            found.append(float(torch.log_softmax(logits, -1)[inputs["input_ids"][0, i]]))
        return found

    def log_likelihood(self, text: str) -> float:
        """log p of the tokens of the text, the first given the beginning-of-text token if there is one."""
        ids = self.tokenizer(text)["input_ids"]
        begin = self.tokenizer.bos_token_id
        if begin is not None and ids[0] != begin:
            ids = [begin, *ids]
        with torch.no_grad():
            logprobs = torch.log_softmax(self.model(input_ids=torch.tensor([ids])).logits[0].double(), -1)
        return float(sum(logprobs[i - 1, ids[i]] for i in range(1, len(ids))))


def deviations(name: str, folder: Path) -> dict[str, float | str]:
    """The largest deviation of each answer from the plain loop, or why there is no answer."""
    try:
        backend: Any = HfAdapter().load(ModelRef.parse(f"hf:{folder}"), HfOptions(device="cpu"), None)  # type: ignore[arg-type]
    except ModelLoadError as error:
        return {"opens": str(error)}
    plain = Plain(folder, FAMILIES[name])
    facts = backend.identity.facts
    place = {"cls": 0, "last": -1}[str(facts["sentence"])]
    found: dict[str, float | str] = {
        "padding": facts.get("padding", "-"),
        "context": facts.get("context", "-"),
    }
    words = tuple(Text(text, (text.index(word), text.index(word) + len(word))) for text, word in WORDS)
    found["token"] = _largest(backend.embed(words, "token"), [plain.word(text, word) for text, word in WORDS])
    found["sentence"] = _largest(
        backend.embed(tuple(map(Text, TEXTS)), "sentence"), [plain.states(text)[0][place] for text in TEXTS]
    )
    if hasattr(backend, "mask_logprob"):
        asked = tuple(Masked(text, None, one_at_a_time=True) for text in TEXTS)
        answers = [list(answer.logprobs) for answer in backend.mask_logprob(asked)]
        found["mask_logprob"] = max(
            _largest(mine, theirs) for mine, theirs in zip(answers, map(plain.masked, TEXTS), strict=True)
        )
    if "log_likelihood" in backend.identity.quantities:
        found["log_likelihood"] = _largest(
            backend.score(TEXTS, "log_likelihood"), [plain.log_likelihood(text) for text in TEXTS]
        )
    backend.close()
    return found


def _largest(mine: Any, theirs: Any) -> float:
    return float(np.abs(np.asarray(mine, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)).max())


def main(names: Sequence[str]) -> None:
    """Print the table of the families named, or of all."""
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    columns = ("token", "sentence", "mask_logprob", "log_likelihood")
    print("| family | a token sees | share a batch | " + " | ".join(f"`{name}`" for name in columns) + " |")
    print("|---" * (3 + len(columns)) + "|")
    for name in names or FAMILIES:
        with tempfile.TemporaryDirectory() as folder:
            found = deviations(name, save(name, Path(folder)))
        cells = [_cell(found.get(column)) for column in columns]
        sees = "both sides" if "whole" in str(found["context"]) else "the left"
        moves = "equal lengths" if "equal" in str(found["padding"]) else "all"
        print(f"| {name} | {sees} | {moves} | {' | '.join(cells)} |", flush=True)


def _cell(deviation: float | str | None) -> str:
    return "–" if deviation is None else f"{deviation:.0e}" if isinstance(deviation, float) else deviation


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1:])
