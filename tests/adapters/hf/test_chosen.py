"""Questions with options that cannot be asked, and what an answer does not depend on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from tokenizers import normalizers, processors  # noqa: E402

from biascore import Engine, compare  # noqa: E402
from biascore.api.queries import Choice, Continuation, by_text  # noqa: E402
from biascore.errors import QuestionError  # noqa: E402
from biascore_adapters.transformer.batching import by_texts  # noqa: E402
from biascore_adapters.transformer.chooser import Chooser  # noqa: E402

from ...builders import tiny  # noqa: E402
from .test_continuations import CHAT, THINKS  # noqa: E402

PROMPT = "The nurse walked home and said that the engineer was"
QUESTION = Choice(PROMPT, ("the nurse", "nobody"), instruction="Answer:\n")
DROPPED = "\u200b"
"""A character that the tokenizer of ``dropping`` drops."""


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    """``saved(kind, change)``: a causal model, with its tokenizer changed."""

    def save(kind: str, change: Callable[[Any], None] = lambda _: None) -> Path:
        made = tiny.save_model(kind, tmp_path / kind, 1, context=256)
        tokenizer = transformers.AutoTokenizer.from_pretrained(made)
        change(tokenizer)
        tokenizer.save_pretrained(made)
        return made

    return save


@pytest.fixture
def opened(engine: Engine) -> Callable[..., Any]:
    """``opened(folder, **options)``: the model, without a cache."""
    return lambda folder, **options: engine.model(f"hf:{folder}", **options)


def chat(template: str) -> Callable[[Any], None]:
    return lambda tokenizer: setattr(tokenizer, "chat_template", template)


def dropping(tokenizer: Any) -> None:
    own = tokenizer.backend_tokenizer
    own.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(DROPPED, "")])


@pytest.mark.parametrize("way", ["likelihood", "letters"])
def test_a_template_that_opens_thoughts_is_asked_by_text_only(
    way: Any, saved: Callable[..., Path], opened: Callable[..., Any]
) -> None:
    for mark in ("<think>", "[THINK]", "<seed:think>", "<|START_THINKING|>"):
        model = opened(saved("llama", chat(THINKS.replace("<think>{% endif", f"{mark}\n{{% endif"))))
        told = rf"opens a {re.escape(mark)} block.*Set thinking=false.*chat_template=off"
        with pytest.raises(QuestionError, match=told):
            model.choose([QUESTION], way)


def test_marks_of_thoughts_that_are_special_tokens_are_kept(
    saved: Callable[..., Path], opened: Callable[..., Any]
) -> None:
    marks = ["[THINK]", "[/THINK]", "<|channel|>", "<|message|>", "<unused94>", "<turn_no_9>"]

    def add(tokenizer: Any) -> None:
        tokenizer.add_special_tokens({"additional_special_tokens": marks})

    folder = saved("llama", add)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForCausalLM.from_pretrained(folder)
    network.resize_token_embeddings(len(tokenizer))
    network.save_pretrained(folder)
    generate = opened(folder)._backend._chooser._generate
    ids = tokenizer("[THINK]The nurse[/THINK]<turn_no_9>B", add_special_tokens=False)["input_ids"]
    said = generate._answer("Who?", ids).text
    assert by_text(QUESTION, said, (0, 1)).chosen == 1
    assert [mark for mark in marks if mark in said] == ["[THINK]", "[/THINK]"]
    assert generate._answer("Who?[THINK]", ids[1:]).text.startswith("[THINK]The")


@pytest.mark.parametrize("way", ["likelihood", "letters", "text"])
@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{{ raise_exception('roles must alternate') }}", "TemplateError: roles must alternate"),
        ("{% for message in messages %}", "TemplateSyntaxError: .*Set chat_template=off"),
        ("{{ messages[7].content }}", "UndefinedError: .*Set chat_template=off"),
    ],
)
def test_a_template_that_fails(
    way: Any, template: str, says: str, saved: Callable[..., Path], opened: Callable[..., Any]
) -> None:
    model = opened(saved("llama", chat(template)))
    with pytest.raises(QuestionError, match=f"chat template of .* fails on the prompt .*{says}"):
        model.choose([QUESTION], way)


@pytest.mark.parametrize("way", ["likelihood", "letters", "text"])
def test_a_prompt_that_is_too_long(way: Any, saved: Callable[..., Path], opened: Callable[..., Any]) -> None:
    model = opened(saved("gpt2"))
    with pytest.raises(
        QuestionError, match=r"tokens long, special ones included, and the model takes 256\. Sho"
    ):
        model.choose([Choice(PROMPT * 20, ("a", "b"), instruction="\n")], way)


def test_a_prompt_that_leaves_no_room_for_an_answer(
    saved: Callable[..., Path], opened: Callable[..., Any]
) -> None:
    """Its own length is stated, and not the sum with that of an answer."""
    model = opened(saved("gpt2"), max_answer_tokens=250)
    says = (
        r"is (\d+) tokens long, .* takes 256, which leaves no room for an answer of 250\. .*max_answer_tokens"
    )
    with pytest.raises(QuestionError, match=says) as raised:
        model.choose([Choice(PROMPT, ("a", "b"))], "text")
    assert 6 < int(re.search(says, str(raised.value)).group(1)) < 100  # type: ignore[union-attr]


def test_options_of_no_token_and_of_the_same_tokens(
    saved: Callable[..., Path], opened: Callable[..., Any]
) -> None:
    model = opened(saved("llama-adds-bos", dropping))
    (answer,) = model.choose([Choice(PROMPT, ("late", "tired"))], "likelihood")
    assert answer.outcome == "chosen"
    with pytest.raises(
        QuestionError, match=r"two options of 'The nurse.*as the same tokens.*Use options that"
    ):
        model.choose([Choice(PROMPT, ("late", f"la{DROPPED}te"))], "likelihood")
    with pytest.raises(QuestionError, match=r"adds no token that can be scored: the tokenizer drops it"):
        model.score([Continuation(PROMPT, DROPPED)], "log_likelihood")
    put = opened(saved("llama-adds-bos", lambda one: (dropping(one), chat(CHAT)(one))))
    with pytest.raises(QuestionError, match=r"adds no token that can be scored"):
        put.choose([Choice(PROMPT, ("late", DROPPED))], "likelihood")


@pytest.mark.parametrize("template", ["", CHAT, "{{ bos_token }}" + CHAT])
def test_a_text_begins_once(template: str, saved: Callable[..., Path], opened: Callable[..., Any]) -> None:
    model = opened(saved("llama-adds-bos", chat(template) if template else lambda _: None))
    tokenizer = transformers.AutoTokenizer.from_pretrained(saved("llama-adds-bos"))
    (read,) = model._backend._texts.read([Continuation(PROMPT, " late")], "log_likelihood")
    begins = 0 if template == CHAT else 1  # a template that writes none gets none
    assert list(read.input.ids).count(tokenizer.bos_token_id) == begins


def test_what_is_said_depends_on_no_settings_of_the_folder_but_its_ends(
    saved: Callable[..., Path], opened: Callable[..., Any]
) -> None:
    folder, question = saved("gpt2"), Choice("The nurse", ("nurse", "engineer"))

    def said(**settings: Any) -> tuple[str, str]:
        stated = {"bos_token_id": 0, "eos_token_id": 0, **settings}
        (folder / "generation_config.json").write_text(json.dumps(stated))
        model = opened(folder, max_answer_tokens=8)
        return model.choose([question], "text")[0].said, model.identity.facts["answer_ends"]

    plain, ends = said()
    assert ends == "at '<|endoftext|>'"
    for settings in (
        {"repetition_penalty": 5.0, "no_repeat_ngram_size": 1},
        {"do_sample": True, "temperature": 9.0, "top_k": 5},
        {"num_beams": 3, "suppress_tokens": [300], "min_new_tokens": 4},
    ):
        torch.manual_seed(len(settings))
        assert said(**settings) == (plain, ends)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ids = tokenizer("The nurse\nA. nurse\nB. engineer\nAnswer with one letter.\nAnswer:")["input_ids"]
    for _ in range(3):
        with torch.no_grad():
            ids.append(int(network(torch.tensor([ids])).logits[0, -1].argmax()))
    other, ends = said(eos_token_id=[0, ids[-1]])
    assert other == tokenizer.decode(ids[-3:])
    assert other != plain
    assert ends == f"at '<|endoftext|>', {tokenizer.convert_ids_to_tokens(ids[-1])!r}"


def test_the_order_of_options_is_that_of_the_question(
    saved: Callable[..., Path], opened: Callable[..., Any]
) -> None:
    model, options = (
        opened(saved("llama", chat(CHAT)), device="cpu", max_answer_tokens=4),
        ("the nurse", "an engineer", "nobody"),
    )
    orders = [(0, 1, 2), (2, 1, 0)]
    asked = [Choice(PROMPT, options, order=order, instruction="Say:\n") for order in orders]
    listed = [Choice(PROMPT, tuple(options[i] for i in order), instruction="Say:\n") for order in orders]
    for way in ("text", "letters"):
        for order, one, other in zip(
            orders, model.choose(asked, way), model.choose(listed, way), strict=True
        ):
            assert one.said == other.said
            assert repr([one.logprobs[i] for i in order]) == repr(list(other.logprobs))
    # By likelihood no list is shown, so that the order is none of the question.
    first, second = model.choose(asked, "likelihood")
    assert repr(first) == repr(second)  # for NaN is not equal to itself


def test_a_tokenizer_that_ends_texts_does_not_end_a_prompt(
    saved: Callable[..., Path], opened: Callable[..., Any]
) -> None:
    folder, question = saved("llama-adds-bos"), Choice("The nurse", ("nurse", "engineer"))
    (before,) = opened(folder, max_answer_tokens=6).choose([question], "text")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        "<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    tokenizer.save_pretrained(folder)
    model = opened(folder, max_answer_tokens=6)
    assert model._backend._reader.tokenizer("The")["input_ids"][-1] == 2
    assert model.choose([question], "text")[0].said == before.said


@pytest.mark.slow
def test_models_that_are_asked_in_different_ways_are_not_compared(
    saved: Callable[..., Path], opened: Callable[..., Any], engine: Engine
) -> None:
    run = engine.measure("weat", engine.model("planted:gender=1"), ["en/weat6"], resamples=200, draws=500)
    folder = saved("llama", chat(CHAT))

    def measured(way: Any, **options: Any) -> Any:
        """The run as if its measurement had asked the model in this way."""
        model = opened(folder, **options)
        model.choose([QUESTION], way)
        said = {**run[0].conventions, **model.prompting}
        return run.model_copy(update={"measurements": (run[0].model_copy(update={"conventions": said}),)})

    first = measured("likelihood")
    assert compare(first, measured("likelihood")).whole
    for convention, other in (
        ("prompt put", measured("likelihood", chat_template="off")),
        ("prompt put", measured("likelihood", system_prompt="Be brief.")),
        ("prompt put", measured("likelihood", thinking=False)),
        ("options chosen by", measured("text", max_answer_tokens=2)),
    ):
        (refused,) = compare(first, other).not_comparable
        assert [reason.split(":")[0] for reason in refused.reasons] == [f"convention {convention!r}"]


@pytest.mark.parametrize("way", ["likelihood", "letters", "text"])
def test_what_was_chosen_before_an_interruption_is_kept(
    way: Any, saved: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call takes so many options as it would take texts to score: here two questions of three."""
    folder = saved("llama")
    questions = [Choice(f"{PROMPT} {number}", ("a nurse", "nobody", "the engineer")) for number in range(5)]
    monkeypatch.setattr("biascore_adapters.hf.kinds.texts_at_once", lambda _, *, cpu: 8 if cpu else 0)
    whole = Engine(cache=None).model(f"hf:{folder}", device="cpu").choose(questions, way)

    calls: list[int] = []
    choose = Chooser.choose

    def stops(self: Chooser, asked: Sequence[Choice], way: Any) -> Any:
        calls.append(len(asked))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return choose(self, asked, way)

    monkeypatch.setattr(Chooser, "choose", stops)
    model = Engine(cache=tmp_path / "cache").model(f"hf:{folder}", device="cpu")
    with pytest.raises(KeyboardInterrupt):
        model.choose(questions, way)
    again = Engine(cache=tmp_path / "cache").model(f"hf:{folder}", device="cpu")
    assert repr(again.choose(questions, way)) == repr(whole)  # some numbers are NaN
    assert calls == [2, 2, 2, 1]
    assert (again.counts.cached, again.counts.asked) == (2, 3)


def test_a_question_of_more_options_than_a_call_has_texts_is_a_call_of_its_own() -> None:
    assert by_texts([3, 9, 2, 2, 4, 1], 8) == [1, 1, 3, 1]
    assert by_texts([], 8) == []
