"""What a list of stimuli holds, as the terminal and ``--json`` show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from biascore.stimuli import (
    EmotionWords,
    EquityTemplates,
    GenderedSamples,
    Grammar,
    GrammarRule,
    PairList,
    Person,
    PersonList,
    Samples,
    SentenceList,
    SentencePairs,
    Stimuli,
    TemplateList,
    WordForms,
    WordList,
)


def list_json(one: Stimuli) -> dict[str, object]:
    """Everything a list holds, as ``--json`` prints it."""
    doubtful = [{"printed": d.printed, "proposed": d.proposed, "note": d.note} for d in one.doubtful]
    return {"name": one.name, **_entries(one), "notes": list(one.notes), "doubtful": doubtful}


def _entries(one: Stimuli) -> dict[str, object]:
    match one:
        case WordList():
            return {"words": list(one.words)}
        case PairList():
            return {"sides": list(one.sides), "pairs": [list(pair) for pair in one.pairs]}
        case TemplateList():
            return {"slots": list(one.slots), "sentences": list(one.sentences), "words": list(one.words)}
        case SentenceList():
            return {"of": {word: list(sentences) for word, sentences in one.of.items()}}
        case SentencePairs():
            return {"pairs": [asdict(pair) for pair in one.pairs]}
        case Samples():
            return {
                "stereotypes": [asdict(stereotype) for stereotype in one.stereotypes],
                "samples": [asdict(sample) for sample in one.samples],
            }
        case GenderedSamples():
            return {
                "stereotypes": [asdict(stereotype) for stereotype in one.stereotypes],
                "pairs": [asdict(pair) for pair in one.pairs],
            }
        case WordForms():
            return {
                "pieces": list(one.pieces),
                "groups": {group: list(forms) for group, forms in one.groups.items()},
                "words": {word: list(forms) for word, forms in one.words.items()},
            }
        case PersonList():
            return {"kind": one.kind, "persons": [_person_json(person) for person in one.persons]}
        case EmotionWords():
            return {
                "words": [
                    {"id": word.id, "emotion": word.emotion, "slot": word.slot, "forms": dict(word.forms)}
                    for word in one.words
                ]
            }
        case EquityTemplates():
            return {
                "templates": [
                    {"id": template.id, "text": template.text, "variants": dict(template.variants)}
                    for template in one.templates
                ]
            }
        case Grammar():
            return {
                "capital": one.capital,
                "final": one.final,
                "agreement": {factor: dict(forms) for factor, forms in one.agreement.items()},
                "pieces": {piece: dict(forms) for piece, forms in one.pieces.items()},
                "rules": [asdict(rule) for rule in one.rules],
            }


def _person_json(person: Person) -> dict[str, object]:
    return {
        "id": person.id,
        "levels": dict(person.levels),
        "forms": dict(person.forms),
        "variant": person.variant,
    }


def size_of(one: Stimuli) -> int:
    """How many entries a list has."""
    match one:
        case WordList():
            return len(one.words)
        case TemplateList():
            return len(one.sentences)
        case SentenceList():
            return len(one.of)
        case Samples():
            return len(one.samples)
        case WordForms():
            return len(one.groups) + len(one.words)
        case PersonList():
            return len(one.persons)
        case EmotionWords():
            return len(one.words)
        case EquityTemplates():
            return len(one.templates)
        case Grammar():
            return len(one.pieces) + len(one.rules)
        case _:
            return len(one.pairs)


def contents_of(one: Stimuli) -> str:
    """The entries of a list, as the terminal shows them."""
    match one:
        case WordList():
            return ", ".join(one.words)
        case PairList():
            return ", ".join("/".join(dict.fromkeys(pair)) for pair in one.pairs)
        case TemplateList():
            return "\n  ".join(one.sentences)
        case SentenceList():
            return "\n  ".join(f"{word}: {' | '.join(sentences)}" for word, sentences in one.of.items())
        case SentencePairs():
            return "\n  ".join(f"{pair.sent_more} | {pair.sent_less}" for pair in one.pairs)
        case Samples():
            labels = {stereotype.id: stereotype.label for stereotype in one.stereotypes}
            return "\n  ".join(f"{labels[sample.stereotype]}: {sample.sentence}" for sample in one.samples)
        case GenderedSamples():
            labels = {stereotype.id: stereotype.label for stereotype in one.stereotypes}
            return "\n  ".join(
                f"{labels[pair.stereotype]}: {pair.male} | {pair.female}" for pair in one.pairs
            )
        case WordForms():
            rows = {"of": one.pieces, **one.groups, **one.words}
            return "\n  ".join(f"{name}: {' | '.join(forms)}" for name, forms in rows.items())
        case PersonList():
            cells: dict[str, list[str]] = {}
            for person in one.persons:
                cells.setdefault(", ".join(person.levels.values()), []).append(_spelt(person.forms))
            return "\n  ".join(
                f"{one.kind}, {levels}: {', '.join(people)}" for levels, people in cells.items()
            )
        case EmotionWords():
            kinds: dict[str, list[str]] = {}
            for word in one.words:
                kinds.setdefault(f"{word.emotion} {{{word.slot}}}", []).append(_spelt(word.forms))
            return "\n  ".join(f"{kind}: {', '.join(words)}" for kind, words in kinds.items())
        case EquityTemplates():
            return "\n  ".join(
                f"{template.id}: {template.text}"
                + "".join(f" | {variant}: {text}" for variant, text in template.variants.items())
                for template in one.templates
            )
        case Grammar():
            ends = [f"a capital at the start: {'yes' if one.capital else 'no'}", f"at the end: {one.final!r}"]
            agrees = [f"{by}: {_spelt(forms, ' = ')}" for by, forms in one.agreement.items()]
            pieces = [f"{{{name}}}: {_spelt(forms, ' ')}" for name, forms in one.pieces.items()]
            return "\n  ".join([*ends, *agrees, *pieces, *map(_rule, one.rules)])


def _spelt(forms: Mapping[str, str], between: str = "") -> str:
    """The different forms, ``he/him``; with their names where there is something to put between."""
    if between:
        return ", ".join(f"{name}{between}{text}" for name, text in forms.items())
    return "/".join(dict.fromkeys(forms.values()))


def _rule(rule: GrammarRule) -> str:
    before = f" before {', '.join(rule.before)}" if rule.before else ""
    unless = f" but not before {', '.join(rule.not_before)}" if rule.not_before else ""
    return f"{rule.text} becomes {rule.becomes}{before}{unless}"
