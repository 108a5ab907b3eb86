"""The English names of languages, for what people read: a result that was stored holds the tag alone."""

from __future__ import annotations

from typing import Final

from biascore.languages.language import shorter_tags

_NAMES: Final = """
af Afrikaans, am Amharic, ar Arabic, as Assamese, az Azerbaijani, ba Bashkir, be Belarusian, bg Bulgarian, bn Bengali,
bo Tibetan, br Breton, bs Bosnian, ca Catalan, co Corsican, cs Czech, cy Welsh, da Danish, de German, dv Divehi,
el Greek, en English, eo Esperanto, es Spanish, et Estonian, eu Basque, fa Persian, fi Finnish, fo Faroese, fr French,
fy West Frisian, ga Irish, gd Scottish Gaelic, gl Galician, gu Gujarati, ha Hausa, he Hebrew, hi Hindi, hr Croatian,
ht Haitian Creole, hu Hungarian, hy Armenian, id Indonesian, ig Igbo, is Icelandic, it Italian, ja Japanese,
jv Javanese, ka Georgian, kk Kazakh, km Khmer, kn Kannada, ko Korean, ku Kurdish, ky Kyrgyz, la Latin,
lb Luxembourgish, ln Lingala, lo Lao, lt Lithuanian, lv Latvian, mg Malagasy, mi Maori, mk Macedonian, ml Malayalam,
mn Mongolian, mr Marathi, ms Malay, mt Maltese, my Burmese, nb Norwegian Bokmål, ne Nepali, nl Dutch,
nn Norwegian Nynorsk, no Norwegian, ny Chichewa, oc Occitan, om Oromo, or Odia, pa Punjabi, pl Polish, ps Pashto,
pt Portuguese, qu Quechua, rm Romansh, ro Romanian, ru Russian, rw Kinyarwanda, sa Sanskrit, sc Sardinian, sd Sindhi,
si Sinhala, sk Slovak, sl Slovene, sm Samoan, sn Shona, so Somali, sq Albanian, sr Serbian, st Southern Sotho,
su Sundanese, sv Swedish, sw Swahili, ta Tamil, te Telugu, tg Tajik, th Thai, ti Tigrinya, tk Turkmen, tl Tagalog,
tn Tswana, tr Turkish, ts Tsonga, tt Tatar, ug Uyghur, uk Ukrainian, ur Urdu, uz Uzbek, vi Vietnamese, wo Wolof,
xh Xhosa, yi Yiddish, yo Yoruba, zh Chinese, zu Zulu
"""
NAMES: Final = dict(entry.strip().split(" ", 1) for entry in _NAMES.replace("\n", " ").split(", "))
"""By the code of ISO 639-1, most of the languages that have one."""


def language_name(tag: str) -> str:
    """The English name of a BCP 47 tag: ``Slovak``, ``Serbian (Latn)``; the tag itself where it is not known."""
    known = next((part for part in shorter_tags(tag) if part in NAMES), None)
    if known is None:
        return tag
    rest = tag[len(known) + 1 :]
    return f"{NAMES[known]} ({rest})" if rest else NAMES[known]
