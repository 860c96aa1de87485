#!/usr/bin/env bash
# Multi30k English-German, test2016, by the protocol of the small-data literature: a tiny
# Transformer on the lower-cased tokenised text (BLEU on that text), and one on the raw text
# (sacreBLEU 13a). All choices are made on the validation set. Takes hours on two cores; stop it when
# you like, the same command goes on.
#   scripts/reproduce-multi30k.sh [TEXT_FOLDER [SETTING...]]
# TEXT_FOLDER has train.en.gz, train.lc.norm.tok.en.gz, val..., test_2016_flickr...; a SETTING is for training, such as
# train.precision=bf16 where the processor has it, or train.max_steps=5000.
set -euo pipefail
cd "$(dirname "$0")/.."

text=${1:-../shared/data/multi30k}
[[ -e $text/train.en.gz ]] || { echo "there is no $text/train.en.gz: give the folder with Multi30k's text" >&2; exit 1; }
settings=()
for setting in "${@:2}"; do settings+=(--set "$setting"); done
verbund=build/verbund

# reproduce NAME ENDING OVERRIDES...: prepare, train, average the last ten epochs, choose on dev, test.
reproduce() {
  local name=$1 ending=$2 data=data/$1 run=runs/$1
  shift 2
  "$verbund" prepare --quiet --config configs/multi30k-tiny.yaml --out "$data" \
    --source "$text/train.${ending}en.gz" --target "$text/train.${ending}de.gz" \
    --dev-source "$text/val.${ending}en.gz" --dev-target "$text/val.${ending}de.gz" \
    --test-source "$text/test_2016_flickr.${ending}en.gz" --test-target "$text/test_2016_flickr.${ending}de.gz" > /dev/null
  "$verbund" train --config configs/multi30k-tiny.yaml --data "$data" --run "$run" "${settings[@]}" "$@"
  rm -rf "$run/checkpoints/average"
  "$verbund" average --run "$run" --last 10 --name average
  local best_bleu=0 choice=""
  for checkpoint in average best; do
    for penalty in 0.6 1.0 1.4; do
      bleu=$("$verbund" evaluate -m "$run" --checkpoint "$checkpoint" --data "$data" --split dev --json \
        --set decode.length_penalty=$penalty "$@" | python3 -c 'import json, sys; print(json.load(sys.stdin)["bleu"]["score"])')
      echo "$name dev: $checkpoint, length penalty $penalty: BLEU $bleu"
      if python3 -c "import sys; sys.exit(not $bleu > $best_bleu)"; then best_bleu=$bleu choice="$checkpoint $penalty"; fi
    done
  done
  read -r checkpoint penalty <<< "$choice"
  echo "$name test2016 with $checkpoint, length penalty $penalty (best on dev):"
  "$verbund" evaluate -m "$run" --checkpoint "$checkpoint" --data "$data" --split test \
    --set decode.length_penalty=$penalty "$@"
}

reproduce multi30k-lc lc.norm.tok.
reproduce multi30k-raw "" --set evaluate.tokenize=13a
