"""The files of BBQ and its kin as tests: one module a family, over a shared reader."""
