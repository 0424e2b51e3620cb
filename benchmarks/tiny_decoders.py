"""Tiny decoders with random weights, of several families, and a tokeniser learnt from a few sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SENTENCES = (
    "Statement: a lovely film with good food and kind staff",
    "Answer: positive negative neutral very positive",
    "the bad film was not good , and the staff were rude",
    "Context: Hypothesis: Question: what is it ? entailed contradictory",
)
CHAT = (
    "{{ bos_token }}{% for message in messages %}"
    "<|{{ message['role'] }}|>{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{{ opening | default('') }}{% endif %}"
)
MARKS = ("<|begin|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
GROUPED = SIZES | {"num_key_value_heads": 2, "initializer_range": 0.3}
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt2": (
        "GPT2Config",
        {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 256, "initializer_range": 0.3},
    ),
    "llama": ("LlamaConfig", GROUPED | {"max_position_embeddings": 256}),
    "qwen2": ("Qwen2Config", GROUPED | {"max_position_embeddings": 256}),
    "mistral": ("MistralConfig", GROUPED | {"max_position_embeddings": 256, "sliding_window": 8}),
    "bloom": ("BloomConfig", {"hidden_size": 32, "n_layer": 2, "n_head": 4, "initializer_range": 0.3}),
    "mamba": (
        "MambaConfig",
        {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4, "initializer_range": 0.3},
    ),
}


def save_tokenizer(folder: Path, begins: bool, chat: str | None = None) -> int:
    """Save a byte-level BPE; `begins` puts a token before every text. How many tokens it has."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=list(MARKS), initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    if begins:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<|begin|> $A", special_tokens=[("<|begin|>", tokenizer.token_to_id("<|begin|>"))]
        )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<|begin|>", eos_token="<|end|>", model_max_length=256
    )
    fast.chat_template = chat
    fast.save_pretrained(folder)
    return len(fast)


def save_decoder(folder: Path, family: str = "llama", begins: bool = True, chat: str | None = None) -> Path:
    """Save a decoder of a family in `folder`, the same every time."""
    import transformers

    size = save_tokenizer(folder, begins, chat)
    name, sizes = FAMILIES[family]
    transformers.set_seed(0)
    config = getattr(transformers, name)(
        vocab_size=size, bos_token_id=0, eos_token_id=1, pad_token_id=1, **sizes
    )
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    return folder
