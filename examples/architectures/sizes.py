"""The architectures and their published sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: How each family of transformers calls width, layers, heads and the inner width of its layers.
USUAL_NAMES = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
NAMES = {
    "DistilBert": ("dim", "n_layers", "n_heads", "hidden_dim"),
    "T5": ("d_model", "num_layers", "num_heads", "d_ff"),
}


@dataclass(frozen=True)
class Architecture:
    """One architecture: its `family` in transformers, its sizes, and the kind of its vocabulary.

    `pieces` are those of the vocabulary and `embeddings` the rows of their table, which may be more.
    `settings` are further ones of the family's configuration.
    """

    family: str
    kind: str
    pieces: int
    width: int
    layers: int
    heads: int
    inner: int
    embeddings: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)

    def config(self, **changes: Any) -> Any:
        """The configuration that transformers makes a network from; `changes` go over all settings."""
        import transformers

        names = NAMES.get(self.family, USUAL_NAMES)
        sizes = dict(zip(names, (self.width, self.layers, self.heads, self.inner), strict=True))
        given = {"vocab_size": self.embeddings or self.pieces, **sizes, **self.settings, **changes}
        return getattr(transformers, f"{self.family}Config")(**given)


# Devlin et al. 2019; Wang et al. 2020 for MiniLM, here with six of its layers.
BERT = {"max_position_embeddings": 512, "type_vocab_size": 2}
# Liu et al. 2019. Two positions are for padding.
ROBERTA = {
    "max_position_embeddings": 514,
    "type_vocab_size": 1,
    "layer_norm_eps": 1e-5,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
}
# Lan et al. 2020: one layer, used twelve times.
ALBERT = {"embedding_size": 128, "max_position_embeddings": 512, "num_hidden_groups": 1}
# He et al. 2021: positions are relative, in 256 buckets, and attended to both ways.
DEBERTA = {
    "max_position_embeddings": 512,
    "type_vocab_size": 0,
    "relative_attention": True,
    "position_buckets": 256,
    "max_relative_positions": -1,
    "pos_att_type": ["p2c", "c2p"],
    "share_att_key": True,
    "norm_rel_ebd": "layer_norm",
    "position_biased_input": False,
    "layer_norm_eps": 1e-7,
}
# Clark et al. 2020: the discriminator.
ELECTRA = {**BERT, "embedding_size": 768}
# Raffel et al. 2020: version 1.0, whose weights for reading and writing pieces are the same.
T5 = {"d_kv": 64, "decoder_start_token_id": 0, "feed_forward_proj": "relu"}

ARCHITECTURES: dict[str, Architecture] = {
    "bert-base": Architecture("Bert", "wordpiece", 30522, 768, 12, 12, 3072, settings=BERT),
    "bert-large": Architecture("Bert", "wordpiece", 30522, 1024, 24, 16, 4096, settings=BERT),
    "roberta-base": Architecture("Roberta", "byte-level", 50265, 768, 12, 12, 3072, settings=ROBERTA),
    "roberta-large": Architecture("Roberta", "byte-level", 50265, 1024, 24, 16, 4096, settings=ROBERTA),
    "distilbert-base": Architecture("DistilBert", "distilbert-wordpiece", 30522, 768, 6, 12, 3072),
    "albert-base": Architecture("Albert", "albert-unigram", 30000, 768, 12, 12, 3072, settings=ALBERT),
    "deberta-v3-base": Architecture(
        "DebertaV2", "deberta-unigram", 128001, 768, 12, 12, 3072, embeddings=128100, settings=DEBERTA
    ),
    "electra-base": Architecture("Electra", "wordpiece", 30522, 768, 12, 12, 3072, settings=ELECTRA),
    "minilm": Architecture("Bert", "wordpiece", 30522, 384, 6, 12, 1536, settings=BERT),
    "t5-small": Architecture("T5", "t5-unigram", 32100, 512, 6, 8, 2048, embeddings=32128, settings=T5),
    "t5-base": Architecture("T5", "t5-unigram", 32100, 768, 12, 12, 3072, embeddings=32128, settings=T5),
}
