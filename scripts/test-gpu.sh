#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# For people with a GPU: every check of what runs on it, and a block to paste into an issue at the end.
#   make test-gpu                                  on the GPUs of this machine
#   VERBUND_TEST_DEVICE=emulated make test-gpu     on the tests' emulated one, which tests this script
# Exit code 0: all is well; 1: a check failed; 2: there is no GPU that can be used.
# VERBUND_BUILD is another build folder. To run less: VERBUND_TEST_FILTER (of gpu_test), VERBUND_TEST_TRAINING (names of tests), VERBUND_TEST_STEPS.
set -uo pipefail
cd "$(dirname "$0")/.."

device=${VERBUND_TEST_DEVICE:-cuda}
default_steps=200
[ "$device" = cuda ] || default_steps=60
export VERBUND_TEST_DEVICE=$device VERBUND_TEST_STEPS=${VERBUND_TEST_STEPS:-$default_steps}
build=$(realpath "${VERBUND_BUILD:-build}")
export VERBUND=$build/verbund VERBUND_SOURCE=$PWD PYTHONDONTWRITEBYTECODE=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

facts() { scripts/gpu_facts.py "$folder/doctor.json" "$1"; }
"$VERBUND" doctor --set device="$device" --json > "$folder/doctor.json" 2> "$folder/doctor.log"
gpus=$(facts count 2> /dev/null || echo 0)
if [ "$gpus" = 0 ]; then
  echo "There is no GPU that can be used, so that there is nothing to test:" >&2
  { facts missing 2> /dev/null || cat "$folder/doctor.log"; } | sed 's/^/  /' >&2
  echo "VERBUND_TEST_DEVICE=emulated make test-gpu runs the same on the emulated GPU." >&2
  exit 2
fi
precisions="fp32 fp16"
[ "$(facts architecture)" -ge 80 ] && precisions="fp32 tf32 bf16 fp16"
export VERBUND_TEST_PRECISIONS=$precisions VERBUND_TEST_WORKERS=$((gpus < 2 ? 1 : 2))

failed=0
results=()
# check NAME FUNCTION: its output goes to the terminal, what it leaves in $folder/summary to the block at the end.
check() {
  local start=$SECONDS verdict=ok
  printf '\n== %s\n' "$1"
  : > "$folder/summary"
  "$2" 2>&1 || verdict=FAILED
  [ "$verdict" = ok ] || failed=1
  results+=("$(printf '%-9s %-6s %4d s  %s' "$1" "$verdict" $((SECONDS - start)) "$(tr -s ' \n' ' ' < "$folder/summary")")")
}

# gpu_test takes the emulated GPU unless it is told where to look; from a folder that is not there the usual search goes on.
test_kernels() {
  local where=()
  [ "$device" = cuda ] && where=(VERBUND_CUDA_PATH="${VERBUND_CUDA_PATH:-$folder/none}")
  env "${where[@]}" "$build/gpu_test" --gtest_brief=1 ${VERBUND_TEST_FILTER:+"--gtest_filter=$VERBUND_TEST_FILTER"} |
    tee "$folder/kernels"
  local code=$?
  grep -E '^\[ *(=+|PASSED|FAILED) *\]' "$folder/kernels" > "$folder/summary"
  return $code
}

test_one_gpu() {
  local precision code=0
  for precision in fp32 tf32 bf16 fp16; do
    "$VERBUND" doctor --set device="$device" --set train.precision=$precision --json > "$folder/step.json" 2> /dev/null
    scripts/gpu_facts.py "$folder/step.json" step | sed "s/^/$precision: /" | tee -a "$folder/summary" || code=1
  done
  return $code
}

test_all_gpus() {
  if [ "$gpus" -lt 2 ]; then echo "one GPU: nothing to exchange" | tee "$folder/summary"; return 0; fi
  local as_root=()
  [ "$(id -u)" = 0 ] && as_root=(--allow-run-as-root)
  mpirun "${as_root[@]}" --oversubscribe --bind-to none -n "$gpus" \
    "$VERBUND" doctor --set device="$device" --set threads=1 | tee "$folder/all" || return 1
  sed -n '/^[a-z]* *NCCL/,/^[a-z]* *\(clock\|network\)/p' "$folder/all" | sed '$d; s/^[a-z]* *NCCL *//' > "$folder/summary"
  grep -q '^ok *NCCL' "$folder/all"
}

test_speed() {
  local precision size=(base)
  if [ ! -x "$build/bench_step" ]; then echo "bench_step is not built" | tee "$folder/summary"; return 0; fi
  [ "$device" = cuda ] || size=(--sentences 4 --layers 1 --vocabulary 1000 tiny)
  for precision in $precisions; do
    "$build/bench_step" --device "$device" --precision "$precision" "${size[@]}" | tee "$folder/speed" || return 1
    grep 'tokens/s' "$folder/speed" >> "$folder/summary"
  done
}

# Curves, the same bits, kill and resume, from device to device, translations.
test_training() {
  # shellcheck disable=SC2086 # several names
  (cd tests/gpu && python3 train_gpu_test.py -v ${VERBUND_TEST_TRAINING:-} 2>&1) | tee "$folder/training"
  local code=$?
  grep -E '^(Ran|OK|FAILED|FAIL:|ERROR:)' "$folder/training" > "$folder/summary"
  return $code
}

check kernels test_kernels
check "one GPU" test_one_gpu
check "all GPUs" test_all_gpus
check speed test_speed
check training test_training

printf '\n==== paste this into an issue ====\n'
"$VERBUND" --version
facts block
[ "$device" = cuda ] && command -v nvidia-smi > /dev/null && nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
printf '%s\n' "${results[@]}"
if [ "$failed" = 0 ]; then echo "all is well"; else echo "something FAILED: what it said is above"; fi
echo '==== end ===='
exit $failed
