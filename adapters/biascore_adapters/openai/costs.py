"""What questions cost on a server, whose tokenizer nobody knows here: requests, and bounds of tokens."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from biascore.api.adapters import Cost
from biascore.api.queries import Choice, Continuation, order_of, rotations, written_out
from biascore_adapters.openai.options import OpenAIOptions

TEMPLATE: Final = 128
"""Tokens allowed for what the chat template of a server adds to a request: most add 4 to 80, some a system prompt."""
START: Final = 2
"""Tokens that a tokenizer may put before a text without a template: a start token and a space."""
IN_CHAT: Final = (
    f"tokens in: at most one for each byte (UTF-8) of the prompts, and {TEMPLATE} a request for the server's chat template; "
    "English has about 4 bytes a token"
)
IN_TEXTS: Final = (
    "tokens in: at most one for each byte (UTF-8) of the texts; English has about 4 bytes a token. What checks the server "
    "once, some ten short requests, is not counted"
)


def cost_of(hook: str, questions: Sequence[Any], params: Mapping[str, Any], options: OpenAIOptions) -> Cost:
    """What one call of ``hook`` sends and gets at most; the questions of "translate" are whole prompts.

    The characters are not known here.
    """
    if hook == "translate":
        return _chat(set(questions), options.max_new_tokens, options)
    if hook == "generate":
        settings = params["settings"]
        sent = {(one.text, one.system, one.draw) for one in questions}
        texts = [f"{system or ''}{text}" for text, system, _ in sent]
        return _chat(texts, settings.max_tokens, options)
    if hook == "choose" and params["way"] == "text":
        asked = {(written_out(one, order_of(one)), one.seed) for one in questions}
        return _chat([prompt for prompt, _ in asked], options.max_answer_tokens, options)
    if hook == "choose" and params["way"] == "letters":
        orders = {written_out(one, order) for one in questions for order in rotations(one)}
        return _chat(orders, 1, options)
    return _scored(questions, options)


def _chat(prompts: Collection[str], most: int, options: OpenAIOptions) -> Cost:
    """A request for each prompt, with more tokens than it has bytes, and an answer of ``most`` tokens."""
    count = len(prompts)
    read = sum(map(_bytes, prompts)) + (TEMPLATE + _bytes(options.system_prompt or "")) * count
    return Cost(tokens=read, tokens_out=most * count, requests=count, notes=(IN_CHAT,) if count else ())


def _scored(questions: Sequence[str | Continuation | Choice], options: OpenAIOptions) -> Cost:
    """Each text is read whole, after its prompt; those that are forced are written, and not read."""
    pairs = {pair for one in questions for pair in _pairs(one, options.text_start)}
    texts = {prompt for prompt, _ in pairs if prompt} | {prompt + text for prompt, text in pairs}
    notes = (IN_TEXTS,) if texts else ()
    if options.prompt_logprobs != "grammar":
        # A request for the token ids of each text, and one for its echo; as text there are no ids.
        requests = len(texts) * (1 if options.prompt_logprobs == "echo-text" else 2)
        read = sum(map(_bytes, texts)) + START * len(texts)
        return Cost(tokens=read, tokens_out=len(texts), requests=requests, notes=notes)
    read = sum(_bytes(prompt) + START for prompt, _ in pairs)
    written = sum(_bytes(text) for _, text in pairs)
    return Cost(tokens=read, tokens_out=written, requests=len(texts) + len(pairs), notes=notes)


def _pairs(question: str | Continuation | Choice, start: str) -> Iterator[tuple[str, str]]:
    """What is scored of a question: a prompt, or what is put before texts, and each text after it."""
    if isinstance(question, Choice):
        yield from ((question.prompt, f" {option}") for option in question.options)
    elif isinstance(question, Continuation):
        yield question.prompt, question.text
    else:
        yield start, question


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
