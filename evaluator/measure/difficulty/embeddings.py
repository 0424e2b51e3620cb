"""Sentence embeddings for sources of difficulty, computed once and kept under a hash of what decides them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.models.base import need
from evaluator.measure.models.encoders import Encoder
from evaluator.measure.models.encoders import open_encoder as open_network
from evaluator.measure.models.pretrained import PATTERNS
from evaluator.measure.models.recipes import WORD
from evaluator.measure.models.recipes.minilm import MINILM, PINNED, REVISION, find_encoder
from evaluator.records.base import digest, file_sha256
from evaluator.records.errors import UserError
from evaluator.records.scratch import write_atomic

Embeddings = NDArray[np.float32]
#: Called with how many more texts are done.
Advance = Callable[[int], None]
#: What embeds some texts, which are all different.
EmbedTexts = Callable[[Sequence[str], Advance], Embeddings]
#: Names of the encoders that are not folders.
TFIDF, DEFAULT = "tfidf", "minilm"
MAX_TOKENS = 256
BATCH = 32
#: Dimensions that TF-IDF is reduced to.
DIMENSIONS = 128


@dataclass(frozen=True)
class TextEncoder:
    """Texts in, embeddings of length 1 out. `spec` has everything that decides them, as JSON data."""

    spec: Mapping[str, Any]
    compute: EmbedTexts

    def embed(self, texts: Sequence[str], folder: Path, advance: Advance) -> Embeddings:
        """Texts x dimensions, from a file in `folder` if they were computed before.

        The order of the texts changes nothing: each text is computed once, beside those of its length.
        """
        different = sorted(set(texts), key=lambda text: (len(text), text))
        rows = {text: row for row, text in enumerate(different)}
        found = self._different(different, folder, advance)
        return found[[rows[text] for text in texts]]

    def _different(self, texts: list[str], folder: Path, advance: Advance) -> Embeddings:
        path = folder / f"{digest({'encoder': dict(self.spec), 'texts': texts})[7:39]}.npy"
        if path.exists():
            advance(len(texts))
            kept: Embeddings = np.load(path, allow_pickle=False)
            return kept
        made = self.compute(texts, advance)
        content = BytesIO()
        np.save(content, made, allow_pickle=False)
        write_atomic(path, content.getvalue())
        return made


def open_encoder(name: str, corpus: Sequence[str], corpus_revision: str, seed: int) -> TextEncoder:
    """``minilm``, ``tfidf`` (which learns its words from `corpus`), or the folder of a transformers encoder.

    No network is loaded before there is something to embed. Raises `UserError` for another name, and
    `UserError` or `MissingPackage` where the encoder is not available.
    """
    if name == TFIDF:
        return _tfidf(corpus, corpus_revision, seed)
    if name == DEFAULT:
        folder, _ = find_encoder(MINILM, REVISION)
        return _transformer(folder, MINILM, [folder / file for file in PINNED])
    folder = Path(name)
    if not folder.is_dir():
        raise UserError(
            "encoder", f"{name!r} is neither {DEFAULT}, {TFIDF} nor a folder", "name one of these"
        )
    return _transformer(
        folder, folder.resolve().name, sorted(file for pattern in PATTERNS for file in folder.glob(pattern))
    )


def _transformer(folder: Path, name: str, files: Sequence[Path]) -> TextEncoder:
    """An encoder known by its files, not by where they are."""
    need("transformers")
    spec = {
        "name": name,
        "files": digest({file.name: file_sha256(file) for file in files}),
        "max_tokens": MAX_TOKENS,
        "libraries": {library: version(library) for library in ("torch", "transformers")},
    }

    def compute(texts: Sequence[str], advance: Advance) -> Embeddings:
        return np.concatenate(list(_batches(open_network(folder, MAX_TOKENS), texts, advance)))

    return TextEncoder(spec, compute)


def _batches(network: Encoder, texts: Sequence[str], advance: Advance) -> Iterator[Embeddings]:
    """The embeddings of texts by batches, each on one core: several cores at one batch mostly wait for
    each other when there is other work, and their number would be in the last bits."""
    torch = network.torch
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with ThreadPoolExecutor(
            len(os.sched_getaffinity(0)), initializer=torch.set_num_threads, initargs=(1,)
        ) as pool:
            batches = (network.tokens(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH))
            for embeddings in pool.map(network.embed_tokens, batches):
                advance(len(embeddings))
                yield embeddings
    finally:
        torch.set_num_threads(before)


def _tfidf(corpus: Sequence[str], revision: str, seed: int) -> TextEncoder:
    """Words and word pairs by TF-IDF, reduced by latent semantic analysis (Deerwester et al. 1990)."""
    need("sklearn")
    spec = {
        "name": TFIDF,
        "ngrams": 2,
        "dimensions": DIMENSIONS,
        "fitted_on": revision,
        "seed": seed,
        "libraries": {"scikit-learn": version("scikit-learn")},
    }

    def compute(texts: Sequence[str], advance: Advance) -> Embeddings:
        text, reduction = need("sklearn.feature_extraction.text"), need("sklearn.decomposition")
        vectorizer = text.TfidfVectorizer(token_pattern=WORD, ngram_range=(1, 2), sublinear_tf=True)
        words = vectorizer.fit_transform(sorted(corpus))
        reducer = reduction.TruncatedSVD(min(DIMENSIONS, *words.shape), random_state=seed).fit(words)
        embeddings = reducer.transform(vectorizer.transform(texts))
        lengths = np.linalg.norm(embeddings, axis=1, keepdims=True)
        advance(len(texts))
        # A text without a known word stays at zero: it is like no other.
        return np.asarray(embeddings / np.where(lengths > 0, lengths, 1), dtype=np.float32)

    return TextEncoder(spec, compute)
