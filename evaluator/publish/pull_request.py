"""Says on a pull request what a check found: the last step of the action in ``action.yml``.

Run as ``python -m evaluator.publish.pull_request TEXT BOARD`` in a job of GitHub Actions, whose
environment says which pull request it is about. A comment of an earlier run about the same board file is
written anew.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Who writes with the token of a job.
AUTHOR = "github-actions[bot]"
PER_PAGE = 100
#: The answers of GitHub where a token may not write: that of a pull request from a fork may only read.
REFUSED = (401, 403, 404)


@dataclass(frozen=True)
class PullRequest:
    """A pull request of a repository ``owner/name``, and the API by which it is reached."""

    api: str
    repository: str
    number: int
    token: str

    @classmethod
    def of_job(cls, environment: Mapping[str, str]) -> PullRequest:
        """The one that a job of GitHub Actions is about. KeyError where it is about none."""
        event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text("utf-8"))
        number = int(event["pull_request"]["number"])
        api, repository = environment["GITHUB_API_URL"], environment["GITHUB_REPOSITORY"]
        return cls(api, repository, number, environment["GITHUB_TOKEN"])

    def say(self, text: str, mark: str) -> str:
        """Write a comment that begins with `mark`, in the place of an earlier one; return its address.

        Raises `urllib.error.HTTPError` where GitHub refuses.
        """
        body = {"body": f"{mark}\n{text}"}
        for comment in self._comments():
            if comment["user"]["login"] == AUTHOR and comment["body"].startswith(mark):
                return str(self._ask("PATCH", f"issues/comments/{int(comment['id'])}", body)["html_url"])
        return str(self._ask("POST", f"issues/{self.number}/comments", body)["html_url"])

    def _comments(self) -> Iterator[Any]:
        page = 1
        while found := self._ask("GET", f"issues/{self.number}/comments?per_page={PER_PAGE}&page={page}"):
            yield from found
            page += 1

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        request = urllib.request.Request(
            f"{self.api}/repos/{self.repository}/{path}",
            None if body is None else json.dumps(body).encode(),
            {"Accept": "application/vnd.github+json", "Authorization": f"Bearer {self.token}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


def main(text: str, board: str) -> None:
    """Write the comment, or say why it cannot be written: that alone fails no check."""
    found = Path(text).read_text("utf-8")
    try:
        print(PullRequest.of_job(os.environ).say(found, f"<!-- steelyard-check {board} -->"))
    except urllib.error.HTTPError as error:
        if error.code not in REFUSED:
            raise
        print(f"::notice::GitHub refused the comment ({error.code}); the token needs pull-requests: write")


if __name__ == "__main__":
    main(*sys.argv[1:])
