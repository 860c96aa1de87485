#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Multi30k English-German, test2016, with the tiny Transformer of the small-data literature: on the
# lower-cased tokenised text (BLEU on that text), and on the raw text (sacreBLEU 13a). Trained first on
# the text as it is, by the published protocol, then twice on copies of it whose words are split at random,
# while the rate falls to nothing; the last time with less dropout, since such text is regularisation enough.
# All choices are made on the validation set. Takes about three hours on two cores; stop it when you like, the same
# command goes on.
#   scripts/reproduce-multi30k.sh [TEXT_FOLDER [SETTING...]]
# TEXT_FOLDER has train.en.gz, train.lc.norm.tok.en.gz, val..., test_2016_flickr... as Multi30k's task 1 has them;
# a SETTING is for training, such as train.precision=bf16 where the processor has it.
set -euo pipefail
cd "$(dirname "$0")/.."

text=${1:-../shared/data/multi30k}
[[ -e $text/train.en.gz ]] || { echo "there is no $text/train.en.gz: give the folder with Multi30k's text" >&2; exit 1; }
command -v python3 > /dev/null || { echo "there is no python3, which compares the scores: apt-get install python3" >&2; exit 1; }
settings=(--set train.micro_batch_tokens=4096)
for setting in "${@:2}"; do settings+=(--set "$setting"); done
verbund=build/verbund
config=configs/multi30k-tiny.yaml

# prepare_text ENDING OUT SETTINGS...
prepare_text() {
  local ending=$1 out=$2
  shift 2
  "$verbund" prepare --quiet --config "$config" --out "$out" "$@" \
    --source "$text/train.${ending}en.gz" --target "$text/train.${ending}de.gz" \
    --dev-source "$text/val.${ending}en.gz" --dev-target "$text/val.${ending}de.gz" \
    --test-source "$text/test_2016_flickr.${ending}en.gz" --test-target "$text/test_2016_flickr.${ending}de.gz" > /dev/null
}

# dev_bleu RUN DATA CHECKPOINT SETTINGS...
dev_bleu() {
  "$verbund" evaluate -m "$1" --checkpoint "$3" --data "$2" --split dev --json "${@:4}" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["bleu"]["score"])'
}

# train_on_split NAME START STEPS PEAK_RATE WARMUP SETTINGS...: from START's weights, with a rate that falls to nothing.
train_on_split() {
  "$verbund" train --config "$config" --data "$data-split" --run "runs/$1" "${settings[@]}" \
    --set train.start_from="runs/$2/checkpoints/last" --set train.max_steps="$3" \
    --set schedule.policy=cosine_decay --set schedule.learning_rate="$4" --set schedule.warmup_steps="$5" \
    --set schedule.decay_steps=$(($3 - $5)) --set train.eval_every=330 --set checkpoint.save_every_steps=66 "${@:6}"
}

# reproduce NAME ENDING STEPS_1 STEPS_2 STEPS_3 OVERRIDES...: train in three parts, average, choose on dev, test.
reproduce() {
  local name=$1 ending=$2 steps=("$3" "$4" "$5") data=data/$1 run=runs/$1
  shift 5
  prepare_text "$ending" "$data"
  prepare_text "$ending" "$data-split" --set subwords.model="$data/joint.model" \
    --set subwords.dropout=0.1 --set subwords.copies=20
  "$verbund" train --config "$config" --data "$data" --run "$run-1" "${settings[@]}" \
    --set train.max_steps="${steps[0]}" "$@"
  train_on_split "$name-2" "$name-1" "${steps[1]}" 0.003 200 "$@"
  train_on_split "$name" "$name-2" "${steps[2]}" 0.002 100 --set model.dropout=0.2 "$@"
  rm -rf "$run/checkpoints/average"
  "$verbund" average --run "$run" --last 10 --name average
  local best_bleu=0 choice="" checkpoint penalty bleu
  for checkpoint in average best last; do
    for penalty in 0.6 1.0 1.4; do
      bleu=$(dev_bleu "$run" "$data" "$checkpoint" --set decode.length_penalty=$penalty "$@")
      echo "$name dev: $checkpoint, length penalty $penalty: BLEU $bleu"
      if python3 -c "import sys; sys.exit(not $bleu > $best_bleu)"; then best_bleu=$bleu choice="$checkpoint $penalty"; fi
    done
  done
  read -r checkpoint penalty <<< "$choice"
  echo "$name test2016 with $checkpoint, length penalty $penalty (best on dev):"
  "$verbund" evaluate -m "$run" --checkpoint "$checkpoint" --data "$data" --split test \
    --set decode.length_penalty=$penalty "$@"
}

reproduce multi30k-lc lc.norm.tok. 3180 4620 2970
reproduce multi30k-raw "" 3180 4620 2970 --set evaluate.tokenize=13a
