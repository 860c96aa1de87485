# SPDX-License-Identifier: Apache-2.0
"""plan --measure over two hosts: the link that it finds is the one that joins them."""

import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from hosts import INTERFACE, SCRIPT, Hosts, leave_unless_possible  # noqa: E402
from support.program import PROGRAM, long_test, run_tests  # noqa: E402

TINY = ["model.d_model=32", "model.d_ff=64", "model.heads=2", "model.encoder_layers=1", "model.decoder_layers=1",
        "batch.tokens=500", "threads=1", "subwords.vocabulary=400"]


@long_test
class PlanHostsTest(unittest.TestCase):
    def test_the_link_is_measured(self):
        command = [pathlib.Path(PROGRAM).resolve(), "plan", "--config", "demo", "--json", "--measure", "-H", "host-a:1,host-b:1",
                   "--nic", INTERFACE, "--rsh", f"{SCRIPT} agent"]
        for setting in TINY:
            command += ["--set", setting]
        with Hosts(2, rate="200mbit") as hosts:
            job = hosts.start("host-a", command, stdout=subprocess.PIPE, text=True)
            output, _ = job.communicate(timeout=300)
        self.assertEqual(job.returncode, 0)
        plan = json.loads(output)
        self.assertTrue(plan["network"]["measured"] and plan["compute"]["measured"])
        self.assertAlmostEqual(plan["network"]["bytes_per_second"] / 25e6, 0.95, delta=0.15)
        self.assertEqual([p["hosts"] for p in plan["predictions"]], [1, 2])


if __name__ == "__main__":
    leave_unless_possible()
    run_tests()
