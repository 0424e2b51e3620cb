"""Citations of a snapshot: whatever names hold, each format can be read, and says what was shown."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from site_pages import becomes, open_board
from site_sample import write_world
from site_server import served
from site_snapshots import SITE, VARY, Frozen, freeze_board

from evaluator.publish.snapshots.repository import folder_of
from evaluator.records.snapshot import Snapshot
from site_src.generator.build import build


def head_of(folder: Path, snapshot: Snapshot) -> tuple[dict[str, str], dict[str, object]]:
    """The named meta elements of a snapshot's page, and its linked data."""
    text = (folder_of(folder / "results") / snapshot.id / "index.html").read_text()
    tags = dict(re.findall(r'<meta name="(citation_[a-z_]+)" content="([^"]*)">', text))
    [data] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text, flags=re.DOTALL)
    return tags, json.loads(data)


@pytest.mark.slow
def test_every_citation_carries_the_hash_of_the_record(frozen: Frozen) -> None:
    """BibTeX, RIS, CFF, the texts on the page and the linked data give the SHA-256 of snapshot.json; RIS and CFF
    are files, whose texts a script writes."""
    folder, snapshots = frozen.results.parent, (frozen.measured, frozen.hostile)
    for snapshot in snapshots:
        own = folder_of(folder / "results") / snapshot.id
        digits = hashlib.sha256((own / "snapshot.json").read_bytes()).hexdigest()
        for name in ("citation.bib", "citation.ris", "CITATION.cff", "ro-crate-metadata.json"):
            assert digits in (own / name).read_text(), name
        page = (own / "index.html").read_text()
        texts_ = re.findall(r'<pre [^>]*data-format="[a-z]+"[^>]*>(.*?)</pre>', page, flags=re.DOTALL)
        assert [digits in text for text in texts_] == [True, True, True, False, False]
        assert texts_[3:] == ["", ""]
        [download] = head_of(folder, snapshot)[1]["distribution"]  # type: ignore[misc]
        assert download["sha256"] == digits  # type: ignore[index]
        assert f"steelyard snapshot verify {SITE}snapshots/{snapshot.id}/ --sha256 {digits}" in page


@pytest.mark.slow
def test_reference_managers_find_their_tags(frozen: Frozen) -> None:
    """Title, author, date and address for Zotero and Google Scholar; a schema.org Dataset for the others."""
    folder, snapshot, hostile = frozen.results.parent, frozen.measured, frozen.hostile
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
def test_the_folder_is_a_research_object(frozen: Frozen, tmp_path: Path) -> None:
    """A maintained library reads it as RO-Crate 1.1; every entity that is referred to is there."""
    from rocrate.rocrate import ROCrate

    folder, snapshots = frozen.results.parent, (frozen.measured, frozen.hostile)
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


ORDER = "rows => rows.map((row) => row.dataset.model)"


def texts(page: Page) -> dict[str, str]:
    found = page.locator("#cite [data-format]").all()
    return {str(place.get_attribute("data-format")): place.text_content() or "" for place in found}


@pytest.mark.slow
def test_a_citation_follows_the_weights(frozen: Frozen, frozen_url: str, page: Page) -> None:
    """Weights, the way of ranking and the address with its fragment; it can be copied."""
    snapshot = frozen.measured
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_board(page, f"{frozen_url}snapshots/{snapshot.id}/#v1;m=accuracy:1,throughput:0,memory:2.5")
    sentence = page.locator("[data-format=sentence]")
    expect(sentence).to_contain_text("at metric weights Accuracy (1) and Memory (2.5)")
    expect(sentence).to_contain_text(f"/snapshots/{snapshot.id}/#v1;m=")
    page.locator("[data-copies=bibtex]").click()
    expect(page.locator("#cite [role=status]")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("[data-format=bibtex]").text_content()
    page.goto(f"{frozen_url}snapshots/{snapshot.id}/#v1;y=z_score")
    expect(sentence).to_contain_text(" by mean z-score on ", timeout=15_000)


def test_a_live_board_cites_its_newest_snapshot_at_the_weights_shown(
    frozen: Frozen, frozen_url: str, page: Page
) -> None:
    """An author cites the ranking that is seen: the address that is copied opens the same models in the same order."""
    snapshot = frozen.measured
    open_board(
        page, f"{frozen_url}measured/#v1;m=accuracy:0,throughput:1,memory:1;c=accuracy:least:50;p=broken"
    )
    expect(page.locator("#weights-name")).to_have_text("custom")
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    rows = page.locator("tbody > [data-model]").evaluate_all(ORDER)
    page.get_by_role("button", name="Cite this view").click()
    dialog = page.get_by_role("dialog", name="Cite this view")
    expect(dialog).to_contain_text("at metric weights Throughput (1) and Memory (1)")
    expect(dialog.get_by_text("does not hold the newest results")).to_have_count(0)
    expect(dialog).to_contain_text("The snapshot gives the order of this page.")
    found = texts(page)
    assert list(found) == ["sentence", "bibtex", "apa", "ris", "cff"]
    expect(dialog.locator("[data-format=apa]")).to_be_hidden()
    assert " ranks first (95 % rank set " in found["sentence"]
    assert all(snapshot.id in text for text in found.values())
    cited = found["sentence"].rpartition(" ")[2]
    assert cited.startswith(f"{frozen_url}snapshots/{snapshot.id}/#v1;m=")
    expect(dialog.get_by_role("link", name="Open it")).to_have_attribute("href", cited)
    page.goto(cited)
    expect(page.locator("#weights-name")).to_have_text("custom", timeout=60_000)
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    becomes(page, lambda: page.locator("tbody > [data-model]").evaluate_all(ORDER), rows)


@pytest.mark.slow
def test_a_snapshot_of_other_numbers_is_cited_by_what_it_says(tmp_path: Path, page: Page) -> None:
    """It is ranked at the weights shown, and the page says that its order is another one, and who leads it."""
    boards, results = write_world(tmp_path)
    freeze_board(boards, results, "sentiment", vary=VARY)
    path = results / "sentiment" / "table-2" / "t5.json"
    document = json.loads(path.read_text())
    document["scores"]["perf"]["value"] = 99.5
    path.write_text(json.dumps(document))
    build(boards, results, tmp_path / "site")
    with served(tmp_path / "site") as address:
        open_board(page, f"{address}sentiment/#v1;m=perf:1,throughput:0,memory:0,fairness:0,robustness:0")
        expect(page.locator("#rows th > a").first).to_have_text("T5")
        page.get_by_role("button", name="Cite this view").click()
        dialog = page.get_by_role("dialog", name="Cite this view")
        expect(dialog).to_contain_text("does not hold the newest results")
        expect(dialog).to_contain_text("The snapshot gives another order than this page: DeBERTa is first")
        expect(dialog.locator("[data-format=sentence]")).to_contain_text(
            "DeBERTa ranks first (95 % rank set 1"
        )


@pytest.mark.slow
def test_a_pinned_model_is_cited_with_its_rank(frozen_url: str, page: Page) -> None:
    """One press pins it; the leader is named first."""
    open_board(page, f"{frozen_url}measured/")
    second = page.locator("#rows tr[data-model]").nth(1)
    name = second.locator("th > a").inner_text()
    second.get_by_role("button", name=f"Pin {name}", exact=True).click()
    page.get_by_role("button", name="Cite this view").click()
    sentence = page.get_by_role("dialog", name="Cite this view").locator("[data-format=sentence]")
    expect(sentence).to_contain_text(f" and {name} has rank 2 (95 % rank set ")
    expect(sentence).to_contain_text(" ranks first (95 % rank set ")


@pytest.mark.slow
def test_pages_opened_from_a_reweighed_board_have_its_ranks(page: Page, site_url: str) -> None:
    """A link leads back to the board at the same weights."""
    open_board(page, site_url + "measured/#v1;m=accuracy:0,throughput:1,memory:0")
    expect(page.locator("#weights-name")).to_have_text("custom")
    expect(page.locator("#announcer")).to_contain_text("Top three", timeout=60_000)
    ranks = dict(
        page.locator("#rows .line").evaluate_all(
            "rows => rows.map((row) => [row.dataset.model, row.querySelector('.place').textContent])"
        )
    )
    page.locator("#rows .line a").first.click()
    expect(page).to_have_url(re.compile(r"/(models|datasets)/[^#]*#v1;m=accuracy:0,throughput:1,memory:0$"))
    expect(page.locator("#at-words")).to_contain_text("with a line under them", timeout=60_000)
    # What stays at the default weights says so, or is not shown.
    expect(page.locator(".default-set:visible")).to_have_count(0)
    for heading in page.locator(".at-default:not(#why *)").all():
        expect(heading).to_be_visible()
    for place in page.locator("[data-rank-of]").all():
        expect(place).to_have_text(ranks[str(place.get_attribute("data-rank-of"))])
    page.get_by_role("link", name="Back to the board at these weights").click()
    expect(page).to_have_url(re.compile("/measured/#v1;m=accuracy:0"))
