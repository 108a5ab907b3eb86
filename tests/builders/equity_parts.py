"""A file of parts of an equity corpus, with sentences of our own."""

from __future__ import annotations

SMALL = """schema = 1
source = "Me"

[corpora.mine]
language = "en"
label = "Mine"
majority = "north"
minority = "south"
persons = [
  { id = "Odd", gender = "male", group = "north", forms = { base = "Odd" } },
  { id = "Ida", gender = "female", group = "north", forms = { base = "Ida" } },
  { id = "Ugo", gender = "male", group = "south", forms = { base = "Ugo" }, published_forms = { t1 = "Hugo" } },
  { id = "Ada", gender = "female", group = "south", forms = { base = "Ada" } },
  { id = "she", gender = "female", forms = { base = "she", obj = "her" } },
]

[[corpora.mine.words]]
id = "sad"
emotion = "sadness"
slot = "state"
forms = { m = "triste", f = "trista" }

[[corpora.mine.words]]
id = "awful"
emotion = "anger"
slot = "situation"
forms = { base = "awful" }
published_forms = { t2 = { base = "aweful" } }

[[corpora.mine.templates]]
id = 1
slot = "state"
text = "{p} is {w:person}"
published_text = { male = "{p} be {w:m}", female = "{p} is {w:f}" }

[[corpora.mine.templates]]
id = 2
slot = "situation"
text = "{p} saw {refl} in {a} {w} place"

[[corpora.mine.templates]]
id = 3
text = "I saw {p:obj}"
special = { she = "her I saw" }

[corpora.mine.rules]
refl = { male = "himself", female = "herself" }
a = "an before a vowel"
capitalise_first = true
final_period = true

[corpora.mine.as_published]
capitalise_first = false
final_period = false
object_forms = false
missing_rows = [{ template = 1, person = "Odd", word = "sad" }]
"""
