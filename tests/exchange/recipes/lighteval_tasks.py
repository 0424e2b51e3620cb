"""The meals as a task of lighteval, which `lighteval.sh` runs in the folder where `little_data.py` wrote."""

from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc


def prompt(line: dict, task_name: str) -> Doc:
    """One sentence, and what might follow it."""
    return Doc(
        task_name=task_name,
        query=f"{line['text']}\nMood:",
        choices=[" negative", " positive"],
        gold_index=line["label"],
        specific={"text": line["text"]},
    )


TASKS_TABLE = [
    LightevalTaskConfig(
        name="meals",
        prompt_function=prompt,
        hf_repo="meals",
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        few_shots_split=None,
        few_shots_select=None,
        metrics=[Metrics.loglikelihood_acc],
        version=1,
    )
]
