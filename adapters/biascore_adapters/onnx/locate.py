"""From a reference to the files of an exported model, checked before onnxruntime is imported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from biascore.api.adapters import ModelRef
from biascore.api.formats import leads_out, user_path
from biascore.api.support import check_fetched
from biascore.errors import ModelLoadError
from biascore_adapters.onnx.protobuf import OnnxHeader, read_header
from biascore_adapters.transformer.exported import EXPORTED_FILE, Exported
from biascore_adapters.transformer.folder import VOCABULARY, ModelFolder, matching, modules_of, read_config

GRAPH_FILE: Final = "model.onnx"


@dataclass(frozen=True, slots=True)
class OnnxFolder:
    """A folder that holds an ONNX model, what its graph states, and what biascore wrote next to it, if it did."""

    files: ModelFolder
    stated: OnnxHeader
    exported: Exported | None

    @property
    def path(self) -> Path:
        """Where the folder is."""
        return self.files.path

    @property
    def graph(self) -> Path:
        """The graph's file."""
        return self.path / GRAPH_FILE


def find(ref: ModelRef) -> OnnxFolder:
    """The folder that ``ref`` names.

    Raises ModelLoadError where there is none, or where graph, external data, configuration or tokenizer is
    missing or damaged.
    """
    path = user_path(ref.locator)
    if not ref.locator or not path.exists():
        raise ModelLoadError(f"{ref}: there is no folder {ref.locator!r}. Write onnx:/path/to/folder")
    if not path.is_dir():
        raise ModelLoadError(f"{ref} names a file. Name the folder that holds it: onnx:{path.parent}")
    graph = path / GRAPH_FILE
    if not graph.is_file():
        others = [other.relative_to(path).as_posix() for other in sorted(path.rglob("*.onnx"))]
        found = f"; it holds {', '.join(others[:3])}" if others else ""
        raise ModelLoadError(
            f"{path} has no {GRAPH_FILE}{found}. Put the graph, under that name, next to config.json and the "
            "tokenizer, or export the model: biascore export hf:<model> <folder>"
        )
    if not (path / "config.json").is_file():
        raise ModelLoadError(f"{path} has no config.json. Copy it from the model that was exported")
    config = read_config(path)
    check_fetched(graph, str(graph), ModelLoadError)
    # Without one transformers would go on with an empty vocabulary, and every word would be unknown.
    if not matching(path, VOCABULARY):
        raise ModelLoadError(
            f"{path} has no tokenizer (none of {', '.join(VOCABULARY)}). Save it there: "
            f"tokenizer.save_pretrained({str(path)!r})"
        )
    stated = read_header(graph)
    external = tuple(_external(path, name) for name in stated.external)
    # What biascore wrote next to the graph changes how it is run, and so belongs to what identifies it.
    beside = matching(path, [EXPORTED_FILE])
    files = ModelFolder(path, None, config, (graph, *external, *beside), modules_of(path))
    files.check_fetched()
    return OnnxFolder(files, stated, Exported.find(files))


def _external(folder: Path, name: str) -> Path:
    if leads_out(name):
        raise ModelLoadError(
            f"{folder / GRAPH_FILE} keeps weights in {name!r}, outside its folder, which is refused. Export the "
            "model again"
        )
    path = folder / name
    if not path.is_file():
        raise ModelLoadError(
            f"{folder / GRAPH_FILE} keeps weights in {name!r}, which is not in the folder. Copy that file next to it"
        )
    return path
