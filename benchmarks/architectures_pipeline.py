"""What transformers' question-answering pipeline makes of each window; run by `architectures.py`.

Needs transformers 4: version 5 has no such pipeline. Reads questions and settings as JSON, prints answers.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import transformers


def answered(pipeline: Any, example: dict[str, str], settings: dict[str, int]) -> dict[str, Any]:
    """The pipeline's answer, and for each of its windows the tokens and its answer from that window alone."""
    before = {"max_seq_len": settings["max_length"], "doc_stride": settings["stride"]}
    # A span begins and ends where its tokens do, as ours; by itself the pipeline makes words of them.
    after = {"max_answer_len": settings["max_answer_tokens"], "align_to_words": False}
    outputs = [pipeline.forward(window) for window in pipeline.preprocess(example, **before)]
    windows = [
        {
            "ids": output["input_ids"][0].tolist(),
            "answer": pipeline.postprocess([output], **after)["answer"].strip(),
        }
        for output in outputs
    ]
    return {"answer": pipeline.postprocess(outputs, **after)["answer"].strip(), "windows": windows}


def main() -> None:
    asked = json.load(sys.stdin)
    folder = sys.argv[1]
    network = transformers.AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    pipeline = transformers.QuestionAnsweringPipeline(model=network, tokenizer=tokenizer)
    print(json.dumps([answered(pipeline, example, asked) for example in asked["questions"]]))


if __name__ == "__main__":
    main()
