"""What runs neural networks in a page: onnxruntime-web, of which only the build without a GPU is taken, and
Hugging Face's library tokenizers.

Under the pages' policy they need no more than Python does: neither makes a program from a text. They are in a
site only where a model needs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from site_src.generator.distribution import Distribution
from site_src.generator.output import publish

ONNXRUNTIME = Distribution(
    title="onnxruntime-web",
    package="onnxruntime-web",
    version="1.30.0",
    integrity="sha512-q0y+JrrtukXSzsBWEMccVfqX25LRmosXHF+CaRJmg8pZClzcV7svNc4rKY3jL02Vb7QmRMDs1SigqR4CXAfKYQ==",
    folder="dist/",
    hashes={
        "ort.wasm.bundle.min.mjs": "11e64bd8ffe11bd1a2a2f0d6275fdfbbba7262f0b76b99b53d228a8a22ef3d90",
        "ort-wasm-simd-threaded.wasm": "3398c10d07d229bd91b364548e130e0e51a8e5704b88c7c083ebbeb78842dee2",
    },
)
TOKENIZERS = Distribution(
    title="tokenizers",
    package="@huggingface/tokenizers",
    version="0.2.0",
    integrity="sha512-LidMHe1FpcSYH4vcSjXooda34pC0M8m1gmDOv7SQi6Iv+ib1zX7J3sHBCC9/3FPCkn2k1b55FneVqMRxrr99pg==",
    hashes={
        "dist/tokenizers.min.mjs": "258e46332101335ce8d95aed7745b19ac3b46d37f3e159a89cf894c2ea9b1d3a",
        "LICENSE": "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4",
    },
)
#: What records of checks call both.
NAME = f"onnxruntime-web {ONNXRUNTIME.version}, {TOKENIZERS.package} {TOKENIZERS.version}"
#: What a page loads of them, by the names of `NetworkFiles` in types.d.ts.
LOADED = {
    "script": "ort.wasm.bundle.min.mjs",
    "wasm": "ort-wasm-simd-threaded.wasm",
    "tokenizers": "dist/tokenizers.min.mjs",
}


@dataclass(frozen=True)
class PublishedNetworks:
    """Where a page finds each of `LOADED` in the site, as paths from its root; `size` is of all, in bytes."""

    addresses: dict[str, str]
    size: int


def files(cache: Path) -> dict[str, Path]:
    """Each of `LOADED`, from the cache. Raises `UserError` when they cannot be had."""
    found = {**ONNXRUNTIME.files(cache), **TOKENIZERS.files(cache)}
    return {name: found[file] for name, file in LOADED.items()}


def publish_networks(output: Path, cache: Path) -> PublishedNetworks:
    """Put all files into the site, with the licence that asks for it. Raises what `files` does."""
    folder = publish(output, "runtime", {**ONNXRUNTIME.files(cache), **TOKENIZERS.files(cache)})
    size = sum(path.stat().st_size for path in files(cache).values())
    return PublishedNetworks({name: f"{folder}/{file}" for name, file in LOADED.items()}, size)
