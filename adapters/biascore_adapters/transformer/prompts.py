"""Prompts as a causal language model is given them: through its tokenizer's chat template, or as they are."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from biascore.api.support import opened_by, quoted
from biascore.errors import ModelLoadError, OptionsError, QuestionError
from biascore_adapters.transformer.folder import first_line
from biascore_adapters.transformer.options import PromptOptions
from biascore_adapters.transformer.tokens import Reader


class Prompts:
    """Puts prompts; ``chat`` says whether through a template, ``told`` are the conventions, ``facts`` for the record.

    Raises ModelLoadError where a template is asked for and there is none, OptionsError for options that only one would read.
    """

    def __init__(self, reader: Reader, options: PromptOptions, of: object) -> None:
        self._reader, self._options, self._of = reader, options, of
        has = bool(getattr(reader.tokenizer, "chat_template", None))
        if options.chat_template == "on" and not has:
            raise ModelLoadError(
                f"the tokenizer of {of} has no chat template. Leave the option chat_template out, or save the template of "
                "the model (chat_template.jinja) next to the tokenizer"
            )
        self.chat = has and options.chat_template != "off"
        idle = [name for name in ("system_prompt", "thinking") if getattr(options, name) is not None]
        if idle and not self.chat:
            raise OptionsError(
                f"{of}: prompts are put without a chat template, so that {' and '.join(idle)} would mean nothing. Leave "
                f"{'it' if len(idle) == 1 else 'them'} out"
            )
        self.told = {"prompt put": self._description()}
        # Of a template the digest is a fact, too: answers that are kept are those to what it wrote.
        template = (
            blake2b(repr(reader.tokenizer.chat_template).encode(), digest_size=8).hexdigest()
            if self.chat
            else ""
        )
        self.facts = {**self.told, "chat_template": template} if self.chat else {}

    def put(self, prompt: str, system: str | None = None) -> str:
        """The prompt as the model reads it, up to where its answer begins; after a system prompt of its own, if any.

        Raises QuestionError where the template fails, as one does that takes no system prompt, where there are two system
        prompts or no template for one, and for a prompt with a special token in it, which would end the user's message.
        """
        self._reader.check_plain(prompt)
        if system is not None:
            self._reader.check_plain(system)
            self._check_system(prompt)
        if not self.chat:
            return prompt
        system = self._options.system_prompt if system is None else system
        messages = [] if system is None else [{"role": "system", "content": system}]
        messages.append({"role": "user", "content": prompt})
        asked: dict[str, Any] = (
            {} if self._options.thinking is None else {"enable_thinking": self._options.thinking}
        )
        try:
            text = self._reader.tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True, **asked
            )
        except Exception as error:  # templates raise what they like
            advice = "Leave the option system_prompt out, or set" if system is not None else "Set"
            raise QuestionError(
                f"the chat template of {self._of} fails on the prompt {quoted(prompt)} ({type(error).__name__}: "
                f"{first_line(error)[:200]}). {advice} chat_template=off"
            ) from error
        return str(text)

    def _check_system(self, prompt: str) -> None:
        """Raise QuestionError where a prompt's own system prompt cannot be put."""
        if not self.chat:
            raise QuestionError(
                f"the prompt {quoted(prompt)} has a system prompt, and prompts are put without a chat template, without "
                "a place for one. Put it at the beginning of the prompt, or name a model with a chat template"
            )
        if self._options.system_prompt is not None:
            raise QuestionError(
                f"the prompt {quoted(prompt)} has a system prompt of its own. Leave the option system_prompt out"
            )

    def check_answers_at_once(self, put: str) -> None:
        """Raise QuestionError where an answer would begin with thoughts, so that what comes next is no answer."""
        opened = opened_by(put).strip()
        if self.chat and opened:
            raise QuestionError(
                f"the chat template of {self._of} opens a {opened} block, so that the next tokens are thoughts and not an "
                "answer. Set thinking=false where the template reads that, ask by text, or set chat_template=off"
            )

    def before_answer(self, prompt: str, answer: str) -> str:
        """An answer as it follows a prompt: after a space, but where a template or white space stands before it."""
        return answer.strip() if self.chat or prompt[-1:].isspace() else f" {answer.strip()}"

    def _description(self) -> str:
        if not self.chat:
            return "as it is, without a chat template"
        system, thinking = self._options.system_prompt, self._options.thinking
        parts = ["as a user's message through the chat template of the tokenizer"]
        parts += [] if system is None else [f"after the system prompt {system!r}"]
        parts += [] if thinking is None else [f"with enable_thinking={thinking}"]
        return ", ".join(parts)


def check_no_prompts(of: object, options: PromptOptions) -> None:
    """Raise OptionsError where options of prompts are set for a model that is given none."""
    idle = sorted(options.model_fields_set & {*PromptOptions.model_fields})
    if idle:
        raise OptionsError(
            f"{of} is no causal language model, so that {', '.join(idle)} would mean nothing. Leave "
            f"{'it' if len(idle) == 1 else 'them'} out"
        )
