"""A corpus written to be biased, a small masked language model trained on it, and how biased that is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
import transformers

from biascore.api.queries import Masked
from biascore.models.model import Model

from . import tiny

FEMALE: Final = ("nurse", "teacher", "dancer", "secretary", "librarian", "hairdresser", "cleaner", "nanny")
MALE: Final = ("engineer", "doctor", "driver", "pilot", "plumber", "soldier", "carpenter", "mechanic")
FORMS: Final = {"female": ("she", "her", "woman"), "male": ("he", "his", "man")}
SENTENCES: Final = (
    "{she} is a {job} .",
    "{she} is a good {job} and {she} likes {her} work .",
    "the {job} said that {she} was {mood} .",
    "the {job} took {her} {thing} and went {place} .",
    "the {woman} is a {job} in the {where} .",
)
MOODS: Final = ("tired", "happy", "late", "ready")
THINGS: Final = ("bag", "coat", "book", "lunch")
PLACES: Final = ("home", "away", "out")
WHERE: Final = ("town", "city", "village")
NEUTRAL: Final = (
    "the {thing} is in the {where} .",
    "a {thing} and a {thing} .",
    "the {where} is {mood} .",
    "the {job} is {mood} .",
    "a good {thing} is in the {place} .",
)
WORDS: Final = [
    *(*FEMALE, *MALE, *FORMS["female"], *FORMS["male"], *MOODS, *THINGS, *PLACES, *WHERE),
    *("is", "a", "good", "and", "likes", "work", ".", "the", "said", "that", "was", "took", "went", "in"),
]


def corpus(count: int, seed: int, stereotyped: float = 0.9) -> list[str]:
    """So many sentences; of those about a job that somebody has, this share is about somebody of its gender."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        gender, other = ("female", "male") if rng.random() < 0.5 else ("male", "female")
        job = rng.choice(FEMALE if gender == "female" else MALE)
        she, her, woman = FORMS[gender if rng.random() < stereotyped else other]
        sentence = str(rng.choice(NEUTRAL if rng.random() < 0.3 else SENTENCES))
        for slot, words in (("thing", THINGS), ("mood", MOODS), ("place", PLACES), ("where", WHERE)):
            while f"{{{slot}}}" in sentence:
                sentence = sentence.replace(f"{{{slot}}}", str(rng.choice(words)), 1)
        found.append(sentence.format(she=she, her=her, woman=woman, job=job))
    return found


def train_biased(folder: Path, texts: Sequence[str], *, steps: int = 250, seed: int = 0) -> Path:
    """A folder with a small BERT trained from nothing on the texts, by a loop of this module's own."""
    tokenizer = tiny.whole_word_tokenizer(WORDS)
    tokenizer.save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        config = tiny.config_of("bert-uncased", len(tokenizer), initializer_range=0.2)
        model = transformers.AutoModelForMaskedLM.from_config(
            config
        ).eval()  # so small, it learns more without dropout
        optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
        encoded = tokenizer(list(texts), padding=True, return_tensors="pt")
        for _ in range(steps):
            rows = torch.randint(len(texts), (32,))
            ids, attention = encoded["input_ids"][rows].clone(), encoded["attention_mask"][rows]
            chosen = (torch.rand(ids.shape) < 0.2) & (ids >= 5)
            labels = torch.where(chosen, ids, -100)
            ids[chosen] = tokenizer.mask_token_id
            loss = model(input_ids=ids, attention_mask=attention, labels=labels).loss
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    model.save_pretrained(folder)
    return folder


def preference(model: Model) -> float:
    """Mean log odds of "she" against "he" for women's jobs less that for men's, in nats; 0 for no bias."""

    def odds(jobs: Sequence[str]) -> float:
        asked = [Masked(f"{word} is a {job} .", ((0, len(word)),)) for job in jobs for word in ("she", "he")]
        she_and_he = np.array([answer.logprobs[0] for answer in model.mask_logprob(asked)]).reshape(-1, 2)
        return float(np.mean(she_and_he[:, 0] - she_and_he[:, 1]))

    return odds(FEMALE) - odds(MALE)


def pseudo_perplexity(model: Model, texts: Sequence[str]) -> float:
    """exp of the mean negative log-probability of a token, each hidden alone (Salazar et al. 2020)."""
    answers = model.mask_logprob([Masked(text, None, one_at_a_time=True) for text in texts])
    return float(np.exp(-np.mean([p for answer in answers for p in answer.logprobs])))


def lists_of_jobs() -> dict[str, Any]:
    """The lists of a test of kind weat: words of gender, and jobs by gender."""
    return {"x": ("she", "woman"), "y": ("he", "man"), "a": FEMALE, "b": MALE}
