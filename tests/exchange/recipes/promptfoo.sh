#!/bin/sh
# Makes tests/exchange/real/promptfoo/results.json: promptfoo.sh SCRATCH OUTPUT
# where npx finds promptfoo 0.121.20 (npm install promptfoo). One provider repeats the question, the other
# fails at one of them.
set -e
mkdir -p "$1"
cd "$1"
cat > provider.js <<JS
module.exports = class {
  id() { return 'file://provider.js'; }
  async callApi(prompt) {
    return prompt.includes('hands') ? { error: 'no answer' } : { output: prompt, cost: 0.01 };
  }
};
JS
cat > promptfooconfig.yaml <<YAML
description: riddles
prompts: ['Answer: {{question}}']
providers: [echo, 'file://provider.js']
tests:
  - vars: {question: What has keys?}
    assert: [{type: contains, value: keys, metric: Tone}]
  - vars: {question: What has hands?}
    assert: [{type: contains, value: clock}, {type: contains, value: hands}]
  - vars: {question: What has legs?}
    assert: [{type: contains, value: legs}]
YAML
PROMPTFOO_DISABLE_TELEMETRY=1 npx promptfoo eval --repeat 2 --no-cache --output results.json || test $? = 100  # tests fail
cp results.json "$2"
