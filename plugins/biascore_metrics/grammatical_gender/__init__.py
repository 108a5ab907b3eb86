"""Grammatical gender separated from social gender (Omrani Sabbaghi & Caliskan 2022): its nouns and its measures."""
