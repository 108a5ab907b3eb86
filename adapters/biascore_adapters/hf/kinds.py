"""A folder's model opened in torch, with the head that its kind has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
import transformers

from biascore.api.adapters import Backend, Checkpoints, Progress, Trained, Training
from biascore.errors import CapabilityError, ModelLoadError, OptionsError
from biascore_adapters.hf.gguf import described
from biascore_adapters.hf.head import UnusableHead
from biascore_adapters.hf.load import Loaded, encodes_alone, load
from biascore_adapters.hf.options import TRANSLATION_OPTIONS, HfOptions
from biascore_adapters.hf.own_code import conventions_of
from biascore_adapters.hf.probe import probed
from biascore_adapters.hf.prompted import Generator
from biascore_adapters.hf.runtime import TorchRuntime
from biascore_adapters.hf.threads import on_threads, threads_fact
from biascore_adapters.hf.translation import TRANSLATION_ARCHITECTURES, TranslationBackend
from biascore_adapters.transformer.backends import Opened
from biascore_adapters.transformer.batching import texts_at_once
from biascore_adapters.transformer.combined import backend_of
from biascore_adapters.transformer.exported import Kind
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.outputs import HeadOutputs, check_no_head
from biascore_adapters.transformer.probes import NO_TREES, SEES_ITSELF
from biascore_adapters.transformer.prompts import check_no_prompts
from biascore_adapters.transformer.sentence import SentenceVector
from biascore_adapters.transformer.windows import check_no_windows


def open_backend(folder: ModelFolder, options: HfOptions) -> Backend:
    """Open the model of a folder with the backend that its kind asks for.

    Raises ModelLoadError where it cannot be opened, OptionsError for options that its kind has no use for.
    """
    translates = folder.architecture in TRANSLATION_ARCHITECTURES
    if translates and not encodes_alone(folder):
        if options.sentence is not None or options.long_texts == "cut":
            idle_one = "long_texts='cut'" if options.sentence is None else "sentence"
            raise OptionsError(
                f"{folder.path} translates and has no sentence vectors. Leave the option {idle_one} out"
            )
        check_no_head(folder.path, options.labels, options.activation)
        check_no_prompts(folder.path, options)
        check_no_windows(folder.path, options)
        return TranslationBackend(folder, options)
    if folder.config.get("is_encoder_decoder") and not encodes_alone(folder):
        raise ModelLoadError(
            f"{folder.path} is an encoder-decoder ({folder.architecture or 'no architecture stated'}), of which hf: takes "
            "neither embeddings nor masked words, and translations from "
            f"{', '.join(TRANSLATION_ARCHITECTURES)} only. Use an encoder or a decoder alone"
        )
    idle = [name for name in TRANSLATION_OPTIONS if getattr(options, name) is not None]
    if idle:
        raise OptionsError(
            f"{folder.path} is no translation model, so that {', '.join(idle)} would mean nothing. Leave "
            f"{'it' if len(idle) == 1 else 'them'} out"
        )
    return backend_of(_opened(folder, options, probed(load(folder, options))))


def _opened(folder: ModelFolder, options: HfOptions, loaded: Loaded) -> Opened:
    """The model with the head that it is loaded with, or without where that cannot be used."""
    sentence = SentenceVector.choose(
        folder,
        causal=loaded.causal,
        decoder=loaded.decoder,
        hidden=loaded.width,
        asked=options.sentence,
        long_texts=options.long_texts,
        allow_pickle=options.allow_pickle,
    )
    outputs = None
    try:
        if loaded.kind == "causal" and not loaded.causal:
            raise UnusableHead(SEES_ITSELF)
        if loaded.kind == "head":
            config = loaded.model.config
            outputs = HeadOutputs.of(
                config.to_dict(), int(config.num_labels or 0), options.labels, options.activation
            )
        else:
            check_no_head(folder.path, options.labels, options.activation)
        runtime = TorchRuntime(loaded, options)
    except UnusableHead as error:
        kind: Kind = "decoder" if loaded.decoder else "encoder"
        loaded = replace(loaded, kind=kind, facts={**loaded.facts, "head": f"not used: {error}"})
        runtime = TorchRuntime(loaded, options)
    # Those of other methods are no parameters to torch.
    counted = loaded.quantised is None or loaded.quantised.method == "bitsandbytes"
    facts = {
        "architecture": type(loaded.model).__name__,
        "kind": loaded.kind,
        "hidden_size": loaded.width,
        **({"parameters": loaded.model.num_parameters()} if counted else {}),
        "max_tokens": "none stated" if loaded.reader.limit is None else loaded.reader.limit,
        **sentence.facts,
        **loaded.facts,
        **runtime.facts,
        "dtype": str(loaded.model.dtype).removeprefix("torch.") if loaded.quantised else options.dtype,
        "device": str(loaded.device),
        **threads_fact(options.threads, loaded.device),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }

    stored = loaded.quantised.described if loaded.quantised else ""
    if folder.gguf:
        stored = described(folder.gguf, options.dtype)

    def check_plain(what: str) -> None:
        if folder.code:
            raise CapabilityError(
                f"{folder.path} runs Python code of its own, and only models of transformers' code are {what}. Name one of "
                "these, or try native_code=true in the place of trust_remote_code=true"
            )
        if stored:
            raise CapabilityError(
                f"{folder.gguf or folder.path} holds quantised weights ({stored}), and only plain ones are {what}. "
                "Name the model that they were made from"
            )

    def export(into: Path, int8: bool) -> str:
        from biascore_adapters.hf.export import export

        check_plain("exported")
        if options.sentence is not None:
            raise CapabilityError(
                f"{folder.path} is open with sentence={options.sentence!r}, and its copy would give the vectors that the "
                "folder declares. Leave the option sentence away, and set it when the copy is opened"
            )
        return export(folder, loaded, into, int8=int8)

    def fine_tune(
        into: Path, texts: Sequence[str], training: Training, checkpoints: Checkpoints, progress: Progress
    ) -> Trained:
        from biascore_adapters.hf.training import fine_tune

        check_plain("trained")
        with on_threads(options.threads):
            return fine_tune(folder, loaded, into, texts, training, checkpoints, progress)

    generate = None
    if loaded.kind == "causal":
        generate = Generator(loaded, runtime.trunk, options)
        facts |= generate.facts
    else:
        check_no_prompts(folder.path, options)
        check_no_windows(folder.path, options)
    return Opened(
        folder,
        runtime,
        loaded.reader,
        loaded.kind,
        sentence,
        outputs,
        facts,
        export,
        fine_tune,
        conventions={
            **({"quantised weights": stored} if stored else {}),
            **conventions_of(folder),
        },
        prompts=options,
        after_prompts=runtime.after_prompts if runtime.keeps_prompts else None,
        generate=generate,
        trees=runtime.shares_prefixes,
        told={"shared_prefixes": NO_TREES} if loaded.kind == "causal" and not runtime.shares_prefixes else {},
        batch=texts_at_once(loaded.model.num_parameters(), cpu=loaded.device.type == "cpu"),
    )
