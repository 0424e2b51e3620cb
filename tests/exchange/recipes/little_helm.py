"""A scenario of the meals and a model for HELM, which `helm.sh` runs: every third answer is wrong."""

from __future__ import annotations

from helm.benchmark.adaptation.common_adapter_specs import get_multiple_choice_joint_adapter_spec
from helm.benchmark.metrics.common_metric_specs import get_exact_match_metric_specs
from helm.benchmark.model_deployment_registry import ClientSpec, ModelDeployment, register_model_deployment
from helm.benchmark.model_metadata_registry import get_unknown_model_metadata, register_model_metadata
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
    ScenarioSpec,
)
from helm.clients.client import Client
from helm.common.request import GeneratedOutput, Request, RequestResult, Token
from little_data import meals

MODEL = "little/model"


class MealsScenario(Scenario):
    """Which of two words fits a sentence."""

    name, description, tags = "meals", "The mood of sentences about meals.", ["classification"]

    def get_instances(self, output_path: str) -> list[Instance]:
        return [self._instance(row["text"], row["label"]) for row in meals()]

    def _instance(self, text: str, label: int) -> Instance:
        words = enumerate(["negative", "positive"])
        references = [
            Reference(Output(text=word), [CORRECT_TAG] if place == label else []) for place, word in words
        ]
        return Instance(input=Input(text=text), references=references, split=TEST_SPLIT)


class LittleClient(Client):
    """Answers from the sentences themselves, every third one wrongly."""

    def make_request(self, request: Request) -> RequestResult:
        place, row = next((n, row) for n, row in enumerate(meals()) if row["text"] in request.prompt)
        answer = " " + "AB"[row["label"] ^ (place % 3 == 2)]
        output = GeneratedOutput(text=answer, logprob=0, tokens=[Token(text=answer, logprob=0)])
        return RequestResult(
            success=True, cached=False, request_time=0, request_datetime=0, completions=[output], embedding=[]
        )


@run_spec_function("meals")
def meals_run_spec() -> RunSpec:
    """Each sentence on its own, with lettered choices."""
    return RunSpec(
        name="meals",
        scenario_spec=ScenarioSpec(class_name="little_helm.MealsScenario"),
        adapter_spec=get_multiple_choice_joint_adapter_spec(
            instructions="Say which word fits.",
            input_noun="Sentence",
            output_noun="Answer",
            max_train_instances=0,
        ),
        metric_specs=get_exact_match_metric_specs(),
        groups=["meals"],
    )


register_model_metadata(get_unknown_model_metadata(MODEL))
register_model_deployment(
    ModelDeployment(
        name=MODEL,
        model_name=MODEL,
        tokenizer_name="simple/tokenizer1",
        max_sequence_length=2000,
        client_spec=ClientSpec(class_name="little_helm.LittleClient"),
    )
)
