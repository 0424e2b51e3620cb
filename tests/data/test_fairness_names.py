"""The lists of names: what is shipped keeps its own rule, and what users bring is checked."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from fairness_texts import ALL

from evaluator.data.suites.errors import SuiteError
from evaluator.data.suites.fairness import fairness, placebo
from evaluator.data.suites.fairness.names import GENDERS, SHARED, NameKind, read_names
from evaluator.data.suites.fairness.words import data

GROUPS = ("asian-pacific-islander", "black", "hispanic", "white")
AT_LEAST = {"white": 0.96, "black": 0.30, "hispanic": 0.50, "asian-pacific-islander": 0.50}


def rows() -> list[dict[str, str]]:
    text = files("evaluator.data.suites.fairness").joinpath("data", "names.tsv").read_text(encoding="utf-8")
    header, *lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return [dict(zip(header, line, strict=True)) for line in lines]


def test_every_group_has_sixty_names_of_each_gender() -> None:
    """Four groups, at least sixty names a group and gender, no name twice."""
    names = read_names()
    assert names.groups == GROUPS
    for group in GROUPS:
        for gender in GENDERS:
            assert len(names.lists[NameKind(group, gender)]) >= 60, (group, gender)
    assert len(names.kinds) == sum(len(listed) for listed in names.lists.values())


def test_names_keep_the_rule_of_their_source() -> None:
    """Every row's share and births are what the file's notes ask of its source."""
    for row in rows():
        assert int(row["births"]) >= 10, row
        if row["source"] == "loans":
            assert float(row["share"]) >= AT_LEAST[row["group"]], row
        elif row["source"] == "city":
            assert float(row["share"]) >= 0.6666, row
        else:
            assert (row["source"], row["group"]) == ("births", SHARED), row


def test_the_file_names_its_sources_and_what_it_cannot_say() -> None:
    """Sources and limits are in the data file itself."""
    text = files("evaluator.data.suites.fairness").joinpath("data", "names.tsv").read_text(encoding="utf-8")
    for said in (
        "Tzioumis",
        "Popular Baby Names",
        "Social Security",
        "A list of names is not a group of people",
    ):
        assert said in text


OWN = "group\tgender\tname\tnote\n# mine\nmartian\tfemale\tZyx\tx\nmartian\tfemale\tZya\nmartian\tmale\tZog\nmartian\tmale\tZag\n"


def test_users_bring_their_own_lists(tmp_path: Path) -> None:
    """Other groups make other transformations, and another spec."""
    path = tmp_path / "names.tsv"
    path.write_text(OWN, encoding="utf-8")
    own = fairness({"names": str(path), "recogniser": "gazetteer"})
    assert [one.name for one in own] == ["gender", "ethnicity-martian"]
    assert own[0].spec()["options"]["names"] != ALL["gender"].spec()["options"]["names"]
    assert str(tmp_path) not in str(own[0].spec())


BROKEN = {
    "no header": ("martian\tfemale\tZyx\n", "column names"),
    "few columns": ("group\tgender\tname\nmartian\tfemale\n", "line 2"),
    "group": ("group\tgender\tname\nThe Martians\tfemale\tZyx\n", "'The Martians'"),
    "gender": ("group\tgender\tname\nmartian\tother\tZyx\n", "martian: 'Zyx': gender 'other'"),
    "name": ("group\tgender\tname\nmartian\tfemale\tMary Ann\n", "'Mary Ann'"),
    "lower case": ("group\tgender\tname\nmartian\tfemale\tzyx\n", "'zyx'"),
    "twice": (OWN + "venusian\tmale\tZyx\n", "venusian: 'Zyx' is in martian, female too"),
    "too few": (
        "group\tgender\tname\nmartian\tfemale\tZyx\nmartian\tfemale\tZya\n",
        "martian: fewer than two male",
    ),
    "empty": ("# nothing\n", "column names"),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=list(BROKEN))
def test_broken_lists_are_refused_by_file_group_and_name(text: str, said: str, tmp_path: Path) -> None:
    """Errors name the file, the group, the name and what to do."""
    path = tmp_path / "names.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SuiteError) as caught:
        placebo({"names": str(path)})
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"], ids=["missing", "binary"])
def test_unreadable_lists_are_refused(content: bytes | None, tmp_path: Path) -> None:
    """A file that is not there, or not text, is named."""
    path = tmp_path / "names.tsv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SuiteError, match=r"names\.tsv"):
        fairness({"names": str(path)})


@pytest.mark.parametrize("options", [{"name": "x"}, {"names": 3}], ids=["unknown", "no text"])
def test_other_options_are_refused(options: dict[str, object]) -> None:
    """Options that do not exist, or are no text, are named."""
    with pytest.raises(SuiteError, match=next(iter(options))):
        fairness(options)


def test_few_listed_names_are_ordinary_words() -> None:
    """Names that are also words are the exception, and never drawn."""
    ordinary = [name for name in read_names().kinds if name in data().ordinary]
    assert 0 < len(ordinary) <= 15
