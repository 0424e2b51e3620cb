"""Models of the Hugging Face hub, by id and full commit: from the local cache, else downloaded."""

from __future__ import annotations

import os
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluator.measure.models.base import ModelError, need

PATTERNS = ["*.json", "*.txt", "*.model", "*.safetensors"]
PROBE_S = 5.0

# The adapters that take a hub id in place of a directory.
FROM_HUB = ("transformers", "transformers-qa", "transformers-text2text", "transformers-causal")


def cache() -> Path:
    """Where hub models are kept, by the same variables as huggingface_hub, which takes long to import."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if given := os.environ.get(name):
            return Path(given).expanduser()
    share = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or os.path.join(share, "huggingface")
    return Path(home).expanduser() / "hub"


def cached_files(model: str) -> Path:
    """The folder of the cache that holds the files of `model`, and of no other."""
    return cache() / f"models--{model.replace('/', '--')}"


class HubUnreached(ModelError):  # noqa: N818
    """The hub's files are not in the cache and cannot be fetched now."""


def fetch(adapter: str, options: Mapping[str, Any]) -> None:
    """Bring what `adapter` takes from the hub into the local cache: a worker has no network to do so.

    Does nothing for a model without a hub id. Raises what `hub_directory` does, and `MissingPackage`.
    """
    if adapter in FROM_HUB and "model" in options:
        hub_directory(options["model"], options.get("revision"))


def check_pinned(model: str, revision: object) -> str:
    """The `revision`, if it is a full commit hash; `ModelError` if it is not."""
    if not isinstance(revision, str) or not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise ModelError(
            f"options.revision: {revision!r} does not pin {model}; give the full 40-digit commit hash"
        )
    return revision


def hub_directory(model: str, revision: str | None) -> Path:
    """The folder with the files of `model` at the commit `revision`, downloaded if need be.

    Fails at once when ``HF_HUB_OFFLINE`` is set, and within seconds when the hub does not answer:
    `HubUnreached` either way. `ModelError` if `revision` is not a full commit hash.
    """
    revision = check_pinned(model, revision)
    hub = need("huggingface_hub")
    cached = _cached(hub, model, revision)
    if cached is not None:
        return cached
    _check_reachable(hub, model, revision)
    folder = hub.snapshot_download(model, revision=revision, allow_patterns=PATTERNS)
    return Path(folder)


def _cached(hub: object, model: str, revision: str) -> Path | None:
    """The cached folder if configuration and weights are both there."""
    from huggingface_hub import try_to_load_from_cache

    config = try_to_load_from_cache(model, "config.json", revision=revision)
    if not isinstance(config, str) or not list(Path(config).parent.glob("*.safetensors")):
        return None
    return Path(config).parent


def _check_reachable(hub: object, model: str, revision: str) -> None:
    from huggingface_hub import constants

    fix = f"where there is a network, run: hf download {model} --revision {revision}"
    if constants.HF_HUB_OFFLINE:
        raise HubUnreached(f"{model}: not in the cache, and HF_HUB_OFFLINE forbids fetching it; {fix}")
    try:
        # huggingface_hub itself would try again for the better part of a minute.
        urllib.request.urlopen(constants.ENDPOINT, timeout=PROBE_S).close()
    except urllib.error.HTTPError:
        return
    except OSError as error:
        raise HubUnreached(
            f"{model}: not in the cache, and {constants.ENDPOINT} is not reached ({error}); {fix}"
        ) from error
