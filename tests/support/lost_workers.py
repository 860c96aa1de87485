# SPDX-License-Identifier: Apache-2.0
"""Workers of which one is lost, for the tests of what the others do then."""

import re
import socket

from support.training import MPIRUN, TrainingTest

HOST = socket.gethostname()
SOON = 15  # seconds, on a busy machine

# Runs a worker and notes its exit code in FOLDER/code.RANK; ends when all have, so that nobody is ended by mpirun
# because another one was.
NOTED = """#!/bin/sh
folder=$1
shift
"$@"
code=$?
echo $code > "$folder/code.$OMPI_COMM_WORLD_RANK"
for i in $(seq 300); do
  [ "$(ls "$folder" | grep -c '^code')" = "$OMPI_COMM_WORLD_SIZE" ] && break
  sleep 0.1
done
exit $code
"""


class LostWorkersTest(TrainingTest):
    def start_noted(self, count, values, **environment):
        """Each on its own, with exit codes in `codes`."""
        script = self.write("noted", NOTED)
        script.chmod(0o755)
        command = self.command(*self.arguments(self.run_folder, values))
        return self.start([*MPIRUN, "-n", count, script, self.folder, *command], **environment)

    def codes(self, count):
        return [int((self.folder / f"code.{rank}").read_text()) for rank in range(count)]

    def assert_lost(self, job, rank):
        """It is named before anything else, with host and step; returns the step."""
        first = next((line for line in job.said().splitlines() if line.startswith("verbund: ")), "")
        found = re.match(rf"verbund: .*\bworker {rank} on {HOST}\b.* step (\d+)", first)
        self.assertTrue(found, job.said())
        return int(found[1])
