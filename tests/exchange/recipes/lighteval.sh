#!/bin/sh
# Makes the files of tests/exchange/real/lighteval: lighteval.sh SCRATCH OUTPUT, with lighteval 0.13.0
# and xxhash 3, whose hashes of texts version 4 refuses.
set -e
here=$(cd "$(dirname "$0")" && pwd)
python "$here/little_data.py" "$1"
mkdir -p "$1/meals" "$2"
cp "$1/data/meals.jsonl" "$1/meals/test.jsonl"
cd "$1"
HF_HUB_OFFLINE=1 python "$here/lighteval_offline.py" accelerate "model_name=model,batch_size=4" "meals|0" --custom-tasks "$here/lighteval_tasks.py" \
    --output-dir out --save-details
cp out/results/model/results_*.json "$2"
# A name with | is none on every system.
cp out/details/model/*/details_*.parquet "$2/details.parquet"
