"""``hf:`` opens Hugging Face models: from the hub's cache, a local folder, or an installed Python package.

Importing this package imports neither torch nor transformers; ``HfAdapter.load`` does.
"""

from __future__ import annotations

import importlib.util
from contextlib import nullcontext
from typing import TYPE_CHECKING, ClassVar, Final

from biascore.api.adapters import Adapter, ModelRef
from biascore.api.support import HUB_TOKENS
from biascore.errors import MissingExtraError, ModelLoadError
from biascore_adapters.hf.options import HfOptions

if TYPE_CHECKING:
    from biascore.api.adapters import Backend, LoadContext

NLLB_SIZES: Final = ("distilled-600M", "distilled-1.3B", "1.3B", "3.3B")


class HfAdapter(Adapter[HfOptions]):
    """Opens models of the transformers library; their configuration says what they can be asked.

    All but translation models embed; masked language models give ``mask_logprob``, causal ones
    ``score("log_likelihood")``, ``choose`` and ``generate``, sequence heads ``score`` of their named outputs, and
    encoder-decoders made for it (NLLB, M2M100, mBART, Marian, T5) ``translate``.

    The vector of a word is the mean of the last hidden states of the sub-tokens that cover it. The vector of
    a sentence is the state of [CLS] for an encoder, of the last token for a decoder, and what the folder
    declares for a sentence-transformers model; ``Identity.sentence_vector`` says which.
    """

    id: ClassVar[str] = "hf"
    summary: ClassVar[str] = (
        "Hugging Face transformers: hub ids, local folders, models inside Python packages"
    )
    example: ClassVar[str] = "hf:dbmdz/bert-base-italian-uncased@main"
    answers_version: ClassVar[str | None] = "4"
    capabilities: ClassVar[frozenset[str]] = frozenset(
        {"embed", "mask_logprob", "score", "choose", "generate", "translate"}
    )
    extra: ClassVar[str | None] = "hf"
    takes_revision: ClassVar[bool] = True
    secret_env_vars: ClassVar[tuple[str, ...]] = HUB_TOKENS
    code_options: ClassVar[frozenset[str]] = frozenset({"allow_pickle", "trust_remote_code"})

    runtime = "torch"

    @classmethod
    def devices(cls) -> list[str]:
        """The processor, and the accelerators that torch knows."""
        import torch

        cuda = [f"cuda:{n} ({torch.cuda.get_device_name(n)})" for n in range(torch.cuda.device_count())]
        return ["cpu", *cuda, *(["mps"] if torch.backends.mps.is_available() else [])]

    def check(self, ref: ModelRef, options: HfOptions, context: LoadContext) -> None:  # noqa: ARG002
        """Find a missing extra, and all that is wrong with the files of a model on this disk, without torch.

        Raises MissingExtraError or ModelLoadError. A hub id is not looked up.
        """
        for module in ("torch", "transformers"):
            if importlib.util.find_spec(module) is None:
                raise MissingExtraError("hf: models", "hf")
        from biascore_adapters.hf.locate import find_local

        folder = find_local(ref, allow_pickle=options.allow_pickle, own_code=options.trust_remote_code)
        if folder is not None and not folder.gguf and options.sentence is None and not options.allow_pickle:
            from biascore_adapters.transformer.sentence import declared_pipeline

            declared_pipeline(folder, allow_pickle=options.allow_pickle)

    def load(self, ref: ModelRef, options: HfOptions, context: LoadContext) -> Backend:  # noqa: ARG002
        """Open the model; raises MissingExtraError or ModelLoadError."""
        from biascore_adapters.hf.gguf import read_once, with_config
        from biascore_adapters.hf.locate import fetch, find_local
        from biascore_adapters.transformer.folder import offline

        accepted = {"allow_pickle": options.allow_pickle, "own_code": options.trust_remote_code}
        folder = find_local(ref, **accepted) or fetch(ref, **accepted)
        try:
            from biascore_adapters.hf.kinds import open_backend
        except ModuleNotFoundError as error:
            raise MissingExtraError("hf: models", "hf") from error
        with nullcontext() if options.trust_remote_code else offline():
            if not folder.gguf:
                return open_backend(folder, options)
            with read_once():
                return open_backend(with_config(folder), options)


class NllbAdapter(HfAdapter):
    """Opens NLLB-200 models: ``nllb:distilled-600M`` is ``hf:facebook/nllb-200-distilled-600M``."""

    id: ClassVar[str] = "nllb"
    summary: ClassVar[str] = "NLLB-200 translation models, by size or by folder"
    example: ClassVar[str] = "nllb:distilled-600M"
    capabilities: ClassVar[frozenset[str]] = frozenset({"translate"})

    def check(self, ref: ModelRef, options: HfOptions, context: LoadContext) -> None:
        """As for ``hf:``."""
        super().check(_published(ref), options, context)

    def load(self, ref: ModelRef, options: HfOptions, context: LoadContext) -> Backend:
        """Open the model; raises ModelLoadError also for one that is no NLLB model."""
        backend = super().load(_published(ref), options, context)
        if backend.identity.facts.get("language_codes") != "FLORES-200":
            backend.close()
            raise ModelLoadError(
                f"{ref} is no NLLB model: its tokenizer has no tokens such as srp_Cyrl. Write hf:{ref.locator} instead"
            )
        return backend


def _published(ref: ModelRef) -> ModelRef:
    """The reference with a size spelt out as the model of that size on the hub."""
    size = ref if ref.revision else ref.split_revision()
    return (
        ModelRef("hf", f"facebook/nllb-200-{size.locator}", size.revision)
        if size.locator in NLLB_SIZES
        else ref
    )
