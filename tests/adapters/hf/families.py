"""Tiny random models of the families that people use: their configurations, and folders of them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import transformers

from ...builders import tiny


@dataclass(frozen=True)
class Family:
    """A family: its ``model_type``, its tokenizer (of ``tiny``), its Auto class, and changes to its configuration.

    ``trunk`` is where its hidden states come from, if not from the base model.
    """

    model_type: str
    tokenizer: str = "llama"
    auto: str = "AutoModelForCausalLM"
    changes: Mapping[str, Any] = field(default_factory=dict)
    trunk: str = ""


_MASKED: Final = "AutoModelForMaskedLM"
_SEVERAL: Final = "AutoModelForMultimodalLM"
_EXPERTS: Final = {
    "num_experts": 4,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 24,
}
_SSM: Final = {
    "mamba_n_heads": 4,
    "mamba_d_head": 16,
    "mamba_d_state": 8,
    "mamba_n_groups": 1,
    "mamba_expand": 2,
}
_LATENT: Final = {
    **{"q_lora_rank": 16, "kv_lora_rank": 8, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8},
    **{
        "n_routed_experts": 4,
        "n_shared_experts": 1,
        "n_group": 2,
        "topk_group": 1,
        "first_k_dense_replace": 1,
    },
    **{"num_experts_per_tok": 2, "moe_intermediate_size": 24, "num_key_value_heads": 4, "head_dim": 8},
}
_GEMMA_TEXT: Final = {
    "head_dim": 8,
    "layer_types": ["sliding_attention", "full_attention"],
    "sliding_window": 8,
}
_MROPE: Final = {"rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 1e4}}
_VISION: Final = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 24,
}
_QWEN_VISION: Final = {
    "depth": 1,
    "hidden_size": 16,
    "num_heads": 2,
    "intermediate_size": 24,
    "out_hidden_size": 32,
}
_LINEAR: Final = {
    **{
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
    },
    **{"layer_types": ["linear_attention", "full_attention"], "head_dim": 8},
}


def _wordpiece(model_type: str, **changes: Any) -> Family:
    return Family(model_type, "bert-uncased", _MASKED, changes)


def _fairseq(model_type: str, **changes: Any) -> Family:
    more = {"max_position_embeddings": tiny.CONTEXT + 2, "type_vocab_size": 1, "pad_token_id": 1}
    return Family(model_type, "roberta", _MASKED, more | changes)


def _causal(model_type: str, tokenizer: str = "llama", **changes: Any) -> Family:
    return Family(model_type, tokenizer, changes=changes)


FAMILIES: Final[dict[str, Family]] = {
    # masked language models
    "bert": _wordpiece("bert"),
    "roberta": _fairseq("roberta"),
    "xlm-roberta": _fairseq("xlm-roberta"),
    "distilbert": Family(
        "distilbert", "distilbert", _MASKED, {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48}
    ),
    "albert": Family("albert", "albert", _MASKED, {"embedding_size": 16}),
    "electra": _wordpiece("electra", embedding_size=16),
    "modernbert": _wordpiece("modernbert", global_attn_every_n_layers=2, local_attention=8),
    "deberta": _wordpiece("deberta", relative_attention=True, pos_att_type=["c2p", "p2c"]),
    "deberta-v2": _wordpiece("deberta-v2", relative_attention=True, pos_att_type=["c2p", "p2c"]),
    "deberta-v3 (convolution)": _wordpiece(
        "deberta-v2", relative_attention=True, pos_att_type=["c2p", "p2c"], conv_kernel_size=3
    ),
    "deberta-v2 (new head)": _wordpiece("deberta-v2", legacy=False),
    "mpnet": Family("mpnet", "roberta", _MASKED, {"pad_token_id": 1, "max_position_embeddings": 66}),
    "camembert": _fairseq("camembert"),
    "xlm-roberta-xl": _fairseq("xlm-roberta-xl"),
    "xmod": _fairseq("xmod", default_language="en_XX", languages=["en_XX"]),
    "xlm": _wordpiece("xlm", emb_dim=32, n_layers=2, n_heads=4, n_langs=1),
    "flaubert": _wordpiece("flaubert", emb_dim=32, n_layers=2, n_heads=4),
    "longformer": _fairseq("longformer", attention_window=4),
    "big_bird": _wordpiece("big_bird", block_size=4, num_random_blocks=1),
    "nomic_bert": _wordpiece("nomic_bert"),
    "eurobert": _wordpiece("eurobert"),
    "jina_embeddings_v3": _fairseq("jina_embeddings_v3"),
    "convbert": _wordpiece("convbert", embedding_size=32, conv_kernel_size=5),
    "ernie": _wordpiece("ernie"),
    "rembert": _wordpiece("rembert", input_embedding_size=16, output_embedding_size=16),
    "data2vec-text": _fairseq("data2vec-text"),
    "roberta-prelayernorm": _fairseq("roberta-prelayernorm"),
    "mobilebert": _wordpiece(
        "mobilebert", embedding_size=16, intra_bottleneck_size=16, true_hidden_size=16, hidden_size=32
    ),
    "roformer": _wordpiece("roformer", embedding_size=32),
    "squeezebert": _wordpiece("squeezebert", embedding_size=32),
    "megatron-bert": _wordpiece("megatron-bert"),
    "ibert": _fairseq("ibert"),
    "fnet": _wordpiece("fnet", use_tpu_fourier_optimizations=False),
    "funnel": _wordpiece(
        "funnel",
        block_sizes=[1, 1],
        num_hidden_layers=None,
        num_decoder_layers=1,
        d_model=32,
        n_head=4,
        d_head=8,
        d_inner=48,
    ),
    "yoso": _wordpiece("yoso"),
    "esm": _fairseq("esm", mask_token_id=4, position_embedding_type="rotary"),
    "luke": _fairseq("luke", entity_vocab_size=8, entity_emb_size=16),
    "layoutlm": _wordpiece("layoutlm"),
    # decoders
    "gpt2": Family("gpt2", "gpt2", changes={"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}),
    "llama": _causal("llama"),
    "llama (its own beginning)": _causal("llama", "llama-adds-bos"),
    "mistral": _causal("mistral", sliding_window=8, head_dim=8),
    "ministral3": _causal("ministral3", head_dim=8),
    "qwen2": _causal("qwen2", "gpt2-no-bos"),
    "qwen3": _causal("qwen3", "gpt2-no-bos", head_dim=8),
    "qwen3_next": _causal(
        "qwen3_next", "gpt2-no-bos", shared_expert_intermediate_size=24, **_EXPERTS, **_LINEAR
    ),
    "qwen3_5_text": _causal("qwen3_5_text", "gpt2-no-bos", **_LINEAR),
    "gemma": _causal("gemma", "llama-adds-bos", head_dim=8),
    "gemma2": _causal("gemma2", "llama-adds-bos", **_GEMMA_TEXT),
    "gemma3_text": _causal("gemma3_text", "llama-adds-bos", **_GEMMA_TEXT),
    "gemma3n_text": _causal(
        "gemma3n_text",
        "llama-adds-bos",
        **_GEMMA_TEXT,
        hidden_size_per_layer_input=8,
        laurel_rank=4,
        num_kv_shared_layers=0,
        activation_sparsity_pattern=[0.0, 0.0],
        altup_num_inputs=2,
    ),
    "gemma4_text": _causal(
        "gemma4_text", "llama-adds-bos", **_GEMMA_TEXT, hidden_size_per_layer_input=8, num_kv_shared_layers=0
    ),
    "phi": _causal("phi"),
    "phi3": _causal("phi3", pad_token_id=0),
    "phi3 (longrope)": _causal(
        "phi3",
        pad_token_id=0,
        original_max_position_embeddings=16,
        rope_parameters={
            "rope_type": "longrope",
            "rope_theta": 1e4,
            "short_factor": [1.0] * 4,
            "long_factor": [4.0] * 4,
            "original_max_position_embeddings": 16,
        },
    ),
    "olmo2": _causal("olmo2"),
    "olmo3": _causal("olmo3"),
    "smollm3": _causal("smollm3"),
    "falcon (alibi)": _causal("falcon", alibi=True, new_decoder_architecture=False, multi_query=False),
    "falcon": _causal("falcon", alibi=False),
    "gpt_neox": _causal("gpt_neox"),
    "bloom": _causal("bloom", n_layer=2, n_head=4),
    "opt": _causal("opt", ffn_dim=48, word_embed_proj_dim=16),
    "mpt": _causal("mpt", d_model=32, n_heads=4, n_layers=2, max_seq_len=64),
    "gptj": _causal("gptj", n_embd=32, n_layer=2, n_head=4, rotary_dim=4, n_positions=64),
    "gpt_neo": _causal(
        "gpt_neo", num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]], window_size=8
    ),
    "gpt_bigcode": _causal("gpt_bigcode", n_embd=32, n_layer=2, n_head=4, n_positions=64),
    "xglm": _causal("xglm", d_model=32, num_layers=2, attention_heads=4, ffn_dim=48),
    "biogpt": _causal("biogpt"),
    "mamba": _causal("mamba", state_size=8, conv_kernel=4),
    "mamba2": _causal("mamba2", state_size=8, num_heads=4, head_dim=16, n_groups=1, chunk_size=8),
    "falcon_mamba": _causal("falcon_mamba", state_size=8),
    "rwkv": _causal("rwkv", attention_hidden_size=32),
    "recurrent_gemma": _causal(
        "recurrent_gemma",
        "llama-adds-bos",
        block_types=["recurrent", "attention"],
        attention_window_size=8,
        lru_width=32,
    ),
    "mixtral": _causal("mixtral", **_EXPERTS, head_dim=8),
    "qwen2_moe": _causal("qwen2_moe", "gpt2-no-bos", shared_expert_intermediate_size=24, **_EXPERTS),
    "qwen3_moe": _causal("qwen3_moe", "gpt2-no-bos", head_dim=8, **_EXPERTS),
    "olmoe": _causal("olmoe", **_EXPERTS),
    "gpt_oss": _causal("gpt_oss", "gpt2-no-bos", head_dim=8, sliding_window=8, **_EXPERTS),
    "deepseek_v3": _causal("deepseek_v3", **_LATENT),
    "granite": _causal("granite"),
    "granitemoehybrid": _causal(
        "granitemoehybrid",
        shared_intermediate_size=24,
        layer_types=["mamba", "attention"],
        **_EXPERTS,
        **_SSM,
    ),
    "cohere2": _causal("cohere2", head_dim=8),
    "stablelm": _causal("stablelm"),
    "starcoder2": _causal("starcoder2"),
    "glm4": _causal("glm4", head_dim=8),
    "lfm2": _causal(
        "lfm2", layer_types=["conv", "full_attention"], conv_L_cache=3, block_auto_adjust_ff_dim=False
    ),
    "jamba": _causal(
        "jamba",
        **_EXPERTS,
        attn_layer_period=2,
        attn_layer_offset=1,
        expert_layer_period=2,
        expert_layer_offset=1,
        mamba_d_state=8,
        mamba_dt_rank=4,
        use_mamba_kernels=False,
    ),
    "falcon_h1": _causal("falcon_h1", mamba_d_ssm=64, head_dim=8, **_SSM),
    "openai-gpt": _causal("openai-gpt", n_embd=32, n_layer=2, n_head=4, n_positions=64),
    "xlnet": _causal("xlnet", max_position_embeddings=None, d_model=32, n_layer=2, n_head=4, d_inner=48),
    "ctrl": _causal("ctrl", n_embd=32, n_layer=2, n_head=4, dff=48, n_positions=64),
    # decoders that see to both sides
    "qwen2 (is_causal false)": _causal("qwen2", "gpt2-no-bos", is_causal=False),
    "gemma3_text (bidirectional)": _causal(
        "gemma3_text", "llama-adds-bos", use_bidirectional_attention=True, **_GEMMA_TEXT
    ),
    # text decoders inside models of several modalities
    "mistral3": Family(
        "mistral3",
        auto=_SEVERAL,
        changes={
            "text": {"model_type": "mistral", "head_dim": 8},
            "vision": {"model_type": "pixtral", **_VISION},
        },
    ),
    "qwen2_5_vl": Family("qwen2_5_vl", "gpt2-no-bos", _SEVERAL, {"text": _MROPE, "vision": _QWEN_VISION}),
    "qwen3_vl": Family(
        "qwen3_vl", "gpt2-no-bos", _SEVERAL, {"text": {**_MROPE, "head_dim": 8}, "vision": _QWEN_VISION}
    ),
    "qwen3_5": Family("qwen3_5", "gpt2-no-bos", _SEVERAL, {"text": {**_LINEAR}, "vision": _QWEN_VISION}),
    "gemma3": Family("gemma3", "llama-adds-bos", _SEVERAL, {"text": _GEMMA_TEXT, "vision": _VISION}),
    "gemma4": Family(
        "gemma4",
        "llama-adds-bos",
        _SEVERAL,
        {
            "text": {**_GEMMA_TEXT, "hidden_size_per_layer_input": 8, "num_kv_shared_layers": 0},
            "vision": _VISION,
        },
    ),
    "llama4": Family(
        "llama4",
        "llama-adds-bos",
        _SEVERAL,
        {"text": {**_EXPERTS, "head_dim": 8}, "vision": _VISION},
        "language_model.model",
    ),
}


def config_of(family: Family, vocabulary: int) -> Any:
    """The tiny configuration of a family."""
    small: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    small |= {"intermediate_size": 48, "vocab_size": vocabulary, "max_position_embeddings": tiny.CONTEXT}
    small |= {"num_key_value_heads": 2, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    changes = copy.deepcopy(dict(family.changes))
    if "text" in changes:
        text, vision = changes.pop("text"), changes.pop("vision")
        changes |= {"text_config": small | text, "vision_config": vision, "image_token_id": vocabulary - 1}
        return transformers.CONFIG_MAPPING[family.model_type](**changes)
    small |= changes
    # None leaves an argument away: some families refuse the usual names.
    return transformers.CONFIG_MAPPING[family.model_type](**{k: v for k, v in small.items() if v is not None})


def save(name: str, folder: Path) -> Path:
    """A folder with a random model of the family and its tokenizer."""
    family = FAMILIES[name]
    tokenizer = tiny.tokenizer_of(family.tokenizer)
    tokenizer.save_pretrained(folder)
    config = config_of(family, len(tokenizer))
    tiny.save_random(getattr(transformers, family.auto), config, folder, seed=len(name), size=0.1)
    return folder
