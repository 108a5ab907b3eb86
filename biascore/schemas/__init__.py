"""JSON Schemas of the files that people write and programs read: audit files, stimuli files, ``run.json``."""
