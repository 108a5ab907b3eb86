"""A tiny llama with random weights, as torch computes it and as a GGUF file for llama.cpp.

The vocabulary has words, the beginnings of words from which a tokenizer puts them together, letters and bytes. Only words
are likely, so that what the model says is text.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

WORDS = re.findall(
    r"\w+",
    "the nurse engineer was late he she they nobody here there and of it is in a who said when because cat dog house river "
    "went home came back early again often never always today",
)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,?!:'-\n"
HEADS, WIDTH, LAYERS, FEED, CONTEXT = 4, 64, 2, 128, 512
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6
_ALIGNED = 32


def vocabulary() -> tuple[list[str], list[int], list[int]]:
    """Pieces, their types, and the ids of whole words."""
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256)), "▁", *LETTERS]
    types = [_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256, *[_NORMAL] * (1 + len(LETTERS))]
    for word in WORDS:
        pieces += [f"▁{word[:end]}" for end in range(1, len(word) + 1) if f"▁{word[:end]}" not in pieces]
    types += [_NORMAL] * (len(pieces) - len(types))
    return pieces, types, [pieces.index(f"▁{word}") for word in WORDS]


def tiny_llama(seed: int = 0) -> LlamaForCausalLM:
    pieces, _, words = vocabulary()
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(pieces),
        hidden_size=WIDTH,
        intermediate_size=FEED,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        max_position_embeddings=CONTEXT,
        initializer_range=0.2,
        rms_norm_eps=1e-5,
        bos_token_id=1,
        eos_token_id=2,
        tie_word_embeddings=False,
    )
    model = LlamaForCausalLM(config).eval()
    with torch.no_grad():
        likely = torch.full((len(pieces), 1), 0.1)
        likely[words] = 1.5
        model.lm_head.weight *= likely
    return model


def write_gguf(model: LlamaForCausalLM, path: Path, *, start: bool = True) -> None:
    """``start``: whether a start token is put before each text."""
    pieces, types, _ = vocabulary()
    facts: dict[str, Any] = {
        "general.architecture": "llama",
        "general.name": "tiny",
        "llama.context_length": CONTEXT,
        "llama.embedding_length": WIDTH,
        "llama.block_count": LAYERS,
        "llama.feed_forward_length": FEED,
        "llama.rope.dimension_count": WIDTH // HEADS,
        "llama.rope.freq_base": 10000.0,
        "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": HEADS,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.vocab_size": len(pieces),
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.scores": [-float(i) for i in range(len(pieces))],
        "tokenizer.ggml.token_type": types,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.ggml.add_bos_token": start,
        "tokenizer.ggml.add_eos_token": False,
        "tokenizer.ggml.add_space_prefix": False,
    }
    tensors = _tensors(model)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(facts))
    head += b"".join(_text(name) + _value(value) for name, value in facts.items())
    data = b""
    for name, values in tensors.items():
        shape = values.shape[::-1]
        head += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
        data += values.astype("<f4").tobytes()
        data += bytes(-len(data) % _ALIGNED)
    path.write_bytes(head + bytes(-len(head) % _ALIGNED) + data)


def _tensors(model: LlamaForCausalLM) -> dict[str, np.ndarray]:
    weights = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    found = {
        "token_embd.weight": weights["model.embed_tokens.weight"],
        "output_norm.weight": weights["model.norm.weight"],
        "output.weight": weights["lm_head.weight"],
    }
    names = {
        "attn_norm": "input_layernorm",
        "attn_q": "self_attn.q_proj",
        "attn_k": "self_attn.k_proj",
        "attn_v": "self_attn.v_proj",
        "attn_output": "self_attn.o_proj",
        "ffn_norm": "post_attention_layernorm",
        "ffn_gate": "mlp.gate_proj",
        "ffn_up": "mlp.up_proj",
        "ffn_down": "mlp.down_proj",
    }
    for layer in range(LAYERS):
        for short, long in names.items():
            values = weights[f"model.layers.{layer}.{long}.weight"]
            if short in ("attn_q", "attn_k"):  # llama.cpp rotates neighbours, transformers the two halves
                halves = values.reshape(HEADS, 2, WIDTH // HEADS // 2, WIDTH)
                values = halves.swapaxes(1, 2).reshape(values.shape)
            found[f"blk.{layer}.{short}.weight"] = values
    return found


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Any) -> bytes:
    kind, raw = _typed(value)
    return struct.pack("<I", kind) + raw


def _typed(value: Any) -> tuple[int, bytes]:
    """The number of a type in GGUF, and the bytes."""
    if isinstance(value, list):
        if isinstance(value[0], int):  # types of tokens are signed
            return 9, struct.pack(f"<IQ{len(value)}i", 5, len(value), *value)
        kinds = [_typed(one) for one in value]
        return 9, struct.pack("<IQ", kinds[0][0], len(value)) + b"".join(raw for _, raw in kinds)
    if isinstance(value, bool):
        return 7, struct.pack("<?", value)
    if isinstance(value, str):
        return 8, _text(value)
    return (4, struct.pack("<I", value)) if isinstance(value, int) else (6, struct.pack("<f", value))
