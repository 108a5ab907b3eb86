"""What biascore writes next to an exported graph: the facts that the graph does not hold, such as its limit."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from biascore.errors import ModelLoadError
from biascore_adapters.transformer.folder import ModelFolder, read_json_file

Kind = Literal["encoder", "decoder", "masked", "causal", "head"]
"""What a model is for: bare states of an encoder or decoder, or the head of a kind on top of them."""

EXPORTED_FILE: Final = "biascore_onnx.json"


class Exported(BaseModel):
    """The model behind an exported graph.

    ``causal``: a token sees only those before it. ``max_tokens``: the longest text, special tokens included;
    None where any length goes. ``rows``: token ids that have a vector. ``tokens``: entries of the tokenizer.
    ``pad``: the id that fills up shorter texts; None where none may be, because the head of a decoder would not
    find a text's last token.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    kind: Kind
    causal: bool
    max_tokens: int | None = Field(ge=1)
    rows: int = Field(ge=1)
    tokens: int = Field(ge=1)
    pad: int | None = Field(ge=0)

    @classmethod
    def find(cls, folder: ModelFolder) -> Exported | None:
        """What is in the folder, None where biascore did not write it; raises ModelLoadError if damaged."""
        path = folder.path / EXPORTED_FILE
        if not path.is_file():
            return None
        try:
            return cls.model_validate(read_json_file(path))
        except ValidationError as error:
            first = error.errors()[0]
            raise ModelLoadError(
                f"{path} is not what this version of biascore writes "
                f"({'.'.join(map(str, first['loc']))}: {first['msg']}). Export the model again"
            ) from error

    def write(self, folder: Path) -> None:
        """Write it into the folder."""
        (folder / EXPORTED_FILE).write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")
