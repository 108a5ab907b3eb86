"""Internal: helpers of biascore's own plugins. They change without notice; do not import them elsewhere."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.basics.frozen import Frozen as Frozen
    from biascore.basics.keys import HUB_TOKENS as HUB_TOKENS
    from biascore.basics.keys import warn_if_readable as warn_if_readable
    from biascore.basics.problems import problems_of as problems_of
    from biascore.basics.suggest import did_you_mean as did_you_mean
    from biascore.basics.surface import either as either
    from biascore.basics.tags import ISO_639_3 as ISO_639_3
    from biascore.basics.tags import LanguageTag as LanguageTag
    from biascore.basics.tags import canonical_tag as canonical_tag
    from biascore.basics.wording import brief as brief
    from biascore.basics.wording import listed as listed
    from biascore.basics.wording import quoted as quoted
    from biascore.basics.wording import signed as signed
    from biascore.files.kinds import kind_of as kind_of
    from biascore.files.reading import MAX_UNPACKED as MAX_UNPACKED
    from biascore.files.reading import ZIP_DAMAGE as ZIP_DAMAGE
    from biascore.files.reading import bounded as bounded
    from biascore.files.reading import check_fetched as check_fetched
    from biascore.files.reading import check_regular as check_regular
    from biascore.files.reading import check_size as check_size
    from biascore.installation import install_extra as install_extra
    from biascore.metric import SELF as SELF
    from biascore.models.pipeline.http import Limits as Limits
    from biascore.models.pipeline.http import retry_after as retry_after
    from biascore.models.pipeline.http import shortened as shortened
    from biascore.models.questions.reasoning import is_mark as is_mark
    from biascore.models.questions.reasoning import opened_by as opened_by
    from biascore.models.vocabulary import BLOCK_ROWS as BLOCK_ROWS
    from biascore.results.coverage import REPEATED as REPEATED
    from biascore.stimuli.given import from_lists as from_lists
else:
    __getattr__, __dir__ = lazily(__name__)
