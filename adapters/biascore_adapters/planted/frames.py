"""First-person frames, masculine and feminine, in languages that mark the speaker's gender."""

from __future__ import annotations

from typing import Final

FRAMES: Final = {
    "be": ("Я сказаў: «{}»", "Я сказала: «{}»"),
    "cs": ("Řekl jsem: „{}“", "Řekla jsem: „{}“"),
    "es": ("Estoy listo para decirlo: «{}»", "Estoy lista para decirlo: «{}»"),
    "fr": ("Je suis venu le dire : « {} »", "Je suis venue le dire : « {} »"),
    "hr": ("Rekao sam: „{}”", "Rekla sam: „{}”"),
    "it": ("Sono venuto a dirlo: «{}»", "Sono venuta a dirlo: «{}»"),
    "pl": ("Powiedziałem: „{}”", "Powiedziałam: „{}”"),
    "pt": ("Estou pronto para o dizer: «{}»", "Estou pronta para o dizer: «{}»"),
    "ru": ("Я сказал: «{}»", "Я сказала: «{}»"),
    "sk": ("Povedal som: „{}“", "Povedala som: „{}“"),
    "sl": ("Rekel sem: »{}«", "Rekla sem: »{}«"),
    "sr": ("Рекао сам: „{}”", "Рекла сам: „{}”"),
    "uk": ("Я сказав: «{}»", "Я сказала: «{}»"),
}
