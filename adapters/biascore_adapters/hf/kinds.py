"""Which backend answers for which kind of model."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from biascore.errors import ModelLoadError, OptionsError
from biascore.plugins_api import Backend
from biascore_adapters.hf.causal import CausalBackend
from biascore_adapters.hf.encode import EncoderBackend
from biascore_adapters.hf.head import UnusableHead
from biascore_adapters.hf.heads import HeadBackend
from biascore_adapters.hf.load import Kind, encodes_alone, load
from biascore_adapters.hf.masked import MaskedBackend
from biascore_adapters.hf.options import TRANSLATION_OPTIONS, HfOptions
from biascore_adapters.hf.probe import probed
from biascore_adapters.hf.translation import TRANSLATION_ARCHITECTURES, TranslationBackend
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.probes import SEES_ITSELF

_BACKENDS: Final[dict[Kind, type[EncoderBackend]]] = {
    "encoder": EncoderBackend,
    "decoder": EncoderBackend,
    "masked": MaskedBackend,
    "causal": CausalBackend,
    "head": HeadBackend,
}


def open_backend(folder: ModelFolder, options: HfOptions) -> Backend:
    """Open the model of a folder with the backend that its kind asks for.

    Raises ModelLoadError where it cannot be opened, OptionsError for options that its kind has no use for.
    """
    translates = (folder.config.get("architectures") or [""])[0] in TRANSLATION_ARCHITECTURES
    if translates and not encodes_alone(folder):
        if options.sentence is not None:
            raise OptionsError(
                f"{folder.path} translates and has no sentence vectors. Leave the option sentence out"
            )
        return TranslationBackend(folder, options)
    if folder.config.get("is_encoder_decoder") and not encodes_alone(folder):
        stated = (folder.config.get("architectures") or ["no architecture stated"])[0]
        raise ModelLoadError(
            f"{folder.path} is an encoder-decoder ({stated}), of which hf: takes neither embeddings nor masked words, and "
            f"translations from {', '.join(TRANSLATION_ARCHITECTURES)} only. Use an encoder or a decoder alone"
        )
    idle = [name for name in TRANSLATION_OPTIONS if getattr(options, name) is not None]
    if idle:
        raise OptionsError(
            f"{folder.path} is no translation model, so that {', '.join(idle)} would mean nothing. Leave "
            f"{'it' if len(idle) == 1 else 'them'} out"
        )
    loaded = probed(load(folder, options))
    try:
        if loaded.kind == "causal" and not loaded.causal:
            raise UnusableHead(SEES_ITSELF)
        return _BACKENDS[loaded.kind](folder, options, loaded)
    except UnusableHead as error:
        facts = {**loaded.facts, "head": f"not used: {error}"}
        kind: Kind = "decoder" if loaded.decoder else "encoder"
        return EncoderBackend(folder, options, replace(loaded, kind=kind, facts=facts))
