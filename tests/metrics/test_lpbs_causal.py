"""LPBS on causal models: against plain transformers on a tiny GPT-2, and templates that a test brings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biascore import Engine
from biascore.errors import OptionsError, StimuliError
from biascore.stimuli import Catalogue

from ..builders.kinds import KINDS
from ..builders.word_lists import weat_file, write_weat
from .test_lpbs import IS, WORDS, lists, measure

SAW = "the ATTRIBUTE saw her TARGET"


@pytest.fixture(scope="module")
def gpt2(saved_model: Callable[[str], Path]) -> str:
    return f"hf:{saved_model('gpt2')}"


@pytest.fixture(scope="module")
def log_likelihood(saved_model: Callable[[str], Path]) -> Callable[[str], float]:
    """The sum of the log-probabilities of a text's tokens in plain transformers, after the token of beginning."""
    import torch
    import transformers

    folder = saved_model("gpt2")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def total(text: str) -> float:
        ids = [tokenizer.bos_token_id, *tokenizer(text, add_special_tokens=False)["input_ids"]]
        with torch.no_grad():
            table = torch.log_softmax(model(torch.tensor([ids])).logits[0].double(), dim=-1)
        return sum(float(table[place, token]) for place, token in enumerate(ids[1:]))

    return total


def d_of(log_likelihood: Callable[[str], float], *templates: str) -> float:
    """The effect size by its formula: the mean over A minus that over B, for X and for Y."""

    def s(target: str) -> float:
        a, b = (
            np.mean(
                [
                    log_likelihood(template.replace("TARGET", target).replace("ATTRIBUTE", attribute))
                    for template in templates
                    for attribute in WORDS[side]
                ]
            )
            for side in "AB"
        )
        return float(a - b)

    x, y = ([s(word) for word in WORDS[side]] for side in "XY")
    return float((np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1))


@pytest.mark.parametrize("templates", [[IS], [SAW], [IS, SAW]])
def test_equals_plain_transformers(
    gpt2: str, log_likelihood: Callable[[str], float], templates: list[str]
) -> None:
    got = measure(gpt2, templates=templates)
    assert got.headline.value == pytest.approx(d_of(log_likelihood, *templates), abs=1e-4)
    assert "ln p(sentence with x and a)" in got.conventions["association"]
    alone = [one.name for one in got.estimates if "with '" in one.name]
    assert alone == (
        [f"effect size d with {template!r}" for template in templates] if len(templates) > 1 else []
    )


def test_each_model_is_asked_as_what_it_is(gpt2: str, saved_model: Callable[[str], Path]) -> None:
    assert "hidden attribute" in measure(f"hf:{saved_model('bert-uncased')}").conventions
    assert "hidden attribute" not in measure(gpt2).conventions


def test_sub_tokens_are_an_option_of_masked_models_alone(gpt2: str) -> None:
    for options in ({}, {"model_kind": "causal"}):
        with pytest.raises(OptionsError, match="Leave subtokens out"):
            measure(gpt2, subtokens="mean", **options)


def test_a_planted_effect_is_found() -> None:
    values = {
        declared: measure(
            Engine(cache=None).model(f"planted:en/weat7={declared}"), "en/weat7", model_kind="causal"
        ).headline.value
        for declared in (-1.5, 1.5)
    }
    assert values[-1.5] < -0.5 < 0.5 < values[1.5]


def test_the_templates_of_a_test_are_used_and_an_option_replaces_them(gpt2: str) -> None:
    own = replace(lists(), asked_in=(SAW,))
    assert measure(gpt2, own).headline.value == measure(gpt2, templates=[SAW]).headline.value
    assert measure(gpt2, own).conventions["templates"] == SAW
    assert measure(gpt2, own, templates=[IS]).conventions["templates"] == IS
    assert measure(gpt2).conventions["templates"] == "TARGET ATTRIBUTE"


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("TARGET is here", "has ATTRIBUTE 0 times"),
        ("TARGET and TARGET are ATTRIBUTE", "has TARGET 2 times"),
    ],
)
def test_a_template_without_a_place_for_a_word_is_an_error(tmp_path: Path, sentence: str, told: str) -> None:
    text = (
        weat_file()
        + f'templates = "said"\n[templates.said]\nslots = ["TARGET"]\nsentences = ["{sentence}"]\n'
    )
    write_weat(tmp_path, text)
    with pytest.raises(StimuliError, match=f"own.toml.*'{sentence}' {told}"):
        Catalogue.from_folders([(tmp_path, "mine")], kinds=KINDS)


@pytest.mark.parametrize(
    ("line", "told"), [('templates = "nowhere"', "nowhere"), ("min_used = 1.5", "less than or equal to 1")]
)
def test_what_a_test_states_of_itself_is_checked(tmp_path: Path, line: str, told: str) -> None:
    write_weat(tmp_path, weat_file() + line + "\n")
    with pytest.raises(StimuliError, match=told):
        Catalogue.from_folders([(tmp_path, "mine")], kinds=KINDS)
