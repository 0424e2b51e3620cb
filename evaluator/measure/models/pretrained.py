"""Networks of transformers: from a folder, or from the Hugging Face hub by id and full commit.

The hub's files are taken from the local cache, else downloaded. Neither torch nor transformers is imported
before a network is opened.
"""

from __future__ import annotations

import os
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluator.measure.models import FROM_HUB
from evaluator.measure.models.base import need, whole_number
from evaluator.records.errors import UserError
from evaluator.score.pretrained import Pretrained, read_pretrained

PATTERNS = ["*.json", "*.txt", "*.model", "*.safetensors"]
PROBE_S = 5.0


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


class HubUnreached(UserError):  # noqa: N818
    """The hub's files are not in the cache and cannot be fetched now."""


def fetch(adapter: str, options: Mapping[str, Any]) -> None:
    """Bring what `adapter` takes from the hub into the local cache: a worker has no network to do so.

    Does nothing for a model without a hub id. Raises what `hub_directory` does, and `MissingPackage`.
    """
    if adapter in FROM_HUB and "model" in options:
        hub_directory(options["model"], options.get("revision"))


def check_pinned(model: str, revision: object) -> str:
    """The `revision`, if it is a full commit hash; `UserError` if it is not."""
    if not isinstance(revision, str) or not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise UserError(
            "options.revision", f"{revision!r} does not pin {model}", "give the full 40-digit commit hash"
        )
    return revision


def hub_directory(model: str, revision: str | None) -> Path:
    """The folder with the files of `model` at the commit `revision`, downloaded if need be.

    Fails at once when ``HF_HUB_OFFLINE`` is set, and within seconds when the hub does not answer:
    `HubUnreached` either way. `UserError` if `revision` is not a full commit hash.
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
        raise HubUnreached(model, "not in the cache, and HF_HUB_OFFLINE forbids fetching it", fix)
    try:
        # huggingface_hub itself would try again for the better part of a minute.
        urllib.request.urlopen(constants.ENDPOINT, timeout=PROBE_S).close()
    except urllib.error.HTTPError:
        return
    except OSError as error:
        why = f"not in the cache, and {constants.ENDPOINT} is not reached ({error})"
        raise HubUnreached(model, why, fix) from error


# What every adapter takes that opens such a network.
OPTIONS = ("model", "revision", "max_length")
LONGEST = 512
#: More tokens than any text has.
MANY = 10**9


def open_pretrained(
    head: str, directory: Path, options: Mapping[str, Any], dtype: str = "auto"
) -> Pretrained:
    """Load the network in `directory`, or the hub's `model` at `revision`, with the `head` it answers by.

    `head` is what follows ``AutoModelFor`` in transformers, `dtype` as what weights are read. Code that
    comes with a model is not run. Raises `UserError` if a file is missing or broken or the weights of the
    head are; a hub model that is neither cached nor reachable is an error within seconds.
    """
    if "model" in options:
        directory = hub_directory(options["model"], options.get("revision"))
    for package in ("torch", "transformers"):
        need(package)
    return read_pretrained(f"AutoModelFor{head}", directory, dtype=dtype)


def token_limit(
    options: Mapping[str, Any],
    model: Pretrained,
    least: int,
    usual: int = LONGEST,
    unstated: int = LONGEST,
) -> int:
    """The option `max_length`: how many tokens the network gets at most, so that it has room for all.

    `usual`, or what the model allows if that is less, unless the option says otherwise. Where the
    tokeniser states no limit of its own, `unstated` is the most: an encoder's position table alone may
    promise too much.
    """
    positions = getattr(model.network.config, "max_position_embeddings", None) or 0
    return token_limit_of(options, model.tokenizer.model_max_length, positions, least, usual, unstated)


def token_limit_of(
    options: Mapping[str, Any],
    stated: int,
    positions: int,
    least: int,
    usual: int = LONGEST,
    unstated: int = LONGEST,
) -> int:
    """As `token_limit`, by what the tokeniser has `stated` and the network's `positions`, 0 for any."""
    allowed = min(stated if stated < MANY else unstated, positions if positions > 0 else MANY)
    return whole_number(options, "max_length", least, allowed, min(usual, allowed))
