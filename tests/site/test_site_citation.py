"""Citations of a snapshot: whatever names hold, each format can be read, and says what was shown."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page, expect
from site_sample import write_world
from site_server import served
from site_snapshots import freeze_board

from evaluator.publish.snapshots import folder_of
from evaluator.records.snapshot import Snapshot
from site_src.generator.build import build

SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
SITE = "https://owner.github.io/repo/"


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Snapshot, Snapshot]:
    """A site that knows its address, with a snapshot of an ordinary and of a hostile board."""
    folder = tmp_path_factory.mktemp("cited")
    boards, results = write_world(folder)
    text = boards.read_text()
    boards.write_text(
        text.replace("\n[[datasets]]", f'\n[site]\nurl = "{SITE}"\nlicence = "CC-BY-4.0"\n\n[[datasets]]', 1)
    )
    plain_one = freeze_board(boards, results, "measured")
    hostile = freeze_board(boards, results, "hostile")
    build(boards, results, folder / "build")
    return folder, plain_one, hostile


@pytest.fixture(scope="module")
def address(frozen: tuple[Path, Snapshot, Snapshot]) -> Iterator[str]:
    """Where the site is served; ends in a slash."""
    with served(frozen[0] / "build") as found:
        yield found


def head_of(folder: Path, snapshot: Snapshot) -> tuple[dict[str, str], dict[str, object]]:
    """The named meta elements of a snapshot's page, and its linked data."""
    text = (folder_of(folder / "results") / snapshot.id / "index.html").read_text()
    tags = dict(re.findall(r'<meta name="(citation_[a-z_]+)" content="([^"]*)">', text))
    [data] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text, flags=re.DOTALL)
    return tags, json.loads(data)


@pytest.mark.slow
def test_the_files_say_what_the_page_says(frozen: tuple[Path, Snapshot, Snapshot]) -> None:
    """citation.bib, citation.ris and CITATION.cff, with the full address where the site has one."""
    folder, snapshot, _ = frozen
    own = folder_of(folder / "results") / snapshot.id
    url = f"{SITE}snapshots/{snapshot.id}/"
    assert f"url = {{{url}}}" in (own / "citation.bib").read_text()
    assert f"UR  - {url}\r\n" in (own / "citation.ris").read_bytes().decode()
    document = yaml.safe_load((own / "CITATION.cff").read_text())
    assert document["url"] == url
    assert (
        "Reviews (1) and Tweets (1) at metric weights Accuracy (4), Throughput (1) and Memory (1)"
        in document["abstract"]
    )


@pytest.mark.slow
def test_every_citation_carries_the_hash_of_the_record(frozen: tuple[Path, Snapshot, Snapshot]) -> None:
    """BibTeX, RIS, CFF, the texts on the page and the linked data give the SHA-256 of snapshot.json."""
    folder, *snapshots = frozen
    for snapshot in snapshots:
        own = folder_of(folder / "results") / snapshot.id
        digits = hashlib.sha256((own / "snapshot.json").read_bytes()).hexdigest()
        for name in ("citation.bib", "citation.ris", "CITATION.cff", "ro-crate-metadata.json"):
            assert digits in (own / name).read_text(), name
        page = (own / "index.html").read_text()
        texts_ = re.findall(r'<pre [^>]*data-format="[a-z]+"[^>]*>(.*?)</pre>', page, flags=re.DOTALL)
        assert len(texts_) == 5
        assert all(digits in text for text in texts_)
        [download] = head_of(folder, snapshot)[1]["distribution"]  # type: ignore[misc]
        assert download["sha256"] == digits  # type: ignore[index]
        assert f"steelyard snapshot verify {SITE}snapshots/{snapshot.id}/ --sha256 {digits}" in page


@pytest.mark.slow
def test_the_data_beside_a_badge_cites_the_newest_snapshot(frozen: tuple[Path, Snapshot, Snapshot]) -> None:
    """The documents of a board and of each of its models have its id, its address and its SHA-256."""
    folder, snapshot, _ = frozen
    record = folder / "build" / "snapshots" / snapshot.id / "snapshot.json"
    for name in ("board.json", "models/vader/model.json"):
        path = folder / "build" / "measured" / name
        cited_ = json.loads(path.read_text())["snapshot"]
        assert cited_["sha256"] == hashlib.sha256(record.read_bytes()).hexdigest()
        assert (path.parent / cited_["address"] / "snapshot.json").resolve() == record.resolve()
    assert "snapshot" not in json.loads((folder / "build" / "solo" / "board.json").read_text())


@pytest.mark.slow
def test_reference_managers_find_their_tags(frozen: tuple[Path, Snapshot, Snapshot]) -> None:
    """Title, author, date and address for Zotero and Google Scholar; a schema.org Dataset for the others."""
    folder, snapshot, hostile = frozen
    tags, data = head_of(folder, snapshot)
    record = folder_of(folder / "results") / snapshot.id / "snapshot.json"
    assert tags["citation_title"].startswith("Measured here: snapshot of ")
    assert tags["citation_publication_date"] == snapshot.created[:10].replace("-", "/")
    assert tags["citation_public_url"] == f"{SITE}snapshots/{snapshot.id}/"
    assert (data["@context"], data["@type"]) == ("https://schema.org", "Dataset")
    assert (data["identifier"], data["version"], data["license"]) == (snapshot.id, snapshot.id, "CC-BY-4.0")
    assert data["distribution"] == [
        {
            "@type": "DataDownload",
            "encodingFormat": "application/json",
            "contentUrl": f"{SITE}snapshots/{snapshot.id}/snapshot.json",
            "sha256": hashlib.sha256(record.read_bytes()).hexdigest(),
        }
    ]
    assert [dataset["name"] for dataset in data["isBasedOn"]] == ["Reviews", "Tweets", "Old letters"]  # type: ignore[attr-defined]
    assert data["creator"] == {"@type": "Organization", "name": "Steelyard"}
    assert re.fullmatch(r"\d{4}-\S+Z/\d{4}-\S+Z", str(data["temporalCoverage"]))
    assert "<b onmouseover=window.hacked=1>data</b>" in str(head_of(folder, hostile)[1])


@pytest.mark.slow
def test_the_folder_is_a_research_object(frozen: tuple[Path, Snapshot, Snapshot], tmp_path: Path) -> None:
    """A maintained library reads it as RO-Crate 1.1; every entity that is referred to is there."""
    from rocrate.rocrate import ROCrate

    folder, *snapshots = frozen
    for snapshot in snapshots:
        own = folder_of(folder / "results") / snapshot.id
        crate = ROCrate(own)
        root = crate.root_dataset
        assert (root["identifier"], root["datePublished"]) == (snapshot.id, snapshot.created)
        assert root["license"]["name"] == "CC-BY-4.0"
        parts = {part.id for part in root["hasPart"]}
        assert parts == {"index.html", "snapshot.json", "citation.bib", "citation.ris", "CITATION.cff"}
        assert all((own / part).is_file() for part in parts)
        graph = json.loads((own / "ro-crate-metadata.json").read_text())["@graph"]
        known = {entity["@id"] for entity in graph}
        assert len(known) == len(graph)
        assert set(re.findall(r'\{"@id": "([^"]+)"\}', json.dumps(graph))) - known == {
            "https://w3id.org/ro/crate/1.1"
        }
        crate.write(tmp_path / snapshot.id)


@pytest.mark.slow
def test_the_panel_says_what_the_files_say(
    frozen: tuple[Path, Snapshot, Snapshot], address: str, page: Page
) -> None:
    """The script's texts of the page's own view are the generator's, but for where the page lies."""
    folder, *snapshots = frozen
    for snapshot in snapshots:
        here = f"{address}snapshots/{snapshot.id}/"
        page.goto(here)
        expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
        expect(page.locator("[data-format=apa]")).to_contain_text(here)
        own = folder_of(folder / "results") / snapshot.id
        files = {"bibtex": "citation.bib", "ris": "citation.ris", "cff": "CITATION.cff"}
        for format_, text in texts(page).items():
            said = text.replace(here, f"{SITE}snapshots/{snapshot.id}/")
            if format_ in files:
                written = (own / files[format_]).read_bytes().decode().replace("\r\n", "\n")
                # An address that is not https is none that CFF takes.
                expected = re.sub(r"url: .*\n", "", written) if format_ == "cff" else written
                assert said == expected


ORDER = "rows => rows.map((row) => row.dataset.model)"


def texts(page: Page) -> dict[str, str]:
    found = page.locator("#cite [data-format]").all()
    return {str(place.get_attribute("data-format")): place.text_content() or "" for place in found}


@pytest.mark.slow
def test_a_citation_follows_the_weights(
    frozen: tuple[Path, Snapshot, Snapshot], address: str, page: Page
) -> None:
    """Weights, the way of ranking and the address with its fragment; it can be copied."""
    _, snapshot, _ = frozen
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{address}snapshots/{snapshot.id}/#v1;m=accuracy:1,throughput:0,memory:2.5")
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    sentence = page.locator("[data-format=sentence]")
    expect(sentence).to_contain_text("at metric weights Accuracy (1) and Memory (2.5)")
    expect(sentence).to_contain_text(f"/snapshots/{snapshot.id}/#v1;m=")
    page.locator("[data-copies=bibtex]").click()
    expect(page.locator("#cite [role=status]")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("[data-format=bibtex]").text_content()
    page.goto(f"{address}snapshots/{snapshot.id}/#v1;y=z_score")
    expect(sentence).to_contain_text("Mean z-scores of", timeout=15_000)


def test_a_live_board_cites_its_newest_snapshot_at_the_weights_shown(
    frozen: tuple[Path, Snapshot, Snapshot], address: str, page: Page
) -> None:
    """An author cites the ranking that is seen: the address that is copied opens the same models in the same order."""
    _, snapshot, _ = frozen
    page.goto(f"{address}measured/#v1;m=accuracy:0,throughput:1,memory:1;c=accuracy:least:50;p=broken")
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    expect(page.locator("#weights-name")).to_have_text("custom")
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    rows = page.locator("tbody > [data-model]").evaluate_all(ORDER)
    page.get_by_role("button", name="Cite this view").click()
    dialog = page.get_by_role("dialog", name="Cite this view")
    expect(dialog).to_contain_text("at metric weights Throughput (1) and Memory (1)")
    assert dialog.get_by_text("does not hold the newest results").count() == 0
    found = texts(page)
    assert set(found) == {"sentence", "apa", "bibtex", "ris", "cff"}
    assert all(snapshot.id in text for text in found.values())
    cited = found["sentence"].rpartition(" ")[2]
    assert cited.startswith(f"{address}snapshots/{snapshot.id}/#v1;m=")
    page.goto(cited)
    expect(page.locator("#weights-name")).to_have_text("custom", timeout=60_000)
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    assert page.locator("tbody > [data-model]").evaluate_all(ORDER) == rows


@pytest.mark.slow
def test_a_board_without_a_snapshot_says_what_to_cite(page: Page, site_url: str) -> None:
    """It keeps changing, so its numbers are exported."""
    page.goto(site_url + "sentiment/")
    page.get_by_role("button", name="Cite this view").click()
    expect(page.get_by_role("dialog")).to_contain_text(
        "This board has no snapshot yet, and a live board changes."
    )


@pytest.mark.slow
@pytest.mark.parametrize("links", ["#rows .line a", ".datasets a"])
def test_pages_opened_from_a_reweighed_board_have_its_ranks(page: Page, site_url: str, links: str) -> None:
    """Of a model and of a dataset; a link leads back to the board at the same weights."""
    page.goto(site_url + "measured/#v1;m=accuracy:0,throughput:1,memory:0")
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    expect(page.locator("#weights-name")).to_have_text("custom")
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    ranks = dict(
        page.locator("#rows .line").evaluate_all(
            "rows => rows.map((row) => [row.dataset.model, row.querySelector('.place').textContent])"
        )
    )
    page.locator(links).first.click()
    expect(page).to_have_url(re.compile(r"/(models|datasets)/[^#]*#v1;m=accuracy:0,throughput:1,memory:0$"))
    expect(page.locator("#at-words")).to_contain_text("with a line under them", timeout=60_000)
    # What stays at the default weights says so, or is not shown.
    expect(page.locator(".default-set:visible")).to_have_count(0)
    for heading in page.locator(".at-default").all():
        expect(heading).to_be_visible()
    for place in page.locator("[data-rank-of]").all():
        assert place.text_content() == ranks[str(place.get_attribute("data-rank-of"))]
    page.get_by_role("link", name="Back to the board at these weights").click()
    expect(page).to_have_url(re.compile("/measured/#v1;m=accuracy:0"))


@pytest.mark.slow
def test_links_of_a_board_at_its_default_weights_carry_nothing(page: Page, site_url: str) -> None:
    """The page of a model then loads no scorer."""
    page.goto(site_url + "sentiment/")
    expect(page.locator("#scorer-state")).to_have_text("ready", timeout=60_000)
    page.locator("#rows .line a").first.click()
    expect(page).to_have_url(re.compile(r"/models/[a-z0-9-]+/$"))
    expect(page.locator("#at-weights")).to_be_hidden()
    expect(page.locator("#board-urls")).to_have_count(0)


@pytest.mark.slow
def test_without_an_address_a_citation_is_of_the_page_itself(tmp_path: Path) -> None:
    """The address is relative then, and the page leaves its owner's errands to the build."""
    boards, results = write_world(tmp_path)
    snapshot = freeze_board(boards, results, "solo")
    own = folder_of(results) / snapshot.id
    assert f"url = {{snapshots/{snapshot.id}/}}" in (own / "citation.bib").read_text()
    assert "url" not in yaml.safe_load((own / "CITATION.cff").read_text())
    page = (own / "index.html").read_text()
    assert "board.toml" not in page.partition('id="cite"')[2].partition("</section>")[0]
    assert "Its address is that of this page." in page


@pytest.mark.slow
def test_no_licence_is_said_to_be_none(tmp_path: Path) -> None:
    """Where board.toml names no licence nothing claims one."""
    from rocrate.rocrate import ROCrate

    boards, results = write_world(tmp_path)
    snapshot = freeze_board(boards, results, "solo")
    own = folder_of(results) / snapshot.id
    shutil.copytree(own, tmp_path / "crate")
    assert ROCrate(tmp_path / "crate").root_dataset["license"]["name"] == "Not stated"
    assert head_of(tmp_path, snapshot)[1]["license"] == "not stated"
