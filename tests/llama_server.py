"""llama.cpp's own server with a GGUF file, in a process of its own, and what it says of itself.

It is the one that the package `xllamacpp` is built from. One answer at a time and one thread unless the
settings, which are those of its parameters, say other: then what it takes from its cache is known.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: No prompts of other slots kept aside, so that what is cached is the prompt asked just before.
USUAL = {"port": 0, "n_parallel": 1, "n_ctx": 256, "cache_ram_mib": 0, "endpoint_metrics": True}


@dataclass(frozen=True)
class LlamaServer:
    """A server under way: its address and its process."""

    address: str
    process: subprocess.Popen[str]

    @property
    def url(self) -> str:
        """Where its API begins."""
        return f"{self.address}/v1"

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """What it answers to a request that is not streamed."""
        request = urllib.request.Request(
            self.address + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def tokens(self, messages: list[dict[str, str]]) -> list[int]:
        """The tokens of a conversation, as its chat template has it."""
        prompt = self.post("/apply-template", {"messages": messages})["prompt"]
        body = {"content": prompt, "add_special": True, "parse_special": True}
        return list(self.post("/tokenize", body)["tokens"])

    def totals(self) -> dict[str, float]:
        """What it counted of all requests since it began, by name."""
        with urllib.request.urlopen(f"{self.address}/metrics", timeout=60) as answer:
            lines = [line.split() for line in answer.read().decode().splitlines() if not line.startswith("#")]
        return {name.removeprefix("llamacpp:"): float(value) for name, value in lines}


@contextmanager
def llama_server(model: Path, **settings: Any) -> Iterator[LlamaServer]:
    """A server that has the model loaded; it ends with the context."""
    with tempfile.TemporaryFile("w+") as log:
        wanted = json.dumps({**USUAL, **settings})
        process = subprocess.Popen(
            [sys.executable, __file__, str(model), wanted],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout
            address = process.stdout.readline().strip()
            if not address:
                log.seek(0)
                raise AssertionError(f"no server: {log.read()}")
            yield LlamaServer(address, process)
        finally:
            process.kill()
            process.wait(timeout=30)


def _serve(model: str, settings: Mapping[str, Any]) -> None:
    """Serve until whoever started this is gone. The first line of the output is the address."""
    # Whatever the library prints goes with its log, however it prints it.
    said = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    for name, value in settings.items():
        setattr(params, name, value)
    server = xllamacpp.Server(params)
    print(server.listening_address, file=said, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1], json.loads(sys.argv[2]))
