"""COMET (Rei et al. 2020; Rei et al. 2022): a rating from source, translation and reference.

Equal to unbabel-comet's `RegressionMetric`, the kind of wmt20-comet-da and wmt22-comet-da, in torch itself,
since that package needs an older transformers. What is read is a checkpoint as that package lays it out:
``hparams.yaml`` and ``checkpoints/model.ckpt``. It lacks the encoder's configuration and tokeniser, which
are read from the folder ``encoder`` beside them, or from the hub's model that the option `encoder` names:
``{ model = ..., revision = ... }``. Weights are read as plain tensors, so no code of a checkpoint runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Floats, Scored, mean_of, package
from evaluator.score.metrics.checkpoints import Checkpoint
from evaluator.score.metrics.neural.network import Made, Scorer, limited, stripped_pairs
from evaluator.score.metrics.texts import Texts

#: What is read of ``hparams.yaml``, with unbabel-comet's defaults, and what these published models have.
USUAL = {
    "layer_transformation": "softmax",
    "layer_norm": True,
    "activations": "Tanh",
    "final_activation": None,
}
REQUIRED = {"class_identifier": "regression_metric", "layer": "mix", "pool": "avg"}


def comet(checkpoint: Checkpoint) -> Made:
    """COMET by one checkpoint; option `encoder`.

    The best reference counts; an empty answer's rating is 0 at most.
    """
    checkpoint.check_options(encoder=dict)
    encoder = _encoder_files(checkpoint)
    rate = Scorer(lambda: _Estimator(checkpoint, encoder).rate)

    def compute(items: Texts) -> Scored:
        assert items.sources is not None
        left, right = stripped_pairs(items)
        sources = [items.sources[item] for item in items.item[items.left].tolist()]
        return mean_of(items.reduced(limited(rate(sources, left, right)[0], left, 0.0))[0])

    return f"-{encoder.identity}" if encoder.model else "", compute


def _encoder_files(checkpoint: Checkpoint) -> Checkpoint:
    """Where the encoder's configuration and tokeniser are."""
    given = checkpoint.options.get("encoder")
    if given is None:
        return Checkpoint("comet", checkpoint.directory / "encoder")
    if set(given) != {"model", "revision"}:
        raise UserError("comet: options.encoder", "give model, a name on the hub, and revision")
    return Checkpoint("comet", model=given["model"], revision=given["revision"])


class _Estimator:
    def __init__(self, checkpoint: Checkpoint, encoder: Checkpoint) -> None:
        self.torch: Any = package("torch", "comet", "transformers")
        transformers: Any = package("transformers", "comet", "transformers")
        self.settings = _settings(checkpoint.directory / "hparams.yaml")
        try:
            config = transformers.AutoConfig.from_pretrained(encoder.directory, local_files_only=True)
            self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(
                encoder.directory, local_files_only=True
            )
        except (OSError, ValueError) as error:
            raise UserError(f"comet: {encoder.directory}", str(error).partition("\n")[0]) from None
        self.encoder: Any = transformers.AutoModel.from_config(config).eval()
        self.room = config.max_position_embeddings - 4  # as unbabel-comet cuts texts off
        weights = self._weights(checkpoint.directory / "checkpoints" / "model.ckpt")
        self._fill_encoder(_below(weights, "encoder.model."))
        self.mixture = self._mixture(_below(weights, "layerwise_attention."))
        self.layers = self._layers(_below(weights, "estimator.ff."))

    def _weights(self, file: Path) -> dict[str, Any]:
        try:
            found = self.torch.load(file, map_location="cpu", weights_only=True)["state_dict"]
        except FileNotFoundError:
            raise UserError(f"comet: {file}", "no such file", "put the checkpoint there") from None
        # A broken file, or one that holds more than tensors; torch has no error of its own for them.
        except Exception as error:
            why = str(error).partition("\n")[0]
            raise UserError(f"comet: {file}", why, "save its state_dict as plain tensors") from None
        weights: dict[str, Any] = found
        return weights

    def _fill_encoder(self, weights: dict[str, Any]) -> None:
        lacking = self.encoder.load_state_dict(weights, strict=False).missing_keys
        lacking = [key for key in lacking if not key.startswith("pooler.") and "position_ids" not in key]
        if lacking:
            raise UserError("comet", f"the checkpoint lacks {lacking[0]} of its encoder", "is it another's?")

    def _mixture(self, weights: dict[str, Any]) -> Any:
        """By how much each hidden layer counts, all layers (l,)."""
        count = self.encoder.config.num_hidden_layers + 1
        scalars = self.torch.cat([weights[f"scalar_parameters.{layer}"] for layer in range(count)])
        sparse = self.settings["layer_transformation"] == "sparsemax"
        shares = self._sparsemax(scalars) if sparse else scalars.softmax(dim=0)
        return weights["gamma"] * shares

    def _sparsemax(self, scores: Any) -> Any:
        """The nearest point of the simplex (Martins and Astudillo 2016, algorithm 1)."""
        falling = scores.sort(descending=True).values
        ranks = self.torch.arange(1, len(scores) + 1)
        above = falling.cumsum(dim=0) - 1
        support = int((ranks * falling > above).sum())
        return (scores - above[support - 1] / support).clamp(min=0)

    def _layers(self, weights: dict[str, Any]) -> Any:
        """The feed-forward layers on top: linear ones, which dropout lies between while it is trained."""
        nn, final = self.torch.nn, self.settings["final_activation"]
        places = sorted(int(key.partition(".")[0]) for key in weights if key.endswith(".weight"))
        layers: list[Any] = []
        for place in places:
            weight, bias = weights[f"{place}.weight"], weights[f"{place}.bias"]
            linear = nn.Linear(weight.shape[1], weight.shape[0])
            linear.load_state_dict({"weight": weight, "bias": bias})
            layers += [linear, _activation(nn, self.settings["activations"])]
        return nn.Sequential(*layers[:-1], *([_activation(nn, final)] if final else []))

    def rate(self, sources: list[str], answers: list[str], references: list[str]) -> Floats:
        """Ratings (1, p) of p answers."""
        with self.torch.inference_mode():
            source, answer, reference = map(self._vectors, (sources, answers, references))
            features = [answer, reference, answer * reference, (answer - reference).abs()]
            features += [answer * source, (answer - source).abs()]
            rating: Floats = self.layers(self.torch.cat(features, dim=1)).double().T.numpy()
        return rating

    def _vectors(self, texts: list[str]) -> Any:
        """A vector of each text (p, width): the mean of its tokens' mixed layers."""
        found = self.tokenizer(
            texts, padding=True, truncation=True, max_length=self.room, return_tensors="pt"
        )
        ids, mask = found["input_ids"], found["attention_mask"]
        layers = self.encoder(ids, attention_mask=mask, output_hidden_states=True).hidden_states
        if self.settings["layer_norm"]:
            layers = [self._normed(layer, mask) for layer in layers]
        tokens = sum(share * layer for share, layer in zip(self.mixture, layers, strict=True))
        there = mask[:, :, None].bool()
        return tokens.masked_fill(~there, 0.0).sum(dim=1) / there.sum(dim=1)

    def _normed(self, layer: Any, mask: Any) -> Any:
        """A hidden layer with mean 0 and variance 1 over all numbers of a text."""
        there = mask[:, :, None].float()
        count = there.sum(dim=(1, 2), keepdim=True) * layer.shape[-1]
        mean = (layer * there).sum(dim=(1, 2), keepdim=True) / count
        variance = (((layer - mean) * there) ** 2).sum(dim=(1, 2), keepdim=True) / count
        return (layer - mean) / (variance + 1e-12).sqrt()


def _settings(file: Path) -> dict[str, Any]:
    """What ``hparams.yaml`` says. Raises `UserError` where it is missing, or another kind of model's."""
    import yaml  # type: ignore[import-untyped, unused-ignore]

    try:
        given = yaml.safe_load(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"comet: {file}", "no such file", "put the whole checkpoint there") from None
    except yaml.YAMLError:
        given = None
    if not isinstance(given, dict) or "class_identifier" not in given:
        raise UserError(f"comet: {file}", "it does not say class_identifier", "is it COMET's?")
    found: dict[str, Any] = {**REQUIRED, **USUAL, **given}
    for name, value in REQUIRED.items():
        if found[name] != value:
            raise UserError(f"comet: {file}", f"{name} {found[name]!r} is not read", f"only {value!r} is")
    return found


def _activation(nn: Any, name: str) -> Any:
    try:
        return getattr(nn, name.title())()
    except AttributeError:
        raise UserError("comet: hparams.yaml", f"torch has no activation {name!r}") from None


def _below(weights: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The weights whose names begin with `prefix`, without it."""
    return {key.removeprefix(prefix): value for key, value in weights.items() if key.startswith(prefix)}
