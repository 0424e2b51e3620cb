"""A decoder in a GGUF file, run by llama.cpp and asked by a prompt.

Numbers are computed as llama.cpp does it unless told otherwise: by flash attention, with a cache of 16 bits.
But there are as many threads as every model has, and nothing is kept from one example to the next.
"""

from __future__ import annotations

import ctypes
import os
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.measure.models.base import Model, need, text, whole_number
from evaluator.measure.models.decoder import (
    LEAST_LENGTH,
    Decoder,
    Scores,
    TokenIds,
    TokenSequence,
    WritingWork,
    answering,
    checked_prompt,
)
from evaluator.measure.models.gguf_header import GgufHeader, read_decoder
from evaluator.measure.models.prompting import Prompt, check_renders
from evaluator.records.errors import UserError

OPTIONS = ("file", "max_length")
#: Tokens of prompt and answer where nothing is said: llama.cpp takes memory for all of them at the start.
USUAL_LENGTH = 4096
#: Tokens that are read at once, as llama.cpp has it.
AT_ONCE = 512
#: A token may stand for more tokens than there are bytes of text: those that some tokenisers put before it.
SPARE_TOKENS = 16
#: The longest piece of a text that a token stands for, in bytes.
LONGEST_PIECE = 1024
#: Lines of llama.cpp's own log that are kept, for what it says when a model does not open.
LOG_LINES = 200


@dataclass
class GgufNetwork:
    """A model of llama.cpp that continues texts; see `Network`.

    `library` is the module llama_cpp; `model`, `context` and `batch` are its own, and live as long as the
    process.
    """

    file: Path
    library: Any
    model: Any
    context: Any
    batch: Any
    written: tuple[int, float] | None = None

    @property
    def directory(self) -> Path:
        """The file: network and tokeniser are in one."""
        return self.file

    @cached_property
    def start(self) -> tuple[int, ...]:
        """The token that begins every text, if the file says that there is one."""
        begin = self.library.llama_vocab_bos(self._vocabulary)
        return (begin,) if self.library.llama_vocab_get_add_bos(self._vocabulary) and begin >= 0 else ()

    @cached_property
    def beginning(self) -> int | None:
        """What stands for a prompt without a token: the beginning of a text, else its end."""
        marks = (self.library.llama_vocab_bos, self.library.llama_vocab_eos)
        return next((token for mark in marks if (token := mark(self._vocabulary)) >= 0), None)

    @property
    def has_chat(self) -> bool:
        """Whether the file has a chat template."""
        return self._chat_template is not None

    def encode(self, words: str) -> TokenIds:
        """The tokens of a text, and no others; marks of the tokeniser count as such."""
        raw = words.encode()
        room = len(raw) + SPARE_TOKENS
        tokens = (self.library.llama_token * room)()
        count = self.library.llama_tokenize(self._vocabulary, raw, len(raw), tokens, room, False, True)
        if count < 0:
            raise ValueError(f"llama.cpp cannot tokenise a text of {len(raw)} bytes")
        return list(tokens[:count])

    def conversation(self, messages: Sequence[Mapping[str, str]], options: Mapping[str, Any]) -> str:
        """The text that the chat template makes of messages. Raises what the template does."""
        templates = need("llama_cpp.llama_chat_format")
        begin, end = (
            self._mark(mark(self._vocabulary))
            for mark in (self.library.llama_vocab_bos, self.library.llama_vocab_eos)
        )
        formatter = templates.Jinja2ChatFormatter(self._chat_template or "", eos_token=end, bos_token=begin)
        rendered: str = formatter(messages=list(messages), **options).prompt
        return rendered

    def log_probabilities(
        self, prompts: Sequence[TokenSequence], answers: Sequence[Sequence[TokenSequence]]
    ) -> Scores:
        """The log-probability of each token of each answer to each prompt: prompts x answers x tokens.

        A prompt is read once, and each answer after it.
        """
        scores = []
        for prompt, rows in zip(prompts, answers, strict=True):
            [after] = _log_softmax(self._begin(prompt))
            found = []
            for row in rows:
                logs = [after[row[0]]]
                if len(row) > 1:
                    self._back_to(prompt)
                    later = _log_softmax(self._read(row[:-1], len(prompt), len(row) - 1))
                    logs += [row_logs[token] for row_logs, token in zip(later, row[1:], strict=True)]
                found.append([float(one) for one in logs])
            scores.append(found)
        return scores

    def write(self, prompts: Sequence[TokenIds], new_tokens: int, stop: Sequence[str]) -> list[str]:
        """What follows each prompt, always the likeliest token, until one of the `stop` texts or the end."""
        ends = [one.encode() for one in stop]
        return [self._write(prompt, new_tokens, ends).decode(errors="replace") for prompt in prompts]

    def _write(self, prompt: TokenIds, new_tokens: int, ends: Sequence[bytes]) -> bytes:
        text, work = b"", WritingWork()
        rows = self._begin(prompt)
        for place in range(new_tokens):
            token = int(rows[-1].argmax())
            work.count()
            if self.library.llama_vocab_is_eog(self._vocabulary, token):
                break
            text += self._piece(token)
            if place == new_tokens - 1 or any(end in text for end in ends):
                break
            rows = self._read([token], len(prompt) + place, 1)
        self.written = work.done()
        return text

    @cached_property
    def _vocabulary(self) -> Any:
        return self.library.llama_model_get_vocab(self.model)

    @cached_property
    def _chat_template(self) -> str | None:
        found = self.library.llama_model_chat_template(self.model, None)
        return None if found is None else found.decode(errors="replace")

    def _mark(self, token: int) -> str:
        """How a token of the tokeniser's own is written; nothing where there is none."""
        if token < 0:
            return ""
        written: str = self.library.llama_vocab_get_text(self._vocabulary, token).decode(errors="replace")
        return written

    def _piece(self, token: int) -> bytes:
        """What a token adds to a text; nothing for marks."""
        piece = ctypes.create_string_buffer(LONGEST_PIECE)
        size = self.library.llama_token_to_piece(self._vocabulary, token, piece, LONGEST_PIECE, 0, False)
        return piece.raw[: max(0, size)]

    @cached_property
    def _memory(self) -> Any:
        """What the context has read so far."""
        return self.library.llama_get_memory(self.context)

    def _begin(self, prompt: TokenSequence) -> NDArray[np.float32]:
        """Forget everything and read a prompt: the logits after it, 1 x vocabulary."""
        self.library.llama_memory_clear(self._memory, True)
        return self._read(prompt, 0, 1)

    def _back_to(self, prompt: TokenSequence) -> None:
        """Forget what was read after a prompt. A network that keeps one state for all reads it again."""
        if not self.library.llama_memory_seq_rm(self._memory, 0, len(prompt), -1):
            self._begin(prompt)

    def _read(self, tokens: TokenSequence, past: int, rows: int) -> NDArray[np.float32]:
        """The logits after each of the last `rows` of the tokens, which follow `past` others that were read
        before: rows x vocabulary. Raises RuntimeError where llama.cpp does not go on."""
        found, width = [], self.library.llama_vocab_n_tokens(self._vocabulary)
        for start in range(0, len(tokens), AT_ONCE):
            part = tokens[start : start + AT_ONCE]
            wanted = [start + at >= len(tokens) - rows for at in range(len(part))]
            self.batch.n_tokens = len(part)
            for at, token in enumerate(part):
                self.batch.token[at] = token
                self.batch.pos[at] = past + start + at
                self.batch.n_seq_id[at] = 1
                self.batch.seq_id[at][0] = 0
                self.batch.logits[at] = wanted[at]
            if code := self.library.llama_decode(self.context, self.batch):
                raise RuntimeError(f"llama.cpp cannot read {len(part)} tokens after {past + start}: {code}")
            for at in (at for at, is_wanted in enumerate(wanted) if is_wanted):
                logits = self.library.llama_get_logits_ith(self.context, at)
                found.append(np.ctypeslib.as_array(logits, shape=(width,)).copy())
        return np.array(found)


def open_model(directory: Path, options: Mapping[str, Any], task: str, labels: Sequence[str]) -> Model:
    """Load the model in `directory`: the file that the option `file` names there, or the only one.

    Further options: those of the adapter transformers-causal for prompts and answers, and `max_length` of
    both in tokens (default: what the model has learnt, at most `USUAL_LENGTH`). Raises `UserError` for a file
    that is missing or holds no whole decoder, and for options that do not fit task and model;
    `MissingPackage` without llama-cpp-python.
    """
    prompt = check_options(options, directory, task, labels)
    check_renders(prompt)
    file = model_file(directory, options)
    length = _length(options, read_decoder(file))
    decoder = Decoder(opened(file, length), prompt, length)
    _check_room(decoder)
    return answering(decoder, options, labels)


def check_options(options: Mapping[str, Any], directory: Path, task: str, labels: Sequence[str]) -> Prompt:
    """The prompt of `options`, all of which are checked, with the file where the folder is here, as far as
    that goes without opening the model. Nothing is rendered. Raises `UserError`."""
    prompt = checked_prompt("gguf", options, OPTIONS, directory, task, labels)
    if directory.is_dir():
        _length(options, read_decoder(model_file(directory, options)))
    return prompt


def weights(directory: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """What the model's file says of its weights, and its context here, for the result. Raises `UserError`."""
    file = model_file(directory, options)
    header = read_decoder(file)
    return {
        "file": file.name,
        "architecture": header.architecture,
        "parameters": header.parameters,
        "quantisation": header.quantisation,
        "context": _length(options, header),
    }


def model_file(directory: Path, options: Mapping[str, Any]) -> Path:
    """The model's file in `directory`. Raises `UserError` where there is none, or several to choose from."""
    files = sorted(file.name for file in directory.glob("*.gguf"))
    name = text(options, "file", files[0] if len(files) == 1 else "")
    if not name:
        what = f"there are {', '.join(files)}" if files else "there is no file whose name ends with .gguf"
        raise UserError(directory, what, "name one in options.file" if files else "put one there")
    file = directory / name
    if not file.resolve().is_relative_to(directory.resolve()):
        raise UserError("options.file", f"{name!r} is not in the model's folder {directory}", "put it there")
    if not file.is_file():
        raise UserError("options.file", f"{file}: no such file", f"there is {', '.join(files) or 'none'}")
    return file


def _length(options: Mapping[str, Any], header: GgufHeader) -> int:
    """The most tokens of prompt and answer. Raises `UserError`."""
    most = max(LEAST_LENGTH, header.context or USUAL_LENGTH)
    return whole_number(options, "max_length", LEAST_LENGTH, most, min(most, USUAL_LENGTH))


def _check_room(decoder: Decoder) -> None:
    """Raise `UserError` where instruction and examples alone leave no room, so that every prompt loses its
    beginning."""
    alone = len(decoder.encode(decoder.render(dict.fromkeys(decoder.prompt.fields, ""))))
    if alone >= decoder.max_length:
        what = f"{decoder.max_length} tokens, but the prompt has {alone} before a word of an example is in it"
        raise UserError("options.max_length", what, "give more, or show fewer examples")


def opened(file: Path, length: int, **settings: Any) -> GgufNetwork:
    """The model in a file, ready for texts of `length` tokens. `settings` are of its context, by the names
    that llama.cpp has for them. Raises `UserError` where llama.cpp does not open it."""
    library = need("llama_cpp")
    said, _ = _started(library)
    of_model = library.llama_model_default_params()
    of_model.n_gpu_layers = 0
    of_context = library.llama_context_default_params()
    threads = int(os.environ.get("OMP_NUM_THREADS") or 1)
    chosen = {"n_ctx": length, "n_batch": AT_ONCE, "n_ubatch": AT_ONCE, "swa_full": True}
    chosen |= {"n_threads": threads, "n_threads_batch": threads, **settings}
    for name, value in chosen.items():
        setattr(of_context, name, value)
    model = library.llama_model_load_from_file(os.fsencode(file), of_model)
    context = library.llama_init_from_model(model, of_context) if model else None
    if not context:
        lines = b"".join(said).decode(errors="replace").splitlines()
        why = next((line for line in reversed(lines) if "error" in line.casefold()), "it does not say why")
        raise UserError(file, f"llama.cpp does not open it: {why.strip()}", "try a newer llama-cpp-python")
    return GgufNetwork(file, library, model, context, library.llama_batch_init(AT_ONCE, 0, 1))


@cache
def _started(library: Any) -> tuple[deque[bytes], Any]:
    """What llama.cpp says from now on, and what it calls to say it, which must never be freed."""
    said: deque[bytes] = deque(maxlen=LOG_LINES)
    heard = library.llama_log_callback(lambda level, line, data: said.append(line))
    library.llama_log_set(heard, None)
    library.llama_backend_init()
    return said, heard


def _log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Natural logs of shares of 1, row by row."""
    exact = logits.astype(np.float64)
    exact -= exact.max(-1, keepdims=True)
    exact -= np.log(np.exp(exact).sum(-1, keepdims=True))
    return exact
