"""Fifteen sentences about meals and twelve sums, and a random model of them: what the recipes beside this ask about.

Run as ``python little_data.py FOLDER``; it needs torch and transformers. Sentences, sums and weights are
the same each time.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

DISHES = ("soup", "bread", "rice", "tea", "cake")
GOOD = ("was warm and fresh", "made us ask for more")
BAD = ("was cold and stale",)


def meals() -> list[dict[str, str | int]]:
    """Sentences, 10 of which are positive: ``text`` and ``label``, 1 for positive."""
    ends = [(end, 1) for end in GOOD] + [(end, 0) for end in BAD]
    return [{"text": f"The {dish} {end}.", "label": label} for dish in DISHES for end, label in ends]


def sums() -> list[dict[str, str]]:
    """Sums of one digit: ``question`` and ``answer``."""
    return [{"question": f"{a} + {b} =", "answer": str(a + b)} for a in range(1, 5) for b in (1, 2, 4)]


def write_rows(folder: Path) -> None:
    """``meals.jsonl`` and ``sums.jsonl``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in {"meals": meals(), "sums": sums()}.items():
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def write_model(folder: Path) -> None:
    """A GPT-2 of two layers with random weights, and a tokeniser of single characters."""
    import torch
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    characters = [*map(chr, range(32, 127)), "\n"]
    vocabulary = {text: place for place, text in enumerate(["<end>", *characters])}
    tokeniser = Tokenizer(models.WordLevel(vocabulary, unk_token="<end>"))
    tokeniser.pre_tokenizer = pre_tokenizers.Split(Regex("[\\s\\S]"), "isolated")
    tokeniser.decoder = decoders.Fuse()
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokeniser, eos_token="<end>", bos_token="<end>", pad_token="<end>", unk_token="<end>"
    )
    wrapped.model_max_length = 512
    wrapped.save_pretrained(folder)
    torch.manual_seed(7)
    sizes = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 512}
    model = GPT2LMHeadModel(GPT2Config(vocab_size=len(vocabulary), bos_token_id=0, eos_token_id=0, **sizes))
    model.save_pretrained(folder)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    write_rows(target / "data")
    write_model(target / "model")
