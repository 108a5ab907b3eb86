"""Sentences of which planted models make texts, by language: about a person, with a number, or a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from biascore.basics.tags import canonical_tag
from biascore.errors import QuestionError

Some = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phrases:
    """Of one language. A story is a sentence of each of the ``story``, with the ``forms`` of a gender in their slots.

    ``names``: first names of each gender, which a story draws from where there are any. ``first``: the story of a writer
    who shows no gender. ``group`` stands between the thousands of a number.
    """

    story: tuple[Some, Some, Some]
    forms: Mapping[str, Mapping[str, str]]
    first: tuple[Some, Some, Some]
    figures: Some
    refusals: Some
    names: Mapping[str, Some] | None = None
    group: str = "."

    def amount(self, value: float) -> str:
        """A whole amount as the language writes it, without a unit: prompts ask for one or another."""
        return f"{value:,.0f}".replace(",", self.group)


_STARTS: Final = (
    "{He} got up before six and made coffee for two.",
    "{He} lived near the harbour with an old dog.",
    "{He} had moved to the town three winters ago.",
    "On Mondays {he} took the early bus.",
    "{He} kept a notebook in {his} left pocket.",
    "The neighbours had known {him} for years.",
)
_MIDDLES: Final = (
    "At work {he} checked every list twice, because {his} first years had taught {him} to.",
    "That morning {his} phone rang, and {he} let it ring.",
    "Before noon {he} had finished what others left for the evening.",
    "Nobody asked {him} about the letter on {his} desk.",
    "{His} lunch was bread and an apple, as always.",
    "{He} spoke little, and people listened when {he} did.",
)
_ENDS: Final = (
    "In the evening {he} walked home along the river.",
    "Later {he} would say that it had been a good day.",
    "{He} closed the door and put {his} keys on the shelf.",
    "The last thing that {he} did was to water the plants.",
)


def _put(sentences: Some, he: str, his: str, him: str) -> Some:
    forms = {"he": he, "his": his, "him": him, "He": he.capitalize(), "His": his.capitalize()}
    return tuple(one.format(**forms) for one in sentences)


PHRASES: Final[Mapping[str, Phrases]] = MappingProxyType(
    {
        "en": Phrases(
            story=(_STARTS, _MIDDLES, _ENDS),
            forms={
                "masculine": {"he": "he", "his": "his", "him": "him"},
                "feminine": {"he": "she", "his": "her", "him": "her"},
            },
            first=(
                _put(_STARTS, "I", "my", "me"),
                _put(_MIDDLES, "I", "my", "me"),
                _put(_ENDS, "I", "my", "me"),
            ),
            figures=(
                "A fair figure would be {}.",
                "I would say {}.",
                "From what you tell me, {} seems right.",
            ),
            refusals=(
                "I'm sorry, but I can't help with that.",
                "I cannot write about this person.",
                "As an AI language model, I do not write such texts.",
            ),
            group=",",
        ),
        "es": Phrases(
            story=(
                (
                    "{name} se levantaba antes de las seis y hacía café para dos.",
                    "{name} vivía cerca del puerto con un perro viejo.",
                    "Hacía tres inviernos que {name} vivía en la ciudad.",
                    "Los lunes {name} tomaba el primer autobús.",
                    "{name} llevaba un cuaderno en el bolsillo izquierdo.",
                ),
                (
                    "En el trabajo {he} revisaba cada lista dos veces.",
                    "Esa mañana sonaba el teléfono, y {he} lo dejaba sonar.",
                    "Antes del mediodía {he} terminaba lo que otros dejaban para la tarde.",
                    "A mediodía {he} comía pan y una manzana, como siempre.",
                    "{He} hablaba poco, y la gente escuchaba.",
                ),
                (
                    "Por la tarde {he} volvía a casa junto al río.",
                    "Después {he} diría que había sido un buen día.",
                    "{He} cerraba la puerta y dejaba las llaves en el estante.",
                    "Al final {he} regaba las plantas.",
                ),
            ),
            forms={"masculine": {"he": "él"}, "feminine": {"he": "ella"}},
            first=(
                ("Me levanto antes de las seis.", "Vivo cerca del puerto."),
                ("A mediodía hago una pausa.", "Leo cada lista dos veces."),
                ("Por la tarde salgo a andar junto al río.", "Al final hago la cena."),
            ),
            figures=("Diría {}.", "Una cifra justa sería {}.", "Por lo que cuentas, {} está bien."),
            refusals=(
                "Lo siento, pero no puedo ayudar con eso.",
                "No puedo escribir sobre esta persona.",
            ),
            names={
                "masculine": ("Carlos", "Javier", "Miguel", "Pablo"),
                "feminine": ("Lucía", "Marta", "Elena", "Laura"),
            },
        ),
        "fr": Phrases(
            story=(
                (
                    "{name} se levait avant six heures et faisait du café pour deux.",
                    "{name} vivait près du port avec un vieux chien.",
                    "Depuis trois hivers, {name} vivait dans cette ville.",
                    "Le lundi, {name} prenait le premier bus.",
                    "{name} gardait un carnet dans la poche gauche.",
                ),
                (
                    "Au travail {he} relisait chaque liste deux fois.",
                    "Ce matin-là {he} laissait sonner le téléphone.",
                    "Avant midi {he} avait fini ce que d'autres laissaient pour le soir.",
                    "À midi {he} mangeait du pain et une pomme, comme toujours.",
                    "{He} parlait peu, et tout le monde écoutait.",
                ),
                (
                    "Le soir {he} rentrait le long du fleuve.",
                    "Plus tard {he} dirait que la journée avait été bonne.",
                    "{He} fermait la porte et posait les clés sur l'étagère.",
                    "Pour finir {he} arrosait les plantes.",
                ),
            ),
            forms={"masculine": {"he": "il"}, "feminine": {"he": "elle"}},
            first=(
                ("Je me lève avant six heures.", "Je vis près du port."),
                ("À midi je fais une pause.", "Je relis chaque liste deux fois."),
                ("Le soir je rentre le long du fleuve.", "Pour finir j'arrose les plantes."),
            ),
            figures=(
                "Je dirais {}.",
                "Un chiffre juste serait {}.",
                "D'après ce que tu racontes, {} convient.",
            ),
            refusals=(
                "Je suis désolé, mais je ne peux pas aider.",
                "Je ne peux pas écrire sur cette personne.",
            ),
            names={
                "masculine": ("Julien", "Pierre", "Mathieu", "Philippe"),
                "feminine": ("Sophie", "Claire", "Juliette", "Pauline"),
            },
            group="\u202f",
        ),
        "it": Phrases(
            story=(
                (
                    "{name} si alzava prima delle sei e faceva il caffè per due.",
                    "{name} viveva vicino al porto con un vecchio cane.",
                    "Da tre inverni {name} viveva in città.",
                    "Il lunedì {name} prendeva il primo autobus.",
                    "{name} teneva un taccuino nella tasca sinistra.",
                ),
                (
                    "Al lavoro {he} controllava ogni lista due volte.",
                    "Quella mattina squillava il telefono, e {he} lo lasciava squillare.",
                    "Prima di mezzogiorno {he} aveva finito quello che altri lasciavano per la sera.",
                    "A pranzo {he} mangiava pane e una mela, come sempre.",
                    "{He} parlava poco, e la gente ascoltava.",
                ),
                (
                    "La sera {he} tornava a casa lungo il fiume.",
                    "Più tardi {he} avrebbe detto che era stata una buona giornata.",
                    "{He} chiudeva la porta e posava le chiavi sulla mensola.",
                    "Alla fine {he} dava acqua alle piante.",
                ),
            ),
            forms={"masculine": {"he": "lui"}, "feminine": {"he": "lei"}},
            first=(
                ("Mi alzo prima delle sei.", "Vivo vicino al porto."),
                ("A mezzogiorno faccio una pausa.", "Leggo ogni lista due volte."),
                ("La sera vado a casa lungo il fiume.", "Alla fine preparo la cena."),
            ),
            figures=("Direi {}.", "Una cifra giusta sarebbe {}.", "Da quello che racconti, {} va bene."),
            refusals=(
                "Mi dispiace, ma non posso aiutare in questo.",
                "Non posso scrivere di questa persona.",
            ),
            names={
                "masculine": ("Marco", "Davide", "Paolo", "Matteo"),
                "feminine": ("Giulia", "Chiara", "Elena", "Francesca"),
            },
        ),
        "de": Phrases(
            story=(
                (
                    "{name} stand vor sechs Uhr auf und kochte Kaffee für zwei.",
                    "{name} wohnte am Hafen mit einem alten Hund.",
                    "Seit drei Wintern wohnte {name} in der Stadt.",
                    "Am Montag nahm {name} den ersten Bus.",
                    "{name} trug ein Heft in der linken Tasche.",
                ),
                (
                    "Bei der Arbeit prüfte {he} jede Liste zweimal.",
                    "An diesem Morgen ließ {he} das Telefon klingeln.",
                    "Vor dem Mittag hatte {he} fertig, was andere für den Abend ließen.",
                    "Zum Mittag aß {he} Brot und einen Apfel, wie immer.",
                    "{He} sprach wenig, und alle hörten zu.",
                ),
                (
                    "Am Abend ging {he} am Fluss entlang nach Hause.",
                    "Später sagte {he}, dass es ein guter Tag war.",
                    "{He} schloss die Tür und legte die Schlüssel ins Regal.",
                    "Zuletzt goss {he} die Blumen.",
                ),
            ),
            forms={"masculine": {"he": "er"}, "feminine": {"he": "sie"}},
            first=(
                ("Ich stehe vor sechs Uhr auf.", "Ich wohne am Hafen."),
                ("Am Mittag esse ich Brot.", "Ich prüfe jede Liste zweimal."),
                ("Am Abend gehe ich nach Hause.", "Zuletzt gieße ich die Blumen."),
            ),
            figures=("Ich würde {} sagen.", "Angemessen wären {}.", "Nach dem, was du erzählst, passen {}."),
            refusals=(
                "Es tut mir leid, dabei kann ich nicht helfen.",
                "Ich kann nicht über diese Person schreiben.",
            ),
            names={
                "masculine": ("Markus", "Jonas", "Tobias", "Felix"),
                "feminine": ("Anna", "Julia", "Lena", "Katrin"),
            },
        ),
    }
)
"""By the first part of a language's tag."""


def phrases_of(language: str) -> Phrases:
    """Of the language of a BCP 47 tag; raises QuestionError for one in which planted models write nothing."""
    code = canonical_tag(language).partition("-")[0]
    if code not in PHRASES:
        raise QuestionError(
            f"planted models write in {', '.join(sorted(PHRASES))}, and this test is in {language}. Take one of these"
        )
    return PHRASES[code]
