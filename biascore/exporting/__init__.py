"""A run in other forms: tables, a section of a model card, and the files of other tools; plugins add to them."""
