"""What a file is, by its content; a suffix is only a name."""

from __future__ import annotations

import re
import struct
from typing import Final

from biascore.errors import ModelLoadError
from biascore_adapters.fasttext.binary import MAGIC, BinaryVectors, read_dictionary
from biascore_adapters.fasttext.fields import fields_of, parse_values
from biascore_adapters.fasttext.index import MAX_DIMENSIONS
from biascore_adapters.fasttext.options import UTF_8, Format
from biascore_adapters.fasttext.quantised import QuantisedVectors
from biascore_adapters.fasttext.storage import ModelFile, unusable
from biascore_adapters.fasttext.textvec import (
    GZIP_MAGIC,
    TextVectors,
    first_text,
    parse_header,
)
from biascore_adapters.fasttext.vectors import WordVectors
from biascore_adapters.fasttext.word2vec import Word2VecVectors

"""How to read a file: by its content, or as what the user says it is."""

_HEAD: Final = 1 << 16
_MAGIC_BYTES: Final = struct.pack("<i", MAGIC)
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_UNPACK: Final = "Unpack it first and name the file inside."
_FOREIGN: Final = (
    (b"PK\x03\x04", "a zip archive", _UNPACK),
    (b"BZh", "a bzip2 archive", _UNPACK),
    (b"\xfd7zXZ", "an xz archive", _UNPACK),
    (b"7z\xbc\xaf", "a 7z archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", _UNPACK),
    (b"version https://git-lfs", "a git-lfs pointer, not the file", "Fetch the file with: git lfs pull"),
    (b"\x80", "a Python pickle (gensim's own format?), which is never opened",
     "Export it from gensim with: vectors.save_word2vec_format('model.vec')"),
    (b"\x93NUMPY", "a NumPy array without words", "Export the vectors with their words as .vec."),
    (b"\x89HDF", "an HDF5 file", "Export the vectors as .vec."),
    (b"GGUF", "a GGUF language model", "Only word vectors are opened here."),
    (b"PAR1", "a Parquet table", "Export the vectors as .vec."),
    (b"{", "a JSON file", "Only word vectors are opened here."),
)  # fmt: skip


def open_vectors(file: ModelFile, wanted: Format, subwords: bool, encoding: str = UTF_8) -> WordVectors:
    """Open the file in the format wanted, or the one its content shows.

    Raises ModelLoadError that says what was found where it is none of those read here, and
    MissingExtraError for a quantised model without the ``fasttext`` library.
    """
    found = _format_of_content(file) if wanted == "auto" else wanted
    if found == "vec":
        return TextVectors(file, encoding)
    if encoding != UTF_8:
        raise unusable(file.path, f"encoding={encoding} is for text files, and this is none", "Leave it out.")
    if found == "word2vec":
        return Word2VecVectors(file)
    dictionary = read_dictionary(file)
    stored = "ftz" if dictionary.quantised else "bin"
    if wanted not in ("auto", stored):
        raise unusable(
            file.path, f"the option format={wanted} was set, but this is a model of format {stored}",
            "Set format=auto.",
        )  # fmt: skip
    return (QuantisedVectors if dictionary.quantised else BinaryVectors)(file, dictionary, subwords)


def _format_of_content(file: ModelFile) -> Format:
    head = file.head(_HEAD)
    if not head:
        raise unusable(file.path, "an empty file", "Download or export it again.")
    if head.startswith(_MAGIC_BYTES):
        return "bin"
    if head.startswith(GZIP_MAGIC):
        if _looks_like_text(inside := first_text(file.path, head)) and not inside.startswith(_MAGIC_BYTES):
            return "vec"
        raise unusable(
            file.path,
            "a gzip archive of a binary file, which cannot be read at random",
            f"Unpack it first: gunzip --keep {file.path}",
        )
    line, _, rest = head.partition(b"\n")
    header = parse_header(line)
    if header is not None:
        return _text_or_word2vec(rest, header[1])
    if _has_values(line):
        return "vec"
    if foreign := _foreign(file, head):
        raise foreign
    if _looks_like_text(head):
        return "vec"
    raise unusable(
        file.path,
        f"no known format of word vectors (it begins with the bytes {head[:8].hex(' ')})",
        "Name a fastText .bin or .ftz, a .vec, or a word2vec binary.",
    )


def _text_or_word2vec(rest: bytes, dimensions: int) -> Format:
    fields = fields_of(rest.partition(b"\n")[0]) if dimensions <= MAX_DIMENSIONS else []
    if len(fields) > dimensions and parse_values(fields[-dimensions:]) is not None:
        return "vec"
    return "vec" if _looks_like_text(rest) else "word2vec"


def _looks_like_text(data: bytes) -> bool:
    """Whether the bytes are UTF-8 (the last character may be cut) without control characters."""
    if _CONTROL.search(data):
        return False
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data" and len(data) - error.start < 4
    return True


def _has_values(line: bytes) -> bool:
    fields = fields_of(line)
    return len(fields) > 2 and parse_values(fields[1:]) is not None


def _foreign(file: ModelFile, head: bytes) -> ModelLoadError | None:
    for magic, what, step in _FOREIGN:
        if head.startswith(magic):
            return unusable(file.path, f"this is {what}", step)
    if head.lstrip()[:9].lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        return unusable(file.path, "this is a web page, not a model", "Download the model file itself.")
    if head[8:10] == b'{"' and int.from_bytes(head[:8], "little") < file.size:
        return unusable(file.path, "this is a safetensors file", "Open language models with hf: instead.")
    return None
