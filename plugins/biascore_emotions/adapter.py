"""``scorer:`` a folder of ``biascore train-scorer``: regressors of emotions, on tf-idf or on the vectors of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from biascore.api.adapters import Adapter, Options
from biascore.api.formats import user_path
from biascore.errors import BiascoreError, ModelLoadError

if TYPE_CHECKING:
    from biascore.api.adapters import Backend, LoadContext, Model, ModelRef
    from biascore_emotions.folder import Scorer

PERMISSIONS: Final = ("allow_pickle", "trust_remote_code")
"""Options of an encoder by which its files may run code. Whoever opens it gives them, never a folder."""


class ScorerOptions(Options):
    """``encoder``: the reference by which the encoder opens here, where it is another than that trained with.

    ``trust_encoder`` opens an encoder whose files may run code, where it was trained with an option that permits that.
    """

    encoder: str | None = None
    trust_encoder: bool = False


class ScorerAdapter(Adapter[ScorerOptions]):
    """Opens a folder of plain arrays and JSON; of a scorer on an encoder also that, which has to be the same one."""

    id: ClassVar[str] = "scorer"
    summary: ClassVar[str] = "regressors of emotions that biascore train-scorer made"
    example: ClassVar[str] = "scorer:scorers/en"
    answers_version: ClassVar[str | None] = "1"
    code_options: ClassVar[frozenset[str]] = frozenset({"trust_encoder"})
    capabilities: ClassVar[frozenset[str]] = frozenset({"score"})

    def check(self, ref: ModelRef, options: ScorerOptions, context: LoadContext) -> None:
        """Raise ModelLoadError for a folder that is no scorer; the encoder is not opened."""
        _read(ref, options)

    def load(self, ref: ModelRef, options: ScorerOptions, context: LoadContext) -> Backend:
        """Read the folder and open the encoder; raises ModelLoadError."""
        from biascore_emotions.backend import ScorerBackend

        scorer = _read(ref, options)
        return ScorerBackend(scorer, _encoder(ref, scorer, options, context))


def _read(ref: ModelRef, options: ScorerOptions) -> Scorer:
    from biascore_emotions.folder import read_scorer

    scorer = read_scorer(user_path(ref.locator), ref.locator)
    if options.encoder is not None and scorer.record.encoder is None:
        raise ModelLoadError(f"{ref} uses tf-idf and has no encoder. Leave the option encoder out")
    return scorer


def _encoder(ref: ModelRef, scorer: Scorer, options: ScorerOptions, context: LoadContext) -> Model | None:
    recorded = scorer.record.encoder
    if recorded is None:
        return None
    where = options.encoder or recorded.ref
    permitted = [name for name in PERMISSIONS if recorded.options.get(name)]
    if permitted and not options.trust_encoder:
        raise ModelLoadError(
            f"the encoder of {ref}, {where}, is to be opened with {' and '.join(permitted)}, so that its files may run "
            "code, and the folder of a scorer cannot permit that. If you trust where both come from, set the option "
            "trust_encoder=true"
        )
    remedy = "Name the encoder as it opens here: -o model.encoder=hf:./the-encoder"
    try:
        model = context.open(where, recorded.options)
    except BiascoreError as error:
        why = str(error).rstrip(".")
        raise ModelLoadError(f"the encoder of {ref}, {where}, cannot be opened: {why}. {remedy}") from error
    if model.identity.digest != recorded.digest:
        digest = model.identity.digest
        model.close()
        raise ModelLoadError(
            f"{where} is another model ({digest[:19]}…) than the encoder that {ref} was trained with "
            f"({recorded.digest[:19]}…), so that its vectors mean something else. {remedy}"
        )
    return model
