"""Examples as columns: they look like the objects that they are made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.datasets.example_columns import ExampleColumns

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


@given(st.lists(st.tuples(texts, texts, texts)))
def test_columns_are_the_examples_that_were_added(rows: list[tuple[str, str, str]]) -> None:
    """By place, from the end, by slices and in order; whatever the texts hold."""
    examples = tuple({"id": id_, "context": context, "question": question} for id_, context, question in rows)
    columns = ExampleColumns(("context", "question"))
    for example in examples:
        columns.append(example["id"], example)
    assert (len(columns), tuple(columns), columns.ids) == (len(rows), examples, [row[0] for row in rows])
    assert columns == examples
    assert columns[1:] == examples[1:]
    assert [columns[place] for place in range(-len(rows), len(rows))] == [*examples, *examples]
    with pytest.raises(IndexError):
        columns[len(rows)]


def test_examples_of_another_text_are_others() -> None:
    """Equal are columns of equal examples, and nothing else."""
    one, other = ExampleColumns(("statement",)), ExampleColumns(("statement",))
    one.append("1", {"statement": "good"})
    other.append("1", {"statement": "bad"})
    assert one != other
    assert one != ({"id": "1", "statement": "good"}, {"id": "2", "statement": "good"})
    assert one != 3
