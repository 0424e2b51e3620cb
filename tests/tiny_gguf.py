"""A tiny Llama of `tiny_decoders` as a GGUF file, with the very weights and the very tokeniser.

Needs the package gguf, which tests of models in that format have, and torch and transformers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

#: The regular expression that cuts texts into words, by the name that llama.cpp has for it.
WORDS = "gpt-2"
#: Weights of whole rows of so many are quantised; others stay as they are.
ROW = 32


def write_gguf(folder: Path, target: Path, quantised: bool = False, **fields: Any) -> Path:
    """Write what `tiny_decoders.save_decoder` saved in `folder` to the file `target`.

    Weights are of 32 bits, or `quantised` to 8 (Q8_0) where they can be. `fields` add to what the file says
    of itself, by names with ``__`` for dots, such as ``split__count=2``.
    """
    import gguf
    import transformers

    network = transformers.AutoModelForCausalLM.from_pretrained(folder)
    writer = gguf.GGUFWriter(target, "llama")
    _say(writer, network.config, gguf.LlamaFileType.MOSTLY_Q8_0 if quantised else gguf.LlamaFileType.ALL_F32)
    _tokeniser(writer, folder)
    for name, value in fields.items():
        key = name.replace("__", ".")
        add = {int: writer.add_uint32, bool: writer.add_bool, str: writer.add_string}[type(value)]
        add(key, value)
    for name, tensor in _tensors(network.state_dict(), network.config):
        if quantised and tensor.ndim == 2 and tensor.shape[-1] % ROW == 0:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quants.quantize(tensor, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return target


def _say(writer: Any, config: Any, file_type: int) -> None:
    """What the network is like."""
    writer.add_name("Tiny Llama")
    writer.add_file_type(file_type)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)


def _tokeniser(writer: Any, folder: Path) -> None:
    """The byte-level BPE in the folder, with its marks and its chat template."""
    import gguf
    import transformers

    model = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    marks = set(tokenizer.added_tokens_decoder)
    tokens = sorted(tokenizer.get_vocab().items(), key=lambda one: one[1])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(WORDS)
    writer.add_token_list([token for token, _ in tokens])
    kinds = gguf.TokenType
    writer.add_token_types([kinds.CONTROL if at in marks else kinds.NORMAL for _, at in tokens])
    writer.add_token_merges([one if isinstance(one, str) else " ".join(one) for one in model["merges"]])
    writer.add_bos_token_id(tokenizer.bos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_add_bos_token(tokenizer("a")["input_ids"][0] == tokenizer.bos_token_id)
    if tokenizer.chat_template:
        writer.add_chat_template(tokenizer.chat_template)


def _tensors(weights: Mapping[str, Any], config: Any) -> Iterator[tuple[str, Any]]:
    """The weights by the names that llama.cpp has for them."""
    for name, tensor in weights.items():
        parts, array = name.removeprefix("model.").removesuffix(".weight").split("."), tensor.float().numpy()
        if parts[0] != "layers":
            whole = {"embed_tokens": "token_embd", "norm": "output_norm", "lm_head": "output"}
            yield f"{whole[parts[0]]}.weight", array
            continue
        heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
        if parts[-1] in heads:
            array = _interleaved(array, heads[parts[-1]])
        yield f"blk.{parts[1]}.{_OF_LAYERS[parts[-1]]}.weight", array


_OF_LAYERS = {
    "input_layernorm": "attn_norm",
    "q_proj": "attn_q",
    "k_proj": "attn_k",
    "v_proj": "attn_v",
    "o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "gate_proj": "ffn_gate",
    "up_proj": "ffn_up",
    "down_proj": "ffn_down",
}


def _interleaved(array: Any, heads: int) -> Any:
    """Queries or keys in the order in which llama.cpp turns them by their positions: pairs side by side."""
    halves = array.reshape(heads, 2, array.shape[0] // heads // 2, array.shape[1])
    return halves.swapaxes(1, 2).reshape(array.shape)
