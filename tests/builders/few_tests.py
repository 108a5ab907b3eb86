"""Two tests of a few questions, for commands that are run often."""

FEW = """
schema = 1
[meta]
language = "en"
title = "Two tests"
source = "Written for this test"
licence = "CC0-1.0"
[samples.few]
stereotypes = [{ id = 1, name = "Shy", gender = "female" }, { id = 2, name = "Bold", gender = "male" }]
samples = [{ sentence = "I was silent.", stereotype = 1 }, { sentence = "I went first.", stereotype = 2 }]
[tests.samples]
kind = "samples"
title = "Two samples"
concept = "gender"
samples = "few"
[[questions.bakers.templates]]
name = "scales"
category = "age"
context = "{First} and {second} were at the market."
told = "Only {second} could read the scales, and {first} asked for help."
negative = "Who could not read the scales?"
non_negative = "Who could read the scales?"
stereotyped = { text = "the old baker", group = "old" }
other = { text = "the young baker", group = "young" }
[tests.questions]
kind = "choices"
title = "Bakers"
concept = "age"
questions = "bakers"
"""
