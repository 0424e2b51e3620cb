#!/bin/sh
# Makes the files of tests/exchange/real/lm-eval: lm_eval.sh SCRATCH OUTPUT
# in an environment with lm_eval 0.4.13 (pip install "lm_eval[hf]").
set -e
here=$(cd "$(dirname "$0")" && pwd)
python "$here/little_data.py" "$1"
mkdir -p "$1/tasks"
cat > "$1/tasks/meals.yaml" <<YAML
task: meals
dataset_path: json
dataset_kwargs: {data_files: {test: data/meals.jsonl}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{text}}\nMood:"
doc_to_choice: ["negative", "positive"]
doc_to_target: label
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
  - {metric: acc_norm, aggregation: mean, higher_is_better: true}
metadata: {version: 1.0}
YAML
cat > "$1/tasks/sums.yaml" <<YAML
task: sums
dataset_path: json
dataset_kwargs: {data_files: {test: data/sums.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: answer
generation_kwargs: {until: ["\n"], max_gen_toks: 6, do_sample: false}
filter_list:
  - {name: whole, filter: [{function: take_first}]}
  - {name: first-digit, filter: [{function: regex, regex_pattern: "([0-9])"}, {function: take_first}]}
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
metadata: {version: 1.0}
YAML
cd "$1"
HF_HUB_OFFLINE=1 HF_DATASETS_CACHE="$1/cache" python -m lm_eval --model hf --model_args "pretrained=model,dtype=float32" \
    --include_path tasks --tasks meals,sums --device cpu --batch_size 4 --log_samples --output_path out
mkdir -p "$2"
cp out/model/samples_* "$2"
# What the harness knows of the machine is nobody's business.
for file in out/model/results_*; do
    python -c "import json, sys; log = json.load(sys.stdin); del log['pretty_env_info']; print(json.dumps(log, indent=2))" \
        < "$file" > "$2/$(basename "$file")"
done
