"""Classifiers exported to ONNX: the recipe that exports and compares, and the adapter that runs them."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.data.datasets import Dataset, DatasetSource
from evaluator.measure.models import open_model
from evaluator.measure.models.base import BatchModel
from evaluator.measure.models.prepared import Prepared
from evaluator.measure.models.preparing import prepare, prepare_in_process
from evaluator.measure.worker import Limits, ModelToLoad, Placement, Worker
from evaluator.records.errors import UserError
from evaluator.records.references import Parity

pytestmark = pytest.mark.slow

SaveBert = Callable[..., None]
LABELS = ("negative", "positive")
NLI = ("entailed", "neutral", "contradictory")
TEXTS = ["good film", "", "not bad", "bad " * 40, "films Ünïcödé 🎬", "good"]
PAIRS = [("good film", "not bad"), ("", ""), ("bad " * 50, "film"), ("good", "films " * 50), ("x", "not")]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory, save_bert: SaveBert) -> tuple[Path, Prepared]:
    """A tiny classifier of one text, and what the recipe made of it."""
    root = tmp_path_factory.mktemp("one")
    save_bert(root / "source", LABELS)
    file = root / "train.tsv"
    file.write_text("\n".join(f"{text}\t{place % 2}" for place, text in enumerate(TEXTS * 3) if text))
    source = DatasetSource(
        "toy",
        "sentiment",
        file,
        "tsv",
        {"statement": 0, "label": 1},
        {"0": "negative", "1": "positive"},
        LABELS,
    )
    return root / "source", prepare_in_process("onnx", {}, source, 0, root / "models", source=root / "source")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory, save_bert: SaveBert) -> tuple[Path, Prepared]:
    """A tiny classifier of pairs, and what the recipe made of it."""
    root = tmp_path_factory.mktemp("two")
    save_bert(root / "source", NLI)
    examples = tuple({"id": str(n), "context": one, "hypothesis": two} for n, (one, two) in enumerate(PAIRS))
    train = Dataset("pairs", "nli", NLI, examples, (NLI * 2)[: len(PAIRS)], "sha256:" + "0" * 64)
    return root / "source", prepare("onnx", {}, train, 0, root / "models", root / "source")


def opened(prepared: Prepared, **options: Any) -> Any:
    return open_model("onnx", prepared.directory, options, "sentiment", LABELS)


def test_an_exported_model_answers_as_its_source(exported: tuple[Path, Prepared]) -> None:
    """One text at a time and in padded batches, labels are the same and probabilities within 1e-5."""
    source, prepared = exported
    original = open_model("transformers", source, {}, "sentiment", LABELS)
    model = opened(prepared)
    assert isinstance(model, BatchModel)
    examples = [{"statement": text} for text in TEXTS]
    for example, batched in zip(examples, model.predict_batch(examples), strict=True):
        expected: Any = original.predict(example)
        for answer in (batched, model.predict(example)):
            assert answer["label"] == expected["label"]
            assert answer["probabilities"] == pytest.approx(expected["probabilities"], abs=1e-5)


def test_pairs_are_read_and_cut_as_transformers_does(pairs: tuple[Path, Prepared]) -> None:
    """Pairs of all lengths, and those that must be cut, get the answers of the source."""
    source, prepared = pairs
    original = open_model("transformers", source, {}, "nli", NLI)
    model = open_model("onnx", prepared.directory, {}, "nli", NLI)
    for context, hypothesis in PAIRS:
        example = {"context": context, "hypothesis": hypothesis}
        answer, expected = model.predict(example), original.predict(example)
        assert answer["probabilities"] == pytest.approx(expected["probabilities"], abs=1e-5)


def test_it_runs_in_a_worker_without_torch(exported: tuple[Path, Prepared]) -> None:
    """Behind all that keeps models in, an exported model answers; torch and transformers are not loaded."""
    _, prepared = exported
    spec = ModelToLoad("onnx", prepared.directory, prepared.options, "sentiment", LABELS)
    with Worker(spec, Limits(), Placement(threads=2)) as worker:
        worker.start()
        reply = worker.predict({"statement": "good film"}).output
    assert reply["probabilities"] == pytest.approx(
        opened(prepared).predict({"statement": "good film"})["probabilities"]
    )
    script = (
        "import sys; from pathlib import Path; from evaluator.measure.models import open_model;"
        "open_model('onnx', Path(sys.argv[1]), {}, 'sentiment', ('negative', 'positive')).predict({'statement': 'x'});"
        "print(sorted({'torch', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(prepared.directory)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("threads", [1, 2])
def test_it_takes_the_threads_that_a_worker_may_use(
    threads: int, exported: tuple[Path, Prepared], monkeypatch: pytest.MonkeyPatch
) -> None:
    """onnxruntime gets as many threads as the worker's environment says, and no more."""
    monkeypatch.setenv("OMP_NUM_THREADS", str(threads))
    settings = opened(exported[1]).network.session.get_session_options()
    assert (settings.intra_op_num_threads, settings.inter_op_num_threads) == (threads, 1)


def changed(prepared: Prepared, folder: Path, name: str, text: str | None) -> Path:
    """A copy of the model's folder in which a file is gone or has another text."""
    shutil.copytree(prepared.directory, folder)
    if text is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("config.json", None, r"config\.json: no such file; put the model's configuration there"),
        ("config.json", "{", r"config\.json: .*; save the model's configuration again"),
        (
            "config.json",
            json.dumps({"id2label": {"0": "negative", "1": "positive", "2": "neutral"}}),
            "do not stand",
        ),
        ("model.onnx", None, r"model\.onnx: no such file; export the model there, or correct options\.file"),
        ("model.onnx", "nonsense", r"model\.onnx: .*; export the model again"),
        ("tokenizer.json", "{}", r"tokenizer\.json: .*; save the tokeniser again"),
    ],
)
def test_a_folder_that_is_not_whole_is_refused(
    name: str, text: str | None, message: str, exported: tuple[Path, Prepared], tmp_path: Path
) -> None:
    """Each message names the file and the fix."""
    folder = changed(exported[1], tmp_path / "model", name, text)
    with pytest.raises(UserError, match=message):
        open_model("onnx", folder, {}, "sentiment", LABELS)


def network(file: Path, inputs: dict[str, int], outputs: tuple[int, ...]) -> None:
    """A network that takes `inputs`, of a type each, and answers with zeros."""
    import onnx

    given = [onnx.helper.make_tensor_value_info(name, kind, ["b", "t"]) for name, kind in inputs.items()]
    zeros = onnx.numpy_helper.from_array(__import__("numpy").zeros(outputs, dtype="float32"))
    node = onnx.helper.make_node("Constant", [], ["logits"], value=zeros)
    out = onnx.helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, list(outputs))
    graph = onnx.helper.make_graph([node], "g", given, [out])
    onnx.save(
        onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=10), file
    )


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ({"input_ids": 1}, (2, 2), r"it takes input_ids of the type tensor\(float\)"),
        ({"input_ids": 7}, (2, 3), r"its output logits has the shape \(2, 3\) for 2 texts and 2 classes"),
    ],
)
def test_a_network_that_is_no_classifier_is_refused(
    inputs: dict[str, int],
    outputs: tuple[int, ...],
    message: str,
    exported: tuple[Path, Prepared],
    tmp_path: Path,
) -> None:
    """A network that takes or gives something else is named, with what to export."""
    folder = changed(exported[1], tmp_path / "model", "model.onnx", "")
    network(folder / "model.onnx", inputs, outputs)
    with pytest.raises(UserError, match=message):
        open_model("onnx", folder, {}, "sentiment", LABELS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"file": "absent.onnx"}, r"absent\.onnx: no such file"),
        ({"file": "../x"}, r"options\.file: '\.\./x' is no file of the model's folder"),
        ({"max_length": 2}, r"options\.max_length: 2 is not a whole number from 3 to 24"),
        (
            {"precision": "int8"},
            r"options\.precision: onnx has no such option; use only file, label_map, max_length",
        ),
    ],
)
def test_a_wrong_option_is_refused_by_name(
    options: dict[str, Any], message: str, exported: tuple[Path, Prepared]
) -> None:
    """Each message names the option and the value."""
    with pytest.raises(UserError, match=message):
        opened(exported[1], **options)


def test_the_recipe_needs_a_folder_and_a_classifier(
    train: Dataset, tmp_path: Path, save_bert: SaveBert
) -> None:
    """Without a folder, with what is no classifier in it, or without a fast tokeniser, nothing is made."""
    with pytest.raises(
        UserError, match="directory: missing; the recipe onnx makes its model of the one in a folder"
    ):
        prepare("onnx", {}, train, 0, tmp_path)
    save_bert(tmp_path / "bare", architecture="BertModel")
    with pytest.raises(UserError, match="its weights lack classifier"):
        prepare("onnx", {}, train, 0, tmp_path / "models", tmp_path / "bare")
    save_bert(tmp_path / "other", ("x", "y"))
    with pytest.raises(UserError, match="its classes x, y do not stand for the labels"):
        prepare("onnx", {}, train, 0, tmp_path / "models", tmp_path / "other")
    assert not [path for path in (tmp_path / "models").iterdir() if path.is_dir()]


def elsewhere(prepared: Prepared, folder: Path, change: Callable[[Any], None]) -> Path:
    """The folder of an export whose network was changed, as another exporter would have made it."""
    import onnx

    shutil.copytree(prepared.directory, folder)
    found = onnx.load(folder / "model.onnx")
    change(found)
    for path in folder.glob("model.onnx*"):
        path.unlink()
    onnx.save(found, folder / "model.onnx")
    return folder


def renamed(names: dict[str, str]) -> Callable[[Any], None]:
    """Gives inputs other names."""

    def change(found: Any) -> None:
        for node in found.graph.node:
            node.input[:] = [names.get(name, name) for name in node.input]
        for one in found.graph.input:
            one.name = names.get(one.name, one.name)

    return change


def of_32_bits(found: Any) -> None:
    """Has inputs of 32 bits, in reverse order, as tf2onnx has them."""
    import onnx

    inputs, kind = list(found.graph.input), onnx.TensorProto.INT64
    renamed({one.name: f"{one.name}.long" for one in inputs})(found)
    del found.graph.input[:]
    for one in reversed(inputs):
        name = one.name.removesuffix(".long")
        short = onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT32, ["b", "t"])
        found.graph.input.append(short)
        found.graph.node.insert(0, onnx.helper.make_node("Cast", [name], [f"{name}.long"], to=kind))


def with_hidden_states_first(found: Any) -> None:
    """Has another output before the logits."""
    import onnx

    [logits] = found.graph.output
    found.graph.node.append(onnx.helper.make_node("Identity", [found.graph.input[0].name], ["hidden"]))
    hidden = onnx.helper.make_tensor_value_info("hidden", onnx.TensorProto.INT64, ["b", "t"])
    del found.graph.output[:]
    found.graph.output.extend([hidden, logits])


def called_output(found: Any) -> None:
    """Has logits of another name."""
    import onnx

    found.graph.node.append(onnx.helper.make_node("Identity", ["logits"], ["output_0"]))
    found.graph.output[0].name = "output_0"


def with_softmax(found: Any) -> None:
    """Gives probabilities."""
    import onnx

    found.graph.node.append(onnx.helper.make_node("Softmax", ["logits"], ["probabilities"], axis=-1))
    found.graph.output[0].name = "probabilities"


def of_one_size(found: Any) -> None:
    """Takes one text of 24 tokens at a time."""
    for one in found.graph.input:
        for place, size in enumerate((1, 24)):
            one.type.tensor_type.shape.dim[place].dim_value = size
    found.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 1


@pytest.mark.parametrize(
    "change",
    [
        renamed(
            {"attention_mask": "input_mask", "token_type_ids": "segment_ids:0", "input_ids": "input_ids:0"}
        ),
        of_32_bits,
        with_hidden_states_first,
        called_output,
        with_softmax,
        of_one_size,
    ],
)
def test_an_export_of_another_tool_answers_as_its_source(
    change: Callable[[Any], None], exported: tuple[Path, Prepared], tmp_path: Path
) -> None:
    """Other names, orders, types and sizes of inputs and outputs give the same probabilities."""
    source, prepared = exported
    folder = elsewhere(prepared, tmp_path / "model", change)
    original: Any = open_model("transformers", source, {}, "sentiment", LABELS)
    model: Any = open_model("onnx", folder, {}, "sentiment", LABELS)
    examples = [{"statement": text} for text in TEXTS]
    for example, batched in zip(examples, model.predict_batch(examples), strict=True):
        expected = original.predict(example)
        for answer in (batched, model.predict(example)):
            assert answer["probabilities"] == pytest.approx(expected["probabilities"], abs=1e-5)


def test_a_network_of_one_length_that_takes_no_mask_is_refused(
    exported: tuple[Path, Prepared], tmp_path: Path
) -> None:
    """It would read what shorter texts are filled up with."""
    folder = changed(exported[1], tmp_path / "model", "model.onnx", "")
    network(folder / "model.onnx", {"input_ids": 7}, (1, 2))
    folder = elsewhere(Prepared.existing("onnx", folder, {}), tmp_path / "fixed", of_input_size)
    with pytest.raises(UserError, match="it takes texts of just 24 tokens and no attention_mask"):
        open_model("onnx", folder, {}, "sentiment", LABELS)


def of_input_size(found: Any) -> None:
    """Takes texts of 24 tokens."""
    found.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 24


def moved(folder: Path, *names: str) -> Path:
    """The folder, its network under other names instead."""
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(folder / "model.onnx", folder / name)
    (folder / "model.onnx").unlink()
    return folder


def test_which_of_several_networks_is_meant_must_be_said(
    exported: tuple[Path, Prepared], tmp_path: Path
) -> None:
    """The message names them; the option picks one."""
    folder = moved(elsewhere(exported[1], tmp_path / "model", lambda found: None), "a.onnx", "onnx/b.onnx")
    with pytest.raises(
        UserError, match=r"it has several networks; name one as options\.file: a\.onnx, onnx/b"
    ):
        open_model("onnx", folder, {}, "sentiment", LABELS)
    open_model("onnx", folder, {"file": "onnx/b.onnx"}, "sentiment", LABELS)


def test_a_quantised_network_is_compared_with_its_source(
    exported: tuple[Path, Prepared], tmp_path: Path, train: Dataset
) -> None:
    """What was made elsewhere and lies beside the source is taken as it is; the record says how far it is off."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    source, prepared = exported
    shutil.copytree(source, tmp_path / "source")
    whole = elsewhere(prepared, tmp_path / "whole", lambda found: None) / "model.onnx"
    place = tmp_path / "source" / "onnx" / "model_quantized.onnx"
    place.parent.mkdir()
    quantize_dynamic(whole, place, weight_type=QuantType.QInt8)
    options = {"file": "onnx/model_quantized.onnx"}
    made = prepare("onnx", options, train, 0, tmp_path / "models", tmp_path / "source")
    parity = Parity.model_validate(made.details["origin"]["parity"])
    assert 1e-5 < parity.largest_difference < 0.1
    assert (made.directory / place.name).read_bytes() == place.read_bytes()
    open_model("onnx", made.directory, made.options, "sentiment", LABELS)
    with pytest.raises(UserError, match=r"absent\.onnx: no such file"):
        prepare("onnx", {"file": "absent.onnx"}, train, 0, tmp_path / "models", tmp_path / "source")


def test_the_recipe_stores_weights_in_eight_bits(
    exported: tuple[Path, Prepared], tmp_path: Path, train: Dataset
) -> None:
    """The network is smaller, its answers are nearly the same, and the record says how nearly."""
    source, prepared = exported
    made = prepare("onnx", {"weights": "int8"}, train, 0, tmp_path / "models", source)
    parity = Parity.model_validate(made.details["origin"]["parity"])
    assert 1e-5 < parity.largest_difference < 0.1
    sizes = [
        sum(len(file.read_bytes()) for file in one.directory.glob("*.onnx*")) for one in (made, prepared)
    ]
    assert sizes[0] < sizes[1]
    open_model("onnx", made.directory, made.options, "sentiment", LABELS)
    with pytest.raises(UserError, match=r"options\.weights: 'int4'; choose float32 or int8"):
        prepare("onnx", {"weights": "int4"}, train, 0, tmp_path / "models", source)
