#!/bin/sh
# Makes the files of tests/exchange/real/every-eval-ever, of those of lm-eval: every_eval_ever.sh SCRATCH OUTPUT
# in an environment with every-eval-ever 0.3.0. The model needs a name with an owner.
set -e
here=$(cd "$(dirname "$0")" && pwd)
cp -r "$here/../real/lm-eval" "$1"
sed -i 's|"model_name": "model"|"model_name": "lake/heron"|; s|"pretrained": "model"|"pretrained": "lake/heron"|' "$1"/results_*
python -m every_eval_ever convert lm_eval --log_path "$1" --output_dir "$1/out" --source_organization_name Lake --include_samples
cp "$1"/out/meals/lake/heron/* "$2"
