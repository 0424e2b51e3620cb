"""Formats of hate speech data, on harmless sentences written for this project (CC0)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from broken_files import error, written
from hypothesis import strategies as st

from evaluator.data.datasets import DatasetError, DatasetSource, read_dataset

# As R writes a table: quoted strings, bare numbers, a first column of row names without a name.
LFTW = """\
"","acl.id","X1","text","label","type","target","level","split","round.base","annotator","round","acl.id.matched"
"1","acl1",1,"I ""love"" my neighbours","nothate","none","none","original","test",1,"ann1","1",NA
"2","acl10",2,"They are all thieves, every one","hate","notgiven","notgiven","original","test",1,"ann2","1",NA
"3","acl2",3,"They should not be served here","hate","derogation","for","original","dev",2,"ann1","2a","acl3"
"4","acl3",4,"They should all be served here
and twice","nothate","none","none","perturbation","test",2,"ann3","2b","acl2"
"5","acl4",5,"Such people are animals","hate","dehumanization","for, immig","original","train",4,"ann1","4a","acl9"
"""
HATECHECK = """\
,functionality,case_id,test_case,label_gold,target_ident,direction,focus_words,focus_lemma,ref_case_id,ref_templ_id,templ_id,case_templ
0,derog_neg_emote_h,1,I can't stand gardeners. ,hateful,gardeners,general,stand,stand,,,1,I can't stand [IDENTITY_P].
1,ident_pos_nh,7,"Gardeners, I like them.",non-hateful,gardeners,,,,1.0,1.0,12,"[IDENTITY_P], I like them."
2,target_obj_nh,9,I can't stand rain.,non-hateful,,,,,,,20,I can't stand rain.
"""
NAMES = {"lftw": LFTW, "hatecheck": HATECHECK}


def source(folder: Path, form: str, data: str, **options: Any) -> DatasetSource:
    return replace(written(folder, "data.csv", data.encode(), "hate-speech", form), options=options)


def refusal(made: DatasetSource) -> str:
    return error(made).removeprefix(str(made.path))


def test_lftw(tmp_path: Path) -> None:
    """Ids, texts, labels, and tags for round and type come from the published columns."""
    dataset = read_dataset(source(tmp_path, "lftw", LFTW))
    assert dataset.labels == ("not-hateful", "hateful")
    assert [example["id"] for example in dataset.examples] == ["acl1", "acl10", "acl2", "acl3", "acl4"]
    assert dataset.examples[0]["statement"] == 'I "love" my neighbours'
    assert dataset.examples[3]["statement"] == "They should all be served here\nand twice"
    assert dataset.gold == ("not-hateful", "hateful", "hateful", "not-hateful", "hateful")
    assert dataset.tags[2] == {"round": "2", "type": "derogation"}


def test_lftw_split_and_round(tmp_path: Path) -> None:
    """A split and a round are chosen by options; the rows of others are counted, and change the revision."""
    made = source(tmp_path, "lftw", LFTW, split="test", round=1)
    dataset = read_dataset(made)
    assert [example["id"] for example in dataset.examples] == ["acl1", "acl10"]
    assert dataset.dropped == {"in another round": 1, "in another split": 2}
    assert dataset.revision != read_dataset(source(tmp_path, "lftw", LFTW)).revision
    assert read_dataset(replace(made, tags={"round": "1"})).tags == dataset.tags


@pytest.mark.parametrize(
    "options", [{"split": "all"}, {"split": 1}, {"round": 5}, {"round": "2"}, {"round": True}, {"x": 1}]
)
def test_lftw_options(options: dict[str, Any], tmp_path: Path) -> None:
    """A split, a round or an option that there is not is refused by name."""
    with pytest.raises(DatasetError, match=f"^dataset toy: options.{next(iter(options))}: "):
        read_dataset(source(tmp_path, "lftw", LFTW, **options))


def test_a_constant_round_must_be_true(tmp_path: Path) -> None:
    """A tag of the whole dataset is an error where a row has another value."""
    made = replace(source(tmp_path, "lftw", LFTW), tags={"round": "1"})
    assert refusal(made).startswith(":4: tags.round: '2' where all examples are said to have '1'")


def test_hatecheck(tmp_path: Path) -> None:
    """Functionality and target are tags, where there is one; texts stay as they are, spaces included. The cases
    of one template are a cluster."""
    dataset = read_dataset(source(tmp_path, "hatecheck", HATECHECK))
    assert dataset.clusters == ()
    assert read_dataset(source(tmp_path, "hatecheck", HATECHECK.replace(",20,", ",12,"))).clusters == (
        0,
        1,
        1,
    )
    assert dataset.examples[0] == {"id": "1", "statement": "I can't stand gardeners. "}
    assert dataset.gold == ("hateful", "not-hateful", "not-hateful")
    assert dataset.tags == (
        {"functionality": "derog_neg_emote_h", "target_ident": "gardeners"},
        {"functionality": "ident_pos_nh", "target_ident": "gardeners"},
        {"functionality": "target_obj_nh"},
    )


BAD = {
    "label": ("lftw", '"nothate","none"', '"maybe","none"', ":2: label: 'maybe' is not in label_map"),
    "split": ("lftw", '"dev"', '"val"', ":4: split: 'val' is not a split"),
    "round": ("lftw", ',4,"ann1"', ',5,"ann1"', ":7: round.base: '5' is not a round"),
    "twice": ("lftw", '"acl10"', '"acl1"', ":3: id: 'acl1' is already the id of the row on line 2"),
    "column": (
        "lftw",
        '"round.base"',
        '"round_base"',
        ":1: columns.tag.round: 'round.base' is not in the header",
    ),
    "width": ("lftw", ',"1",NA', ',"1"', ":2: row: ['1', 'acl1', "),
    "quote": ("lftw", '"I ""love"" my', '"I "love" my', ":2: row: '' is not CSV"),
    "gold": ("hatecheck", ",hateful,", ",hate,", ":2: label: 'hate' is not in label_map"),
    "id": ("hatecheck", ",9,", ",,", ":4: id: '' is not an id"),
    "header": (
        "hatecheck",
        ",test_case,",
        ",text,",
        ":1: columns.statement: 'test_case' is not in the header",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_wrong_row_is_named(name: str, tmp_path: Path) -> None:
    """A file that is not as published is an error with line, field and value."""
    form, old, new, expected = BAD[name]
    assert old in NAMES[form]
    assert refusal(source(tmp_path, form, NAMES[form].replace(old, new, 1))).startswith(expected)


cells = st.sampled_from(
    ["hate", "nothate", "hateful", "non-hateful", "test", "1", "", '"', "a\r\nb", "\ufeff", "é"]
)
