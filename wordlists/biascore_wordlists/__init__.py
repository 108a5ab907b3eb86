"""The word lists and tests that ship with biascore: a folder of TOML files for each language, each a plugin of its own."""
