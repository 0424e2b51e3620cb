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

from evaluator.records.board import CheckpointSpec
from evaluator.records.errors import UserError
from evaluator.score.metrics.base import Floats, Scored, mean_of, package
from evaluator.score.metrics.neural.networks import Network, limited, stripped_pairs, weights_folder
from evaluator.score.metrics.texts import Texts

#: What the published models have in ``hparams.yaml``; others are not read.
REQUIRED = {
    "class_identifier": "regression_metric",
    "layer": "mix",
    "pool": "avg",
    "activations": "Tanh",
    "final_activation": None,
}
#: What may differ, with unbabel-comet's defaults.
USUAL = {"layer_transformation": "softmax", "layer_norm": True}


class COMET(Network):
    """COMET; option `encoder`. The best reference counts, an empty answer's is 0 at most."""

    options = {"encoder": dict}

    def __init__(self, checkpoint: CheckpointSpec, root: Path) -> None:
        super().__init__(checkpoint, root)
        self.encoder = checkpoint.options.get("encoder")
        if self.encoder is not None:
            try:
                CheckpointSpec(metric="comet", **self.encoder)
                self.settings = f"-{self.encoder['revision'][:12]}"
            except (ValueError, TypeError, KeyError):
                fix = "give model, a name on the hub, and revision"
                raise UserError("comet: options.encoder", fix) from None

    def scored(self, items: Texts) -> Scored:
        assert items.sources is not None
        left, right = stripped_pairs(items)
        sources = [items.sources[item] for item in items.item[items.left].tolist()]
        return mean_of(items.reduced(limited(self.answers(sources, left, right)[0], left, 0.0))[0])

    def open(self, **how: Any) -> None:
        """Read the encoder, how its layers are mixed, and the linear layers on top."""
        self.torch = package("torch", "comet", "transformers")
        transformers: Any = package("transformers", "comet", "transformers")
        self.hparams = self._hparams()
        place = {"path": str(self.folder / "encoder")} if self.encoder is None else self.encoder
        files = weights_folder(CheckpointSpec(metric="comet", **place))
        try:
            config = transformers.AutoConfig.from_pretrained(files, local_files_only=True)
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(files, local_files_only=True)
        except (OSError, ValueError) as error:
            raise UserError(f"comet: {files}", str(error).partition("\n")[0]) from None
        self.room = config.max_position_embeddings - 4  # as unbabel-comet cuts texts off
        weights = self._weights()
        self.network = transformers.AutoModel.from_config(config).eval()
        lacking = self.network.load_state_dict(_below(weights, "encoder.model."), strict=False).missing_keys
        lacking = [key for key in lacking if not key.startswith("pooler.") and "position_ids" not in key]
        if lacking:
            raise UserError("comet", f"the checkpoint lacks {lacking[0]} of its encoder", "is it another's?")
        mixed = _below(weights, "layerwise_attention.")
        scalars = [mixed[f"scalar_parameters.{layer}"] for layer in range(config.num_hidden_layers + 1)]
        self.mixture = mixed["gamma"] * self._shares(self.torch.cat(scalars))
        top = _below(weights, "estimator.ff.")
        places = sorted(int(key.partition(".")[0]) for key in top if key.endswith(".weight"))
        self.layers = [(top[f"{place}.weight"], top[f"{place}.bias"]) for place in places]

    def _hparams(self) -> dict[str, Any]:
        import yaml  # type: ignore[import-untyped, unused-ignore]

        file = self.folder / "hparams.yaml"
        try:
            given = yaml.safe_load(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UserError(f"comet: {file}", "no such file", "put the whole checkpoint there") from None
        except yaml.YAMLError:
            given = None
        found: dict[str, Any] = {**REQUIRED, "class_identifier": None, **USUAL}
        found |= given if isinstance(given, dict) else {}
        for name, value in REQUIRED.items():
            if found[name] != value:
                raise UserError(f"comet: {file}", f"{name} {found[name]!r} is not read", f"only {value!r} is")
        return found

    def _weights(self) -> dict[str, Any]:
        file = self.folder / "checkpoints" / "model.ckpt"
        try:
            found: dict[str, Any] = self.torch.load(file, map_location="cpu", weights_only=True)["state_dict"]
        except FileNotFoundError:
            raise UserError(f"comet: {file}", "no such file", "put the checkpoint there") from None
        # A broken file, or one that holds more than tensors; torch has no error of its own for them.
        except Exception as error:
            why = str(error).partition("\n")[0]
            raise UserError(f"comet: {file}", why, "save its state_dict as plain tensors") from None
        return found

    def _shares(self, scores: Any) -> Any:
        """By how much each hidden layer counts, all layers (l,): softmax, or sparsemax, which is the nearest
        point of the simplex (Martins and Astudillo 2016, algorithm 1)."""
        if self.hparams["layer_transformation"] != "sparsemax":
            return scores.softmax(dim=0)
        falling = scores.sort(descending=True).values
        above = falling.cumsum(dim=0) - 1
        support = int((self.torch.arange(1, len(scores) + 1) * falling > above).sum())
        return (scores - above[support - 1] / support).clamp(min=0)

    def ask(self, sources: list[str], answers: list[str], references: list[str]) -> Floats:
        """Ratings (1, p) of p answers."""
        source, answer, reference = map(self._vectors, (sources, answers, references))
        features = [answer, reference, answer * reference, (answer - reference).abs()]
        found = self.torch.cat([*features, answer * source, (answer - source).abs()], dim=1)
        for weight, bias in self.layers[:-1]:
            found = self.torch.nn.functional.linear(found, weight, bias).tanh()
        return self.torch.nn.functional.linear(found, *self.layers[-1]).double().T.numpy()  # type: ignore[no-any-return]

    def _vectors(self, texts: list[str]) -> Any:
        """A vector of each text (p, width): the mean of its tokens' mixed layers."""
        found = self.tokens(texts)
        mask = found["attention_mask"]
        layers = self.network(found["input_ids"], attention_mask=mask, output_hidden_states=True)
        there = mask[:, :, None]
        mixed = 0.0
        for share, layer in zip(self.mixture, layers.hidden_states, strict=True):
            if self.hparams["layer_norm"]:  # over all numbers of a text
                count = there.sum(dim=(1, 2), keepdim=True) * layer.shape[-1]
                mean = (layer * there).sum(dim=(1, 2), keepdim=True) / count
                variance = (((layer - mean) * there) ** 2).sum(dim=(1, 2), keepdim=True) / count
                layer = (layer - mean) / (variance + 1e-12).sqrt()
            mixed = mixed + share * layer
        return (mixed * there).sum(dim=1) / there.sum(dim=1)


def _below(weights: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The weights whose names begin with `prefix`, without it."""
    return {key.removeprefix(prefix): value for key, value in weights.items() if key.startswith(prefix)}
