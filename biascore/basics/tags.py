"""Language tags (BCP 47) as people write them and as they are stored."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import BeforeValidator, Field

_ISO_639: Final = """
aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel bg:bul bi:bis
bm:bam bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces cu:chu cv:chv cy:cym da:dan de:deu
dv:div dz:dzo ee:ewe el:ell en:eng eo:epo es:spa et:est eu:eus fa:fas ff:ful fi:fin fj:fij fo:fao fr:fra fy:fry
ga:gle gd:gla gl:glg gn:grn gu:guj gv:glv ha:hau he:heb hi:hin ho:hmo hr:hrv ht:hat hu:hun hy:hye hz:her ia:ina
id:ind ie:ile ig:ibo ii:iii ik:ipk io:ido is:isl it:ita iu:iku ja:jpn jv:jav ka:kat kg:kon ki:kik kj:kua kk:kaz
kl:kal km:khm kn:kan ko:kor kr:kau ks:kas ku:kur kv:kom kw:cor ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao
lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri mk:mkd ml:mal mn:mon mr:mar ms:msa mt:mlt my:mya na:nau nb:nob nd:nde
ne:nep ng:ndo nl:nld nn:nno no:nor nr:nbl nv:nav ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan pi:pli pl:pol
ps:pus pt:por qu:que rm:roh rn:run ro:ron ru:rus rw:kin sa:san sc:srd sd:snd se:sme sg:sag sh:hbs si:sin sk:slk
sl:slv sm:smo sn:sna so:som sq:sqi sr:srp ss:ssw st:sot su:sun sv:swe sw:swa ta:tam te:tel tg:tgk th:tha ti:tir
tk:tuk tl:tgl tn:tsn to:ton tr:tur ts:tso tt:tat tw:twi ty:tah ug:uig uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol
wa:wln wo:wol xh:xho yi:yid yo:yor za:zha zh:zho zu:zul
"""
ISO_639_3: Final[dict[str, str]] = {pair[:2]: pair[3:] for pair in _ISO_639.split()}
"""The code of three letters of each language that has one of two."""
_OF_TWO: Final = {three: two for two, three in ISO_639_3.items()}
_USUAL: Final = {
    "Arab": "ar fa ps ur",
    "Cyrl": "be bg mk ru uk",
    "Latn": (
        "af ca cs cy da de en eo es et eu fi fr ga gl hr hu id is it lb lt lv mg ms mt nb nl nn no pl pt ro sk sl so sq st "
        "sv sw tl tn tr ts vi xh zu"
    ),
    **{
        "Armn": "hy",
        "Beng": "as bn",
        "Deva": "hi mr ne",
        "Ethi": "am ti",
        "Geor": "ka",
        "Grek": "el",
        "Gujr": "gu",
    },
    **{"Hebr": "he yi", "Jpan": "ja", "Khmr": "km", "Knda": "kn", "Kore": "ko", "Laoo": "lo", "Mlym": "ml"},
    **{"Mymr": "my", "Orya": "or", "Sinh": "si", "Taml": "ta", "Telu": "te", "Thaa": "dv", "Thai": "th"},
}
_SCRIPT: Final = {language: script for script, languages in _USUAL.items() for language in languages.split()}
"""The script that a tag of the language leaves out (Suppress-Script of the IANA registry, and what is as usual)."""

_SEVERAL: Final = {"zh": "Hani", "yue": "Hani"}

LANGUAGE_PATTERN: Final = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"


def canonical_tag(text: str) -> str:
    """A tag as RFC 5646 writes it; what is no tag stays as it is.

    ``SK`` is ``sk`` and ``pt_br`` is ``pt-BR``. The shortest code represents a language, and no script that it always has:
    ``spa_Latn`` (NLLB, FLORES) is ``es``, and ``srp_Cyrl`` is ``sr-Cyrl``.
    """
    language, *rest = text.strip().replace("_", "-").lower().split("-")
    language = _OF_TWO.get(language, language)
    cased = {2: str.upper, 4: str.title}
    parts = [cased.get(len(part), str)(part) for part in rest]
    if parts and parts[0] == _SCRIPT.get(language):
        parts = parts[1:]
    tag = "-".join((language, *parts))
    return tag if re.match(LANGUAGE_PATTERN, tag) else text


def script_code(tag: str) -> str:
    """The script that texts with this tag are usually in, by its code of ISO 15924: ``Latn``; the tag's own comes first.

    Empty for a language of several scripts, and for one that is not known.
    """
    language, *rest = canonical_tag(tag).split("-")
    own = next((part for part in rest if len(part) == 4 and part.isalpha()), "")
    return own or _SCRIPT.get(language, "") or _SEVERAL.get(language, "")


LanguageTag = Annotated[
    str,
    BeforeValidator(lambda value: canonical_tag(value) if isinstance(value, str) else value),
    Field(pattern=LANGUAGE_PATTERN),
]
"""A field: a language tag in any case."""
