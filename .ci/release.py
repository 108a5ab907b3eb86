"""What a release is made of, next to its wheels: see docs/release.md.

python .ci/release.py lowest             constraints-lowest.txt, from the lower bounds of pyproject.toml
python .ci/release.py sbom PYTHON        CycloneDX list of what is installed for that Python
python .ci/release.py licences PYTHON    the same as a table: name, version, licence
python .ci/release.py hashes             the versions of constraints.txt with the digests of their files on PyPI
"""
