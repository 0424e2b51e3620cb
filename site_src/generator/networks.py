"""What runs neural networks in a page: onnxruntime-web, of which only the build without a GPU is taken.

One file holds its JavaScript, the other its WebAssembly. Under the pages' policy it needs no more than Python
does: it makes no program from a text. It is in a site only where a model needs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from site_src.generator.distribution import Distribution
from site_src.generator.output import publish

SCRIPT, WASM = "ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm"
ONNXRUNTIME = Distribution(
    title="onnxruntime-web",
    package="onnxruntime-web",
    version="1.30.0",
    integrity="sha512-q0y+JrrtukXSzsBWEMccVfqX25LRmosXHF+CaRJmg8pZClzcV7svNc4rKY3jL02Vb7QmRMDs1SigqR4CXAfKYQ==",
    folder="dist/",
    hashes={
        SCRIPT: "11e64bd8ffe11bd1a2a2f0d6275fdfbbba7262f0b76b99b53d228a8a22ef3d90",
        WASM: "3398c10d07d229bd91b364548e130e0e51a8e5704b88c7c083ebbeb78842dee2",
    },
)


@dataclass(frozen=True)
class PublishedNetworks:
    """The two files in the site, as paths from its root; `size` is of both, in bytes."""

    script: str
    wasm: str
    size: int


def publish_networks(output: Path, cache: Path) -> PublishedNetworks:
    """Put both files into the site. Raises `RuntimeUnavailableError` when they cannot be had."""
    files = ONNXRUNTIME.files(cache)
    folder = publish(output, "runtime", files)
    size = sum(path.stat().st_size for path in files.values())
    return PublishedNetworks(f"{folder}/{SCRIPT}", f"{folder}/{WASM}", size)
