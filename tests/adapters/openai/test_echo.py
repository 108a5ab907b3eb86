"""Scores of texts by what a server echoes: equal to the sums of its model, or refused before anything is measured."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from biascore.api.queries import Choice, Continuation
from biascore.errors import AnswerError, CapabilityError, OptionsError, QuestionError
from biascore.models.model import Model

from .completions import TOKENS, logprob
from .server import MODEL, ChatServer

Opener = Callable[..., Model]
PROMPT = "The nurse met the engineer."


def summed(before: list[str], text: str) -> float:
    """The sum over the tokens of a text, in plain words."""
    total = 0.0
    for token in TOKENS.findall(text):
        total += logprob(before, token)
        before = [*before, token]
    return total


def test_texts_and_continuations_are_the_sums_of_the_servers_model(server: ChatServer, model: Opener) -> None:
    asked = model(prompt_logprobs="echo-text")
    assert asked.capabilities == {"choose", "generate", "score", "translate"}
    assert asked.identity.ways == ("likelihood", "letters", "text")
    texts = ["He was late.", Continuation(PROMPT, " He was late."), Continuation(PROMPT, " She was."), "She"]
    start = ["<s>", *TOKENS.findall(PROMPT)]
    expected = [summed(["<s>"], "He was late."), summed(start, " He was late."), summed(start, " She was.")]
    found = asked.score(texts, "log_likelihood")
    assert found == pytest.approx([*expected, summed(["<s>"], "She")], abs=1e-12)
    before = len(server.requests)
    assert list(asked.score(texts, "token_count")) == [4, 4, 3, 1]
    assert asked.score(texts, "mean_log_likelihood")[0] == pytest.approx(expected[0] / 4)
    assert len(server.requests) == before, "what was echoed is known"
    echoed = [
        one["prompt"] for one in server.requests if one.get("echo") and one["prompt"].startswith("The nurse")
    ]
    assert len(echoed) == len(set(echoed)) == 3, "a prompt is asked once for both of its texts"


def test_options_are_chosen_by_likelihood(server: ChatServer, model: Opener) -> None:
    options = ("the nurse", "the engineer", "nobody")
    (found,) = model(prompt_logprobs="echo-text").choose([Choice(PROMPT, options)], "likelihood")
    start = ["<s>", *TOKENS.findall(PROMPT)]
    sums = [summed(start, f" {option}") for option in options]
    assert found.way == "likelihood"
    # The first token, " the", is shared by two options only, so it counts for all.
    assert found.logprobs == pytest.approx(sums, abs=1e-12)
    assert found.tokens == (2, 2, 1)
    assert found.chosen == sums.index(max(sums))


@pytest.mark.parametrize("dialect", ["no start", "start dropped"])
def test_a_first_word_without_a_log_probability_needs_a_start(
    server: ChatServer, model: Opener, dialect: str
) -> None:
    server.dialect = dialect
    with pytest.raises(QuestionError, match=r"reads no start token.*'He was late\.'.*text_start="):
        model(prompt_logprobs="echo-text").score(["He was late."], "log_likelihood")
    begun = model(prompt_logprobs="echo-text", text_start=".")
    before = [".", " He"] if dialect == "no start" else ["<s>", ".", " He"]
    (found,) = begun.score([" He was late."], "log_likelihood")
    assert found == pytest.approx(summed(before[:-1], " He was late."))
    prompt = ["<s>", *TOKENS.findall(PROMPT)][dialect == "no start" :]
    (after,) = begun.score([Continuation(PROMPT, " He")], "log_likelihood")
    assert after == pytest.approx(summed(prompt, " He"))


@pytest.mark.parametrize(
    ("dialect", "said"),
    [
        (
            "generated only",
            r"tells 1 log-probabilities for a prompt of \d tokens.* leaves those of the prompt out",
        ),
        ("shifted", r"gives .* when it generates it and .* when it echoes it.*: they are misaligned"),
        ("nothing", r"tells 0 log-probabilities for a prompt of \d tokens"),
        ("silent", "tells no log-probabilities"),
        ("uncounted", r"does not count the tokens of a prompt"),
        ("constant", "distinguished from its neighbours, on 0 of 8 prompts"),
        ("middle", r"when it generates it and .* when it echoes it.*: they are misaligned"),
        ("one null", r"tells 0 log-probabilities for a prompt of \d tokens"),
        ("no generated", r"as number 6 of 9 for 9 tokens: they are misaligned"),
    ],
)
def test_servers_that_only_seem_to_echo_are_refused_before_anything_is_scored(
    server: ChatServer, model: Opener, dialect: str, said: str
) -> None:
    server.dialect = dialect
    asked = model(prompt_logprobs="echo-text")
    for _ in range(2):
        with pytest.raises(AnswerError, match=said):
            asked.score(["He was late."], "log_likelihood")
    assert not server.put("late.")
    with pytest.raises(AnswerError, match=said):
        asked.choose([Choice(PROMPT, ("the nurse", "nobody"))], "likelihood")


def test_an_echo_that_changes_later_is_no_sum_of_nothing(server: ChatServer, model: Opener) -> None:
    asked = model(prompt_logprobs="echo-text")
    asked.score(["He was late."], "log_likelihood")
    server.dialect = "generated only"
    with pytest.raises(AnswerError, match=r"counts 3 tokens in 'She was', and tells of 0"):
        asked.score(["She was"], "log_likelihood")
    server.dialect = "one fewer"
    with pytest.raises(AnswerError, match=r"counts 3 tokens in 'She was', and tells of 2"):
        asked.score(["She was"], "log_likelihood")
    server.dialect, server.name = "echo", "gpt-x"
    with pytest.raises(AnswerError, match="'tiny-chat' was asked, and 'gpt-x' answered"):
        asked.score(["She was"], "log_likelihood")
    server.dialect, server.name = "nothing", MODEL
    with pytest.raises(QuestionError, match=r"tells no log-probability of a token of 'She was'"):
        asked.score(["She was"], "log_likelihood")


def test_numbers_that_are_none_and_other_quantities(server: ChatServer, model: Opener) -> None:
    asked = model(prompt_logprobs="echo-text")
    with pytest.raises(QuestionError, match="no quantity 'joy'"):
        asked.score(["He"], "joy")
    asked.score(["He"], "log_likelihood")
    for value in (0.5, math.nan, math.inf):

        def fault(answer: dict, value: float = value) -> dict:
            answer["choices"][0]["logprobs"]["token_logprobs"][1] = value
            return answer

        server.faults = [fault]
        with pytest.raises(AnswerError, match="positive or not a number"):
            asked.score(["She was"], "log_likelihood")


def test_scores_are_asked_of_servers_that_are_said_to_echo_alone(model: Opener) -> None:
    assert model().capabilities == {"choose", "generate", "translate"}
    with pytest.raises(CapabilityError):
        model().score(["He"], "log_likelihood")
    with pytest.raises(OptionsError, match="text_start is put before texts"):
        model(text_start=".")


def test_token_ids_are_put_where_the_server_tokenises(server: ChatServer, model: Opener) -> None:
    server.tokenizer = True
    asked = model(prompt_logprobs="echo")
    assert "in its token ids" in asked.identity.prompting["prompt put"]
    start = ["<s>", *TOKENS.findall(PROMPT)]
    texts = ["He was late.", Continuation(PROMPT, " She was.")]
    expected = [summed(["<s>"], "He was late."), summed(start, " She was.")]
    assert asked.score(texts, "log_likelihood") == pytest.approx(expected, abs=1e-12)
    assert all(one["prompt"][0] == 0 and one["prompt"].count(0) == 1 for one in server.requests)
    (found,) = asked.choose([Choice(PROMPT, ("the nurse", "nobody"))], "likelihood")
    assert found.logprobs == pytest.approx([summed(start, " the nurse"), summed(start, " nobody")])


def test_a_start_token_is_taken_from_the_tokenizer(server: ChatServer, model: Opener) -> None:
    server.tokenizer, server.dialect = True, "no start"
    with pytest.raises(QuestionError, match=r"reads no start token.*text_start="):
        model(prompt_logprobs="echo").score(["He was late."], "log_likelihood")
    (found,) = model(prompt_logprobs="echo", text_start=".").score([" He was"], "log_likelihood")
    assert found == pytest.approx(summed(["."], " He was"))


@pytest.mark.parametrize(
    ("dialect", "said"),
    [
        ("start dropped", "it leaves those of the prompt out"),
        ("echo doubled", r"is given \d token ids and reads \d"),
        ("echo rewritten", "reads a text in other tokens where it puts a start token before it"),
        ("llama", "it leaves those of the prompt out"),
    ],
)
def test_servers_that_read_other_tokens_than_those_put_are_refused(
    server: ChatServer, model: Opener, dialect: str, said: str
) -> None:
    server.tokenizer, server.dialect = True, dialect
    with pytest.raises(AnswerError, match=said):
        model(prompt_logprobs="echo").score(["He was late."], "log_likelihood")


def test_a_server_without_a_tokenizer_is_asked_by_texts(server: ChatServer, model: Opener) -> None:
    with pytest.raises(AnswerError, match=r"tells no token ids of a text \(POST /tokenize\).*echo-text"):
        model(prompt_logprobs="echo").score(["He was late."], "log_likelihood")


def test_an_echo_is_whole_after_a_failure_between_the_tokens_and_the_echo(
    server: ChatServer, model: Opener
) -> None:
    server.tokenizer = True
    asked = model(prompt_logprobs="echo", attempts=3, concurrency=1)
    asked.score(["First."], "log_likelihood")
    before = len(server.requests)
    server.faults = [lambda made: made, lambda _: (503, {}, {"error": {"message": "busy"}})]
    found = asked.score(["He was.", "She was."], "log_likelihood")
    assert found == pytest.approx([summed(["<s>"], "He was."), summed(["<s>"], "She was.")])
    assert len(server.requests) - before == 3, "what was echoed is not asked again"
