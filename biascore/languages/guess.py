"""Whether texts are in the language that they are said to be in, by the function words of some languages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from biascore.languages.language import shorter_tags
from biascore.languages.names import NAMES

_LIKE: Final = {"bs": "hr", "sr": "hr", "me": "hr"}
_FUNCTION_WORDS: Final = {
    "be": "я не на што з ў і мне мяне гэта мой мая ад каб ён яна ужо быў",
    "cs": "se je na že jsem to mi jsi ale byl byla bych které při už v já není",
    "de": "der die das und ich nicht ist ein eine mein meine zu mit habe bin sie auf war",
    "en": "the and of to is was i you that it for with my not have be are this a am in he she",
    "es": "el la de que y los se no un una por con me mi es muy para soy en las al",
    "fr": "le la de et les des je ne pas est un une que mon ma suis dans en il elle avec pour",
    "hr": "je sam se na da u mi nije moj moja nisam bio bila što za su i sve sa",
    "it": "il di che e la non un una per mi sono è ho con le mio mia del in gli alla",
    "nl": "de het een en ik niet van is mijn in op dat ben heb met voor zijn te",
    "pl": "nie się i w na jest to że jestem mi z do moja mój za co po przed",
    "pt": "o de que e não um uma os me eu com para minha meu é em sou na no ao",
    "ru": "я не на что с и в мне меня это мой моя у чтобы он она уже был",
    "sk": "som sa je na že to mi si ale bol bola by v ma sme nie pre už",
    "sl": "je sem se in na da nisem ni moj moja bi za me kot bil bila pa že",
    "sv": "jag och att det är en som inte på min har med för av till den var",
    "uk": "я не на що з і в мені мене це мій моя у щоб він вона вже був",
}
_WORDS: Final = {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}
_QUOTED: Final = re.compile('«[^»]*»|»[^«]*«|[“„][^“”]*[“”]|"[^"]*"')
_WORD: Final = re.compile(r"[^\W\d_]+")
_LEAST_WORDS: Final = 40
_LEAST_DIFFERENT: Final = 3
"""Function words that have to occur, as one alone may be an ending ("cansado/a") or the label of an option."""
_LEAST_SHARE: Final = 0.15
_TIMES: Final = 2.0


def other_language(texts: Iterable[str], tag: str) -> str:
    """The name of a language that texts are in rather than in that of the tag; empty where they may be in it.

    Cheap and cautious: function words of 16 languages are counted, and one language has to have at least 15 % of all words,
    three different ones among them, and twice as many as the tag's. What is quoted is left out. Of a language that is not
    among them nothing is said.
    """
    words = [word for text in texts for word in _WORD.findall(_QUOTED.sub("", text).lower())]
    said = shorter_tags(tag)[-1]
    said = _LIKE.get(said, said)
    if said not in _WORDS or len(words) < _LEAST_WORDS:
        return ""
    shares = {
        language: sum(word in known for word in words) / len(words) for language, known in _WORDS.items()
    }
    best = max(shares, key=lambda language: shares[language])
    sure = shares[best] >= max(_LEAST_SHARE, _TIMES * shares[said])
    sure &= len(_WORDS[best].intersection(words)) >= _LEAST_DIFFERENT
    return NAMES[best] if sure else ""
