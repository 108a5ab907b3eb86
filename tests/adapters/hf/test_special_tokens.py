"""Characters that a causal model's tokenizer reads as a special token change a question: they are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine  # noqa: E402
from biascore.api.queries import Choice, Continuation  # noqa: E402
from biascore.errors import QuestionError  # noqa: E402

from ...builders import tiny  # noqa: E402

MARKS = ["<|im_start|>", "<|im_end|>", "[INST]"]
TEMPLATE = "{% for m in messages %}<|im_start|>{{ m.role }} {{ m.content }}<|im_end|>{% endfor %}<|im_start|>assistant "
PROMPT = "The nurse walked home and said that the engineer was"
OPTIONS = ("the nurse", "nobody")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """``model(template)``: a causal model with marks of a chat among its special tokens."""
    root = tmp_path_factory.mktemp("special")

    def opened(template: str | None = None) -> Any:
        folder: Path = root / ("chat" if template else "plain")
        if not folder.exists():
            tokenizer = tiny.tokenizer_of("llama")
            tokenizer.add_special_tokens({"additional_special_tokens": MARKS})
            tokenizer.chat_template, tokenizer.model_max_length = template, 256
            tokenizer.save_pretrained(folder)
            tiny.save_random(
                transformers.AutoModelForCausalLM,
                tiny.config_of("llama", len(tokenizer), context=256),
                folder,
                1,
            )
        return Engine(cache=None).model(f"hf:{folder}")

    return opened


@pytest.mark.parametrize("mark", [*MARKS, "</s>"])
def test_a_text_to_score_is_refused_by_the_name_of_the_token(mark: str, model: Callable[..., Any]) -> None:
    asked = model()
    for text in (
        f"The nurse {mark} walked home",
        Continuation("The nurse", f" walked {mark} home"),
        Continuation(f"The nurse {mark} and", " walked home"),
    ):
        with pytest.raises(QuestionError) as told:
            asked.score([text], "log_likelihood")
        assert f"has {mark} in it" in str(told.value)
    kept = ["The nurse < 3 [walked] home", Continuation("<b>", " walked [home]")]
    assert len(asked.score(kept, "log_likelihood")) == 2


@pytest.mark.parametrize("way", ["likelihood", "letters", "text"])
@pytest.mark.parametrize("template", [None, TEMPLATE])
def test_a_question_with_options_is_refused_in_every_way(
    way: Any, template: str | None, model: Callable[..., Any]
) -> None:
    asked = model(template)
    for question in (
        Choice(f"{PROMPT} {MARKS[1]}", OPTIONS),
        Choice(PROMPT, ("the nurse", f"nobody {MARKS[1]}")),
    ):
        with pytest.raises(QuestionError, match=r"has <\|im_end\|> in it"):
            asked.choose([question], way)
    (answer,) = asked.choose([Choice(PROMPT, OPTIONS)], way)  # the marks of the template are its own
    assert answer is not None
