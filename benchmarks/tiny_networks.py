"""Tiny networks with random weights, saved as the real ones are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import yaml  # type: ignore[import-untyped, unused-ignore]
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    M2M100Config,
    M2M100ForConditionalGeneration,
    NllbTokenizer,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaModel,
    RobertaTokenizer,
    XLMRobertaConfig,
    XLMRobertaModel,
)

#: Tokens that the tokenisers say are the most.
LONGEST = 58
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
WORDS = ["the", "cat", "sat", "on", "a", "mat", "dog", "ran", "far", "away", "."]
TEXTS = (
    "the cat sat on a mat .",
    "a cat sat",
    "dog",
    "the dog ran far away . the cat ran far away .",
    "on the mat",
    "a mat ran",
)
SIZES: dict[str, Any] = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32}
IDS: dict[str, Any] = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}


def words(template: str = "<s> $A </s>") -> PreTrainedTokenizerFast:
    """A tokeniser of whole words that writes a text by `template`."""
    vocabulary = {word: place for place, word in enumerate([*SPECIAL, *WORDS])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = [(token, vocabulary[token]) for token in SPECIAL]
    made.post_processor = processors.TemplateProcessing(
        single=template, pair=f"{template} $B </s>", special_tokens=special
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        model_max_length=LONGEST,
        bos_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        cls_token="<s>",
        sep_token="</s>",
    )


def save(folder: Path, network: Any, tokenizer: Any) -> Path:
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def bert(folder: Path, seed: int = 0, layers: int = 2) -> Path:
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=16, num_hidden_layers=layers, pad_token_id=1, classifier_dropout=0.0, **SIZES
    )
    return save(folder, BertModel(config), words())


def roberta(folder: Path, prefix_space: bool = False) -> Path:
    """With a tokeniser of bytes, which reads a word at a text's start otherwise than one after a space."""
    torch.manual_seed(0)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {piece: place for place, piece in enumerate([*SPECIAL, *letters, "Ġt", "th", "Ġc"])}
    merges = [("Ġ", "t"), ("t", "h"), ("Ġ", "c")]
    config = RobertaConfig(
        vocab_size=len(vocabulary), num_hidden_layers=2, max_position_embeddings=60, **IDS, **SIZES
    )
    tokenizer = RobertaTokenizer(
        vocab=vocabulary, merges=merges, model_max_length=LONGEST, add_prefix_space=prefix_space
    )
    return save(folder, RobertaModel(config), tokenizer)


def rater(folder: Path, outputs: int = 1) -> Path:
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=16, num_hidden_layers=2, pad_token_id=1, num_labels=outputs, initializer_range=0.5, **SIZES
    )
    return save(folder, BertForSequenceClassification(config), words())


#: Of networks with an encoder and a decoder.
BOTH_WAYS: dict[str, Any] = {
    "d_model": 16,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "init_std": 0.5,
}


def bart(folder: Path) -> Path:
    torch.manual_seed(0)
    config = BartConfig(
        vocab_size=16,
        max_position_embeddings=64,
        **BOTH_WAYS,
        **IDS,
    )
    return save(folder, BartForConditionalGeneration(config), words())


def gpt(folder: Path) -> Path:
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=16, n_embd=16, n_layer=2, n_head=2, n_positions=64, initializer_range=0.1, **IDS
    )
    return save(folder, GPT2LMHeadModel(config), words("$A"))


def translator(folder: Path) -> Path:
    """With a tokeniser that begins every text with the token of its language."""
    torch.manual_seed(0)
    config = M2M100Config(
        vocab_size=64,
        max_position_embeddings=1024,
        **BOTH_WAYS,
        **IDS,
    )
    letters = sorted({letter for text in TEXTS for letter in text.replace(" ", "▁")})
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *letters, "▁c", "at"]
    vocabulary = {piece: place for place, piece in enumerate(pieces)}
    tokenizer = NllbTokenizer(
        vocab=vocabulary, merges=[("▁", "c"), ("a", "t")], extra_special_tokens=["eng_Latn", "deu_Latn"]
    )
    return save(folder, M2M100ForConditionalGeneration(config), tokenizer)


#: What ``hparams.yaml`` says of COMET's best known checkpoint, except for sizes.
COMET = {
    "class_identifier": "regression_metric",
    "pool": "avg",
    "layer": "mix",
    "layer_transformation": "sparsemax",
    "layer_norm": False,
    "activations": "Tanh",
    "final_activation": None,
}


def comet(folder: Path, **settings: Any) -> Path:
    """A checkpoint as unbabel-comet lays it out, with the encoder's configuration and tokeniser beside it."""
    torch.manual_seed(0)
    config = XLMRobertaConfig(
        vocab_size=16, num_hidden_layers=2, max_position_embeddings=64, initializer_range=0.5, **IDS, **SIZES
    )
    encoder = XLMRobertaModel(config, add_pooling_layer=False)
    config.save_pretrained(folder / "encoder")
    words().save_pretrained(folder / "encoder")
    top = torch.nn.Sequential(
        torch.nn.Linear(96, 24), torch.nn.Tanh(), torch.nn.Dropout(0.1), torch.nn.Linear(24, 1)
    )
    weights = {f"encoder.model.{name}": one for name, one in encoder.state_dict().items()}
    weights |= {f"estimator.ff.{name}": one for name, one in top.state_dict().items()}
    scalars = torch.tensor([0.1, 0.9, 0.6]).split(1)
    weights |= {f"layerwise_attention.scalar_parameters.{i}": one for i, one in enumerate(scalars)}
    weights["layerwise_attention.gamma"] = torch.tensor([1.3])
    (folder / "checkpoints").mkdir()
    torch.save({"state_dict": weights}, folder / "checkpoints" / "model.ckpt")
    (folder / "hparams.yaml").write_text(yaml.safe_dump(COMET | settings))
    return folder
