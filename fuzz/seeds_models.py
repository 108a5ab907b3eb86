"""Valid inputs of the readers of models."""

from __future__ import annotations

import json
import struct
import tempfile
from pathlib import Path

import numpy as np

from .packing import packed
from .seeds import WORDS, Seeds, folder, packed_folder, safetensors


def vec() -> Seeds:
    import gzip

    rng = np.random.default_rng(1)
    rows = [f"{word} {' '.join(f'{x:.3f}' for x in rng.normal(size=4))}" for word in WORDS]
    text = "\n".join([f"{len(rows)} 4", *rows, ""]).encode()
    return [text, "\n".join([*rows, ""]).encode(), gzip.compress(text, mtime=0)]


def word2vec() -> Seeds:
    rng = np.random.default_rng(1)
    rows = [word.encode() + b" " + rng.normal(size=4).astype("<f4").tobytes() for word in WORDS]
    return [
        f"{len(rows)} 4\n".encode() + b"".join(rows),
        f"{len(rows)} 4\n".encode() + b"\n".join(rows) + b"\n",
    ]


def fasttext_bin(model: int = 2, minn: int = 2, maxn: int = 3, bucket: int = 7) -> bytes:
    """A model in fastText's own format, written field by field."""
    rng = np.random.default_rng(1)
    head = struct.pack("<ii12id", 793712314, 12, 4, 5, 1, 1, 5, 1, 2, model, bucket, minn, maxn, 100, 1e-4)
    labels = 2 if model == 3 else 0
    own = [(word, 0) for word in WORDS] + [(f"__label__{n}", 1) for n in range(labels)]
    head += struct.pack("<iiiqq", len(own), len(WORDS), labels, 99, -1)
    head += b"".join(word.encode() + b"\0" + struct.pack("<qb", 9, kind) for word, kind in own)
    rows, out = len(WORDS) + bucket, labels or len(WORDS)
    matrices = b"".join(
        b"\0" + struct.pack("<qq", n, 4) + rng.normal(size=(n, 4)).astype("<f4").tobytes()
        for n in (rows, out)
    )
    return head + matrices


def binaries() -> Seeds:
    return [fasttext_bin(), fasttext_bin(model=3), fasttext_bin(minn=0, maxn=0, bucket=0)]


def quantised() -> Seeds:
    """Two models that the library quantised; none where it is not installed."""
    try:
        import fasttext
    except ImportError:
        return []

    def write(made: Path) -> None:
        text = made / "text"
        text.write_text(
            "".join(f"__label__{n % 2} {' '.join(WORDS)}\n" for n in range(300)), encoding="utf-8"
        )
        for name, more in (("a", {}), ("b", {"qnorm": True, "cutoff": 260, "retrain": False})):
            model = fasttext.train_supervised(
                str(text),
                dim=4,
                epoch=1,
                lr=0.01,
                minn=2,
                maxn=3,
                bucket=300,
                thread=11,  # fastText 0.9.3 initialises a tenth of the matrix by thread and leaves the rest to chance
                verbose=0,
                loss="ova",
                lrUpdateRate=10,
            )
            model.quantize(**more)
            model.save_model(str(made / name))
        text.unlink()

    return folder(write, whole=False)


def onnx_folder() -> Seeds:
    """A graph without a use, with a node, an attribute with a graph, and weights in a file of their own."""
    import onnx
    from onnx import TensorProto, helper

    node = helper.make_node("Identity", ["x"], ["y"])
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("x", "y")]
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="weights.data")
    inner = helper.make_graph([node], "inner", [], info[1:])
    branch = helper.make_node("If", ["x"], ["y"], then_branch=inner, else_branch=inner)
    graph = helper.make_graph([node, branch], "g", info[:1], info[1:], initializer=[tensor])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    onnx.checker  # noqa: B018  # the package is there
    exported = {
        "format": 1,
        "kind": "masked",
        "causal": False,
        "max_tokens": 8,
        "rows": 9,
        "tokens": 9,
        "pad": 0,
    }
    files = {
        "model.onnx": model.SerializeToString(),
        "weights.data": b"\0" * 4,
        "config.json": b'{"model_type": "bert"}',
        "vocab.txt": b"[PAD]\n[UNK]\na\n",
        "biascore_onnx.json": json.dumps(exported).encode(),
        "modules.json": json.dumps(
            [
                {"type": f"sentence_transformers.models.{one}", "path": path}
                for one, path in (("Transformer", ""), ("Pooling", "1"))
            ]
        ).encode(),
        "1/config.json": b'{"pooling_mode": "mean"}',
    }
    return [packed(files), packed({name: raw for name, raw in files.items() if name != "modules.json"})]


def sentence_folder() -> Seeds:
    types = ("Transformer", "Pooling", "Dense", "LayerNorm", "Normalize")
    modules = [
        {"idx": n, "type": f"sentence_transformers.models.{one}", "path": f"{n}_{one}" if n else ""}
        for n, one in enumerate(types)
    ]
    dense = {
        "in_features": 4,
        "out_features": 3,
        "bias": True,
        "activation_function": "torch.nn.modules.activation.Tanh",
    }
    files = {
        "modules.json": modules,
        "config_sentence_transformers.json": {
            "prompts": {"query": "q: "},
            "default_prompt_name": "query",
            "truncate_dim": 2,
        },
        "sentence_bert_config.json": {"max_seq_length": 8, "do_lower_case": True},
        "config.json": {"model_type": "bert", "hidden_size": 4, "architectures": ["BertForMaskedLM"]},
        "tokenizer_config.json": {"tokenizer_class": "BertTokenizer"},
        "1_Pooling/config.json": {
            "word_embedding_dimension": 4,
            "pooling_mode_mean_tokens": True,
            "include_prompt": False,
        },
        "2_Dense/config.json": dense,
    }
    plain = {name: json.dumps(value).encode() for name, value in files.items()}
    more = {
        "2_Dense/model.safetensors": safetensors(
            {"linear.weight": np.ones((3, 4)), "linear.bias": np.zeros(3)}
        ),
        "3_LayerNorm/model.safetensors": safetensors({"norm.weight": np.ones(3), "norm.bias": np.zeros(3)}),
        "model.safetensors": safetensors({"x": np.ones(2)}),
        "vocab.txt": b"[PAD]\n[UNK]\na\n",
    }
    other = {"config.json": json.dumps({"model_type": "gpt2", "quantization_config": None}).encode()}
    return [
        packed(plain | more),
        packed(other | {"vocab.json": b"{}", "model.safetensors": more["model.safetensors"]}),
    ]


def opened() -> Seeds:
    """Models with random weights, small enough to be changed: masked, causal, one with a sequence head."""
    import transformers

    from tests.builders import tiny

    def saved(kind: str, auto: object = None, **changes: object) -> bytes:
        with tempfile.TemporaryDirectory() as made:
            width = (
                {"n_embd": 8, "n_layer": 1} if kind == "gpt2" else {"hidden_size": 8, "num_hidden_layers": 1}
            )
            tiny.save_model(kind, Path(made), 1, auto, **width, **changes)
            return packed_folder(Path(made))

    head = transformers.AutoModelForSequenceClassification
    return [saved("bert-uncased"), saved("llama"), saved("gpt2"), saved("bert-uncased", head, num_labels=2)]


def translators() -> Seeds:
    import transformers

    from tests.adapters.hf import translators as families
    from tests.builders import tiny

    with tempfile.TemporaryDirectory() as made:
        tokenizer = families.tokenizer_of("t5", Path(made))
        tokenizer.save_pretrained(made)
        config = families.config_of("t5", tokenizer)
        config.update(
            {"d_model": 8, "d_ff": 8, "d_kv": 4, "num_layers": 1, "num_decoder_layers": 1, "num_heads": 2}
        )
        tiny.save_random(transformers.AutoModelForSeq2SeqLM, config, Path(made), 1)
        return [packed_folder(Path(made))]


def trainings() -> Seeds:
    tensors = {"weight/weight": np.ones((1, 2)), "exp_avg/weight": np.ones((1, 2)), "step/weight": 2.0}
    return [
        packed(
            {
                "state/state.json": b'{"step": 2, "losses": [0.5]}',
                "state/state.safetensors": safetensors(tensors),
            }
        )
    ]


def scorers() -> Seeds:
    from biascore_emotions.parts import read_data
    from biascore_emotions.train import Training, train_scorer
    from tests.scorers.conftest import rows

    found = []
    with tempfile.TemporaryDirectory() as made:
        table = Path(made, "t.csv")
        table.write_text(
            "text,anger,joy\n" + "".join(f"{t},{a},{j}\n" for t, a, j in rows()), encoding="utf-8"
        )
        data = read_data([str(table)], emotions=["anger"])
        for head, options in (
            ("svr", {"C": 1.0, "gamma": 1.0, "kernel": "rbf"}),
            ("ridge", {"alphas": [0.1, 1.0]}),
        ):
            training = Training(tfidf=True, head=head, options=options)
            train_scorer(data, Path(made, head, "s"), training)
            found.append(packed_folder(Path(made, head)))
    return found


def bases() -> Seeds:
    """What was learnt by a transform: a matrix of three dimensions and two steps."""
    from biascore_transforms import basis_file

    record = basis_file.Record("leace", {"lists": ["a"]}, "m", "", 3, {"rank": 2}, (), ({"step": 1},), (1, 2))
    arrays = {"read": np.eye(3, 2), "write": np.eye(3, 2) / 2, "offset": np.zeros(3)}
    return folder(lambda at: basis_file.write(at / "basis.npz", arrays, record), whole=False)
