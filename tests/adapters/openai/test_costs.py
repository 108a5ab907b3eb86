"""What questions cost on a server: as many requests as it then gets, and no more tokens than it may read and write."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai", reason="needs biascore[openai]")

from typer.testing import CliRunner

from biascore import Engine
from biascore.api.queries import Choice, Continuation
from biascore.cli.app import app
from biascore.errors import BudgetError, OptionsError
from biascore.models.model import Model
from biascore_adapters.openai.costs import cost_of
from biascore_adapters.openai.options import OpenAIOptions

from .server import MODEL, ChatServer

OPTIONS = ("the nurse", "the engineer", "nobody")
CHOICES = [Choice(f"Who was late, {name}?", OPTIONS) for name in ("Zoë", "李娜", "Ann")]
CHOICES.append(Choice(CHOICES[2].prompt, OPTIONS, item="asked before"))
# Two of the four are the same question to a server.
SEEDED = [
    replace(CHOICES[0], seed=seed, item=item) for seed, item in ((None, ""), (1, ""), (1, "again"), (2, ""))
]
TEXTS = ["The nurse slept.", "Żółw śpi."]
SCORED = [*TEXTS, Continuation("She is", " a nurse"), Continuation("She is", " an engineer")]
LIKELIHOOD = {"way": "likelihood"}
SUM = {"quantity": "log_likelihood"}
CASES: list[tuple[str, Sequence[Any], dict[str, str], dict[str, Any], int]] = [
    ("choose", CHOICES, {"way": "text"}, {"system_prompt": "Sé breve."}, 3),
    ("choose", SEEDED, {"way": "text"}, {}, 3),
    ("choose", CHOICES, {"way": "letters"}, {"max_answer_tokens": 9}, 9),
    ("translate", TEXTS, {"source": "en", "target": "it"}, {"max_new_tokens": 70}, 2),
    ("choose", CHOICES, LIKELIHOOD, {"prompt_logprobs": "echo-text"}, 12),
    ("score", SCORED, SUM, {"prompt_logprobs": "echo-text"}, 5),
    ("score", SCORED, SUM, {"prompt_logprobs": "echo-text", "text_start": "."}, 6),
    # One request more for the token ids of each text.
    ("choose", CHOICES, LIKELIHOOD, {"prompt_logprobs": "echo"}, 24),
    ("score", SCORED, SUM, {"prompt_logprobs": "echo"}, 10),
    # The texts after their prompts are written, and those prompts are asked for their ids alone.
    ("choose", CHOICES, LIKELIHOOD, {"prompt_logprobs": "grammar"}, 21),
    ("score", SCORED, SUM, {"prompt_logprobs": "grammar"}, 9),
]


@pytest.mark.parametrize(("hook", "questions", "params", "options", "requests"), CASES)
def test_the_cost_bounds_what_is_sent(
    hook: str,
    questions: Sequence[Any],
    params: dict[str, str],
    options: dict[str, Any],
    requests: int,
    server: ChatServer,
    model: Callable[..., Model],
) -> None:
    backend = model(**options)._backend
    way = options.get("prompt_logprobs", "")
    server.tokenizer = way == "echo"
    server.dialect = "llama" if way == "grammar" else "start dropped" if "text_start" in options else "echo"
    if way == "grammar":  # parts of letters cannot be forced
        questions = [one for one in questions if one != TEXTS[1] and "李" not in str(one)]
        requests -= {"choose": 7, "score": 2}[hook]
    cost = backend.cost(hook, questions, params)
    assert server.headers == []
    if way:  # checks the server, which is not counted
        backend.score(("Rain fell.",), "log_likelihood")
        server.requests.clear()
        server.headers.clear()
    getattr(backend, hook)(tuple(questions), **params)
    asked = server.requests
    assert cost.requests == len(server.headers) == requests
    written = sum(one["max_tokens"] for one in asked)
    assert cost.tokens_out is not None
    assert cost.tokens_out >= written
    assert way == "grammar" or cost.tokens_out == written
    if way in ("echo", "grammar"):
        read = sum(len(one["prompt"]) for one in asked)  # ids
    else:
        texts = [one.get("prompt") or "".join(part["content"] for part in one["messages"]) for one in asked]
        read = sum(len(str(text).encode()) for text in texts)
    assert cost.tokens is not None
    assert read < cost.tokens
    assert way in ("echo", "grammar") or cost.tokens <= read + 128 * requests
    assert len(cost.notes) == 1


def test_no_question_costs_nothing(model: Callable[..., Model]) -> None:
    cost = model()._backend.cost("choose", [], {"way": "text"})
    assert (cost.tokens, cost.tokens_out, cost.requests, cost.notes) == (0, 0, 0, ())


def test_a_tokenizer_of_bytes_needs_no_more_than_the_bound() -> None:
    pytest.importorskip("transformers", reason="needs biascore[hf]")
    from ...builders import tiny

    tokenizer = tiny.tokenizer_of("gpt2")
    texts = ["ⵣⴰⵎ", "李娜迟到了吗？", "👩🏽‍⚕️👨🏿‍🔧", "The nurse slept.", "ŁÓDŹ", "\u0958 \ufdfa", "a\n\n  b"]
    for text in texts:
        cost = cost_of("score", [Continuation("x", text)], {}, OpenAIOptions(prompt_logprobs="echo"))
        read = sum(len(tokenizer(one)["input_ids"]) for one in ("x", f"x{text}"))
        assert cost.tokens is not None
        assert cost.tokens >= read
    # And nothing less would be a bound: what it has not learnt is a token a byte.
    assert len(tokenizer(texts[0])["input_ids"]) == len(texts[0].encode())


def test_tokens_are_bounded_before_the_first_request(server: ChatServer) -> None:
    cost = Engine(cache=None).model(f"openai:{MODEL}", base_url=server.url)
    bound = cost._backend.cost("choose", CHOICES, {"way": "letters"})
    assert bound.tokens is not None
    assert bound.tokens_out is not None
    needed = bound.tokens + bound.tokens_out
    few = Engine(cache=None, max_tokens=needed - 1).model(f"openai:{MODEL}", base_url=server.url)
    with pytest.raises(BudgetError, match=rf"up to {needed:,} tokens in and out.*higher max_tokens"):
        few.choose(CHOICES, "letters")
    assert server.requests == []
    enough = Engine(cache=None, max_tokens=needed, max_characters=10**6)
    model = enough.model(f"openai:{MODEL}", base_url=server.url)
    assert len(model.choose(CHOICES, "letters")) == len(CHOICES)
    assert enough._services.token_budget.spent == needed
    with pytest.raises(BudgetError, match=rf"{needed:,} of the {needed:,} allowed.*\(max_tokens\)"):
        model.choose(CHOICES[:1], "text")


def test_the_price_of_an_audit_is_told_without_a_request(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEPL_AUTH_KEY", "no key")
    audit = tmp_path / "audit.toml"
    models = f'[[models]]\nref = "openai:{MODEL}"\noptions = {{ base_url = "{server.url}" }}\n[[models]]\nref = "deepl:"\n'
    measured = '[[measurements]]\nmetric = "gest-mt"\ntests = ["en/gest_own"]\noptions = { target = "es" }\n'
    audit.write_text(models + measured, encoding="utf-8")
    command = ["plan", str(audit), "--no-cache", "--price-in", "2.5", "--price-out", "10"]
    plan = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    chat, service = plan["rows"]
    read, written = chat["cost"]["tokens"], chat["cost"]["tokens_out"]
    assert chat["cost"]["requests"] == chat["asked"]
    assert written == 1024 * chat["asked"]
    assert (service["cost"]["tokens"], service["cost"]["tokens_out"]) == (None, None)
    assert service["cost"]["requests"] == -(-service["asked"] // 50)  # of 50 texts each
    assert plan["price"]["amount"] == pytest.approx((2.5 * read + 10 * written) / 1e6)
    assert plan["price"]["without"] == ["deepl:"]
    told = CliRunner().invoke(app, command).stdout
    assert f"price: at most {plan['price']['amount']:,.2f} for {read:,} tokens in at 2.5 per million" in told
    for said in ("not in this price: 'deepl:'", "one for each byte (UTF-8)", "tokens out: at most"):
        assert said in told
    both = CliRunner().invoke(app, [*command, "--price-per-million", "20", "--json"]).stdout
    priced = json.loads(both)["price"]
    assert priced["without"] == []
    more = 20 * service["cost"]["characters"] / 1e6
    assert priced["amount"] == pytest.approx(plan["price"]["amount"] + more)
    assert server.requests == []


def test_one_price_of_tokens_is_none(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["plan", str(tmp_path / "audit.toml"), "--price-in", "2.5"])
    assert isinstance(done.exception, OptionsError)
    assert "Give --price-in and --price-out" in str(done.exception)
