"""Files of packages of the npm registry that a site needs: fetched once, and verified on every use."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.records.errors import UserError
from evaluator.records.scratch import scratch_folder


@dataclass(frozen=True)
class Distribution:
    """Files of one version of a package: `hashes` are SHA-256 by path, `integrity` the registry's
    ``dist.integrity`` of the archive, and `folder` is where they lie in it, with a slash at its end.
    """

    title: str
    package: str
    version: str
    integrity: str
    hashes: Mapping[str, str]
    folder: str = ""

    def files(self, cache: Path) -> dict[str, Path]:
        """The files, from `cache`, which is filled first where it is cold.

        Raises `UserError` when the cache is cold and nothing can be fetched.
        """
        place = self._place(cache)
        if not self._is_intact(place):
            self._replace(place, self._fetch(cache))
        return {name: place / name for name in self.hashes}

    def cached(self, cache: Path) -> Path | None:
        """The folder with the verified files, None where the cache is cold."""
        return self._place(cache) if self._is_intact(self._place(cache)) else None

    def _place(self, cache: Path) -> Path:
        return cache / f"{self.package}-{self.version}"

    def _is_intact(self, place: Path) -> bool:
        return all(
            (place / name).is_file() and sha256((place / name).read_bytes()) == pinned
            for name, pinned in self.hashes.items()
        )

    def _fetch(self, cache: Path) -> dict[str, bytes]:
        reasons = []
        for source in (from_npm, from_cdn):
            try:
                files = source(self)
                for name, pinned in self.hashes.items():
                    if (found := sha256(files[name])) != pinned:
                        raise ValueError(f"{name}: SHA-256 is {found}, expected {pinned}")
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                reasons.append(f"  {source.__name__[5:]}: {error}")
            else:
                return files
        raise UserError(
            f"{self.title} {self.version}",
            f"not in the cache ({cache}) and could not be fetched:\n" + "\n".join(reasons) + "\n",
            "build once with a network connection, or copy the cache folder from a machine that has",
        )

    def _replace(self, place: Path, files: Mapping[str, bytes]) -> None:
        """Make `place` hold exactly `files`; at no moment does it hold some of them."""
        with scratch_folder(place) as scratch:
            for name, data in files.items():
                (scratch / name).parent.mkdir(exist_ok=True)
                (scratch / name).write_bytes(data)
            shutil.rmtree(place, ignore_errors=True)
            try:
                scratch.rename(place)
            except OSError:
                # Another build was faster; its files are as good if they verify.
                if not self._is_intact(place):
                    raise


def cache_folder() -> Path:
    """``$XDG_CACHE_HOME/steelyard``, or ``~/.cache/steelyard`` where that is not set."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "steelyard"


def sha256(data: bytes) -> str:
    """The hash of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def from_npm(wanted: Distribution) -> dict[str, bytes]:
    """The files from the registry's archive, which `npm` fetches."""
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is not installed")
    with tempfile.TemporaryDirectory() as scratch:
        name = f"{wanted.package}@{wanted.version}"
        command = [npm, "pack", name, "--fetch-retries=1", "--fetch-timeout=60000"]
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=300)
        archives = list(Path(scratch).glob("*.tgz"))
        if done.returncode or not archives:
            said = done.stderr.strip().splitlines()
            raise OSError(said[-1] if said else f"npm pack exited with {done.returncode}")
        archive = archives[0].read_bytes()
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if found != wanted.integrity:
        raise ValueError(f"archive: integrity is {found}, expected {wanted.integrity}")
    files = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for name in wanted.hashes:
            stream = tar.extractfile(f"package/{wanted.folder}{name}")
            if stream is None:
                raise ValueError(f"{name}: not a file in the archive")
            files[name] = stream.read()
    return files


def from_cdn(wanted: Distribution) -> dict[str, bytes]:
    """The files from a public mirror of the registry."""
    base = f"https://cdn.jsdelivr.net/npm/{wanted.package}@{wanted.version}/{wanted.folder}"
    files = {}
    for name in wanted.hashes:
        with urllib.request.urlopen(f"{base}{name}", timeout=60) as response:
            files[name] = response.read()
    return files
