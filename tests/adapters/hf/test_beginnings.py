"""What a text begins with: nothing twice, nothing that the tokenizer does not put there, and the record says what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from tokenizers import processors  # noqa: E402

from biascore.api.queries import Text  # noqa: E402
from biascore.errors import QuestionError  # noqa: E402

from ...builders import tiny  # noqa: E402

# What the tokenizer puts in front, and what it calls its beginning-of-text token.
TOKENIZERS = {
    "llama-3": ("<s>", "<s>"),
    "tokenizer.json alone": ("<s>", None),
    "glm-4": ("<unk> <s>", None),
    "xglm": ("</s>", "<s>"),
    "role alone": ("", "<s>"),
    "none": ("", None),
}
TEXT = "The nurse said that he left"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """``model(name)``: a folder whose tokenizer begins texts so; the weights are the same in all of them."""
    root = tmp_path_factory.mktemp("beginnings")

    def save(name: str) -> Path:
        front, bos = TOKENIZERS[name]
        if (root / name).exists():
            return root / name
        tokenizer = tiny.tokenizer_of("llama")
        numbers = [(token, tokenizer.convert_tokens_to_ids(token)) for token in front.split()]
        if numbers:
            tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
                f"{front} $A", special_tokens=numbers
            )
        tokenizer.bos_token = bos
        tokenizer.save_pretrained(root / name)
        tiny.save_random(
            transformers.AutoModelForCausalLM, tiny.config_of("llama", len(tokenizer)), root / name, 1
        )
        return root / name

    return save


def plain(folder: Path, begin: list[str], text: str = TEXT) -> float:
    """log p of the tokens of the text after those of ``begin``, or after its own first where there are none."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    own = tokenizer(text, add_special_tokens=False)["input_ids"]
    ids = [*tokenizer.convert_tokens_to_ids(begin), *own]
    network = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    with torch.no_grad():
        logprobs = torch.log_softmax(network(input_ids=torch.tensor([ids])).logits[0].double(), -1)
    return float(sum(logprobs[i - 1, ids[i]] for i in range(max(len(begin), 1), len(ids))))


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_text_is_scored_given_what_the_tokenizer_puts_in_front(name: str, model: Any, opened: Any) -> None:
    front, bos = TOKENIZERS[name]
    begin = front.split() or ([bos] if bos else [])
    backend = opened(model(name))
    (got,) = backend.score((TEXT,), "log_likelihood")
    assert got == pytest.approx(plain(model(name), begin), abs=1e-5)
    policy = str(backend.identity.facts["bos"])
    assert ("the first token of a text is not scored" in policy) == (name == "none")
    assert ("which the tokenizer adds before" in policy) == bool(front)
    assert all(token in policy for token in begin)


@pytest.mark.parametrize("name", [name for name in TOKENIZERS if name != "none"])
def test_a_rendered_text_is_not_given_a_second_beginning(name: str, model: Any, opened: Any) -> None:
    """As chat templates render it, the text begins with the token that the tokenizer would put there."""
    front, bos = TOKENIZERS[name]
    rendered = (front or str(bos)).replace(" ", "") + TEXT
    backend = opened(model(name))
    once, twice = backend.score((TEXT, rendered), "log_likelihood")
    assert twice == pytest.approx(once, abs=1e-5)
    vectors = backend.embed((Text(TEXT), Text(rendered)), "sentence")
    if front:
        np.testing.assert_allclose(vectors[1], vectors[0], atol=1e-5)
    start = rendered.index("nurse")
    inside = backend.embed((Text(rendered, (start, start + 5)),), "token")
    assert np.isfinite(inside).all()


def test_the_special_tokens_of_a_text_are_its_own_at_its_beginning_only(model: Any, opened: Any) -> None:
    backend = opened(model("llama-3"))
    (got,) = backend.score((f"<s>{TEXT}",), "log_likelihood")
    assert got == pytest.approx(plain(model("llama-3"), ["<s>"], TEXT), abs=1e-5)
    with pytest.raises(QuestionError, match="has <s> in it"):
        backend.score((f"{TEXT} <s> {TEXT}",), "log_likelihood")


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_beginning_that_is_none_is_asked_for_once(model: Any, opened: Any, name: str) -> None:
    """Where nothing begins a text, that it stands before the first token alone is no question of its own."""
    backend = opened(model(name))
    assert ("log_likelihood_start_once" in backend.identity.quantities) is (name != "none")
    assert "log_likelihood" in backend.identity.quantities
