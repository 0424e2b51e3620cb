#!/bin/sh
# Makes the files of tests/exchange/real/helm: helm.sh SCRATCH OUTPUT, with crfm-helm 0.5.16.
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" "$2"
cd "$1"
PYTHONPATH="$here" helm-run --plugins little_helm --run-entries meals:model=little/model --suite s --max-eval-instances 100
for name in run_spec stats per_instance_stats scenario_state; do
    cp "benchmark_output/runs/s/meals:model=little_model/$name.json" "$2"
done
