"""The JSON Schemas, made from the classes that read the files, and how the files that ship are named."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import PydanticOmit

from biascore.audits.audit import Audit
from biascore.basics.suggest import did_you_mean
from biascore.errors import UnknownNameError
from biascore.results.run import SCHEMA_VERSION, Run
from biascore.results.sensitivity import Sensitivity
from biascore.results.untested import Untested
from biascore.results.verdicts import RunVerdict
from biascore.stimuli.schema import Kinds

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
VERSIONS: Final = {"audit": 1, "stimuli": 1, "run": SCHEMA_VERSION}
"""Of each schema; that of stimuli files and of runs is what these files state. The file is ``audit-1.json``."""
_NO_KIND: Final = "_NoEntry"
_ATTRIBUTE: Final = re.compile(r"^    (\w+): ", re.MULTILINE)


class _WithoutTables(GenerateJsonSchema):
    """Without the tables of items, which are Parquet files next to ``run.json``."""

    def is_instance_schema(self, schema: Any) -> JsonSchemaValue:  # noqa: ARG002  (the signature is pydantic's)
        raise PydanticOmit


def json_schema(name: str, kinds: Kinds) -> dict[str, Any]:
    """The JSON Schema of ``audit``, ``stimuli`` or ``run`` files; of stimuli with tests of these kinds.

    Raises UnknownNameError. What follows from several keys together, only biascore checks.
    """
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "audit": lambda: _made(Audit),
        "stimuli": lambda: _of_stimuli(kinds),
        "run": _of_runs,
    }
    if name not in makers:
        raise UnknownNameError(
            f"there is no schema {name!r}. {did_you_mean(name, makers)}There are: {', '.join(makers)}"
        )
    title = f"biascore {name}, version {VERSIONS[name]}"
    return {"$schema": DIALECT, **makers[name](), "title": title}


def shipped(name: str) -> str:
    """The file of this name in the installed package."""
    return f"{name}-{VERSIONS[name]}.json"


def _made(model: type[BaseModel]) -> dict[str, Any]:
    found = model.model_json_schema(schema_generator=_WithoutTables)
    for one in (found, *found.get("$defs", {}).values()):
        _describe_keys(one)
    return found


def _describe_keys(schema: dict[str, Any]) -> None:
    """Give each key what the docstring of its class says of it, which editors show."""
    description, _, attributes = schema.get("description", "").partition("\nAttributes:\n")
    if attributes:
        schema["description"] = description.strip()
        _, *parts = _ATTRIBUTE.split(attributes)
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            if name in schema["properties"]:
                schema["properties"][name]["description"] = " ".join(text.split())


def _of_stimuli(kinds: Kinds) -> dict[str, Any]:
    """Without the kind that no file has, which is there for pydantic."""
    found = _made(kinds.file)
    found["description"] = "A stimuli file: word lists, and tests of them."
    (tests,) = found["properties"]["tests"]["patternProperties"].values()
    tests["oneOf"].remove({"$ref": f"#/$defs/{_NO_KIND}"})
    del found["$defs"][_NO_KIND], tests["discriminator"]["mapping"][""]
    return found


class _Derived(BaseModel):
    """What ``run.json`` holds next to a run (``Run.to_json``); the last two only where it is printed (``--json``)."""

    item_hashes: tuple[str, ...]
    verdicts: tuple[RunVerdict, ...]
    sensitivities: tuple[Sensitivity | None, ...] = ()
    results_digest: str
    content_sha256: str
    three_sentences: tuple[str, str, str] | None = None
    untested: Untested | None = None


def _of_runs() -> dict[str, Any]:
    found, more = _made(Run), _made(_Derived)
    for key in ("$defs", "properties"):
        found[key] |= more[key]
    found["required"] += more["required"]
    return found
