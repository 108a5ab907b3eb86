"""Language tags (BCP 47) as people write them and as they are stored."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import BeforeValidator, Field

LANGUAGE_PATTERN: Final = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"


def canonical_tag(text: str) -> str:
    """A tag in the case of RFC 5646: ``SK`` is ``sk``, ``pt_br`` is ``pt-BR``; what is no tag stays as it is."""
    language, *rest = text.strip().replace("_", "-").lower().split("-")
    cased = {2: str.upper, 4: str.title}
    tag = "-".join((language, *(cased.get(len(part), str)(part) for part in rest)))
    return tag if re.match(LANGUAGE_PATTERN, tag) else text


LanguageTag = Annotated[
    str,
    BeforeValidator(lambda value: canonical_tag(value) if isinstance(value, str) else value),
    Field(pattern=LANGUAGE_PATTERN),
]
"""A field: a language tag in any case."""
