"""The page of a model that is asked by prompts shows the prompt; that of an exported one, how it compares."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Locator, Page, expect
from site_sample import PARITY, PROMPT

from evaluator.records.references import PromptRecord
from site_src.generator.results import prompt_view

pytestmark = pytest.mark.slow

BERT, RTL, TFIDF = (f"measured/models/{name}/" for name in ("bert-small", "rtl", "tfidf"))


def folded(page: Page, address: str, summary: str) -> Locator:
    """The first details of a page with that summary, opened as a visitor does."""
    page.goto(address)
    found = page.locator("details", has=page.locator("summary", has_text=re.compile(f"^{summary}$"))).first
    assert found.evaluate("element => element.open") is False
    found.locator("summary").click()
    return found


def test_a_prompt_is_shown_with_all_that_decides_the_answer(page: Page, site_url: str) -> None:
    """Template, instruction, words, scoring and examples, line for line, behind a closed line."""
    prompt = folded(page, site_url + BERT, "Prompt")
    said = prompt.inner_text()
    for text in (
        "the highest log-likelihood after the prompt, divided by the number of their tokens",
        "none: the prompt is plain text",
        "2, drawn from reviews-train with seed 7; none of them is in this dataset",
        '"\\n\\n"',
        "Say how each review is meant.",
        "we loved it",
        f"sha256:{'7a' * 32}",
    ):
        assert text in said
    template = prompt.get_by_text("Review: {{ statement }}")
    assert template.inner_text() == PROMPT["template"]
    expect(template).to_have_css("white-space-collapse", "preserve")
    expect(prompt.get_by_text("dull, simply dull.")).to_have_attribute("tabindex", "0")


def test_how_an_exported_model_compares_is_shown(page: Page, site_url: str) -> None:
    """Of an exported model the page says how often both gave the same label, and how far they were apart."""
    said = folded(page, site_url + TFIDF, "Provenance").inner_text()
    assert "on 1199 of 1200 texts of reviews-train" in said
    assert "1.2e-06" in said
    assert PARITY["source"] in said


SETTINGS = {
    "scoring": st.sampled_from(["log-likelihood", "generation"]),
    "normalise": st.sampled_from(["none", "tokens", "characters"]),
    "answers": st.sampled_from([{}, {"a": "b", "c": "d"}]),
    "chat": st.booleans(),
    "examples": st.integers(0, 3),
    "drawn_from": st.sampled_from([None, "train"]),
}


@given(settings=st.fixed_dictionaries(SETTINGS))
def test_every_prompt_has_words(settings: dict[str, object]) -> None:
    """Whatever the settings, each fact has a name of its own and says something."""
    fixed = {"template": "{{ x }}", "separator": "", "delimiter": "", "sha256": "sha256:" + "0" * 64}
    view = prompt_view(PromptRecord.model_validate(fixed | settings | {"seed": 0, "max_new_tokens": 5}))
    assert view is not None
    names = [name for name, _ in view.facts]
    assert len(set(names)) == len(names)
    assert all(value for _, value in view.facts)
    assert prompt_view(None) is None
