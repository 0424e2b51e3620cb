"""``steelyard serve``: a preview of the built site under a sub-path, as GitHub Pages shows it."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("serve")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path), default=Path("build"))
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free port."
)
def command(directory: Path, port: int) -> None:
    """Serve a built site (default: build) on this machine only; stop with Ctrl-C.

    \b
    Example:
      steelyard serve --port 8000
    """
    from site_src.generator.serve import serve

    if not (directory / "index.html").is_file():
        raise click.UsageError(f"{directory} holds no built site; run: steelyard build --output {directory}")
    try:
        serve(directory, port, "/steelyard/")
    except OSError as error:
        raise click.UsageError(f"--port {port}: {error.strerror}; --port 0 takes a free one") from None
