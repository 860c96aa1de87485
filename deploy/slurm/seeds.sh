#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The same training with several seeds, as a job array, and the comparison of its runs as a job after them.
#
#   deploy/slurm/seeds.sh 1-3 --config demo --data data/demo --run runs/seed-%a
#   SBATCH_TIMELIMIT=08:00:00 deploy/slurm/seeds.sh 1-3 ...     (sbatch reads its flags from SBATCH_ variables, too)
#
# %a in --run is the seed. Prints the ids of both jobs. The comparison waits for the end of all runs; it is written to
# the current folder, as comparison.html and comparison.md.
set -euo pipefail

seeds=$1
shift
folder=$(cd "$(dirname "$0")" && pwd)
run=
for ((i = 1; i <= $#; ++i)); do
  next=$((i + 1))
  [[ ${!i} == --run && $i -lt $# ]] && run=${!next}
  [[ ${!i} == --run=* ]] && run=${!i} && run=${run#--run=}
done
if [[ $run != *%a* ]]; then
  echo "seeds.sh: give each seed a folder of its own, as in --run runs/seed-%a" >&2
  exit 2
fi

array=$(sbatch --parsable --array="$seeds" "$folder/train.sbatch" "$@" --set seed=%a)
comparison=$(sbatch --parsable --dependency="afterany:$array" --job-name=verbund-comparison --nodes=1 --ntasks=1 \
  "$folder/compare.sbatch" "$seeds" "$run")
echo "training: job $array, comparison: job $comparison"
