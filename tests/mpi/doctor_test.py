# SPDX-License-Identifier: Apache-2.0
"""verbund doctor with the real mpirun: what is well, and each thing that may be wrong with a worker, is told; over hosts
of their own (network namespaces, root only), the link is measured."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "hosts"))
from hosts import INTERFACE, SCRIPT, Hosts  # noqa: E402
from support import fixtures  # noqa: E402
from support.program import HAS_EMULATED_GPU, ProgramTest, long_test, run_tests  # noqa: E402

MPIRUN = ["mpirun", *(["--allow-run-as-root"] if os.geteuid() == 0 else []), "--oversubscribe", "--bind-to", "none"]
CHECKS = ["reachable", "start", "program", "kernels", "config", "dataset", "cores", "load", "memory", "disk", "GPUs",
          "network", "link", "all-reduce"]

# Runs a command "on a host": here. It cannot be reached while FOLDER/HOST.down exists; while FOLDER/HOST.blocked does,
# mpirun's daemon starts there, but is never heard of.
AGENT = """#!/bin/sh
host=$1
folder=$(dirname "$0")
shift
if [ -e "$folder/$host.down" ]; then
  echo "ssh: connect to host $host port 22: No route to host" >&2
  exit 255
fi
case "$*" in *orted*) if [ -e "$folder/$host.blocked" ]; then exec sleep 100; fi ;; esac
exec sh -c "$*"
"""


@unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
class DoctorTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.data, cls.other_data = fixtures.dataset(), cls.shared.folder / "other"
        cls.shared.succeed("prepare", "--corpus", "reversal", "--set", "corpus.generated_pairs=1000", "--out",
                           cls.other_data)

    @classmethod
    def tearDownClass(cls):
        cls.shared.doCleanups()

    def setUp(self):
        super().setUp()
        self.agent = self.write("agent", AGENT)
        self.agent.chmod(0o755)

    def together(self, first, second):
        """Two workers, started by mpirun with a command each; returns exit code and rows as check -> (verdict, text)."""
        done = subprocess.run([*MPIRUN, "-n", "1", *map(str, first), ":", "-n", "1", *map(str, second)],
                              capture_output=True, text=True, timeout=100)
        return done.returncode, self.rows(done.stdout)

    def rows(self, table):
        lines = table.splitlines()
        self.assertEqual(lines[0].split(), ["verdict", "check", "finding"], table)
        rows, check = {}, None
        for line in lines[1:]:
            self.assertLessEqual(len(line), 100)
            if not line:
                break
            if not line.startswith(" "):
                verdict, check, text = line[:9].strip(), line[9:21].strip(), line[21:]
                self.assertIn(verdict, ("-", "ok", "warning", "problem"))
                rows.setdefault(check, (verdict, text))
            elif rows[check][0] != "ok" or "->" not in line:
                rows[check] = (rows[check][0], rows[check][1] + " " + line.strip())
        return rows

    def assert_verdicts(self, rows, **expected):
        """Of all checks but the load: other tests may be running."""
        found = {check: verdict for check, (verdict, _) in rows.items() if verdict != "ok" and check != "load"}
        self.assertEqual(found, expected, rows)

    def test_two_workers_that_are_well(self):
        run = self.folder / "run"
        done = self.succeed("doctor", "-n", "2", "--set", "threads=1", "--data", self.data, "--run", run)
        rows = self.rows(done.stdout)
        self.assertEqual(list(rows), CHECKS)
        if len(os.sched_getaffinity(0)) == os.cpu_count() >= 2:
            self.assert_verdicts(rows)
        self.assertIn("localhost (2)", rows["reachable"][1])
        self.assertIn("2 workers", rows["memory"][1])
        self.assertIn("checkpoint", rows["disk"][1])
        self.assertFalse(run.exists())

    def test_a_busy_machine_is_no_machine_without_problems(self):
        others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]
        try:
            done = self.succeed("doctor", "--json")
        finally:
            for other in others:
                other.kill()
                other.wait()
        report = json.loads(done.stdout)
        self.assertEqual(report["verdict"], "warning")
        load, = (finding for finding in report["findings"] if finding["check"] == "load")
        self.assertEqual(load["verdict"], "warning")
        self.assertGreater(report["facts"]["workers"][0]["other_load"], 0.7 * len(os.sched_getaffinity(0)))

    @long_test
    def test_this_machine_alone(self):
        done = self.succeed("doctor")
        self.assertIn("config, dataset, disk", done.stdout)
        rows = self.rows(done.stdout)
        self.assertEqual(list(rows), [check for check in CHECKS if check not in ("reachable", "start")])

    def test_as_json(self):
        done = self.succeed("doctor", "-n", "2", "--json")
        report = json.loads(done.stdout)
        self.assertIn(report["verdict"], ("ok", "warning"))
        self.assertEqual([finding["check"] for finding in report["findings"]], CHECKS)
        facts = report["facts"]
        self.assertEqual([worker["rank"] for worker in facts["workers"]], [0, 1])
        self.assertEqual(facts["all_reduce"]["workers"], 2)
        self.assertEqual(facts["all_reduce"]["bytes"], 64 << 20)
        self.assertGreater(facts["all_reduce"]["seconds"], 0)

        done = self.run_program("doctor", "-n", "2", "--json", "--data", self.folder / "none")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(json.loads(done.stdout)["verdict"], "problem")

    @long_test
    def test_another_binary_is_found(self):
        other = self.folder / "verbund"
        shutil.copy(self.command()[0], other)
        with open(other, "ab") as file:
            file.write(b"x")
        code, rows = self.together(self.command("doctor", "--set", "threads=1"), [other, "doctor", "--set", "threads=1"])
        self.assertEqual(code, 0)
        self.assertEqual(rows["program"][0], "warning")
        self.assert_says(rows["program"][1], "worker 1 on ", "-> ")

    @long_test
    def test_a_dataset_that_is_missing_or_different_is_found(self):
        for data in (self.folder / "none", self.other_data):
            with self.subTest(data=data):
                code, rows = self.together(self.command("doctor", "--data", self.data),
                                           self.command("doctor", "--data", data))
                self.assertEqual(code, 1)
                self.assertEqual(rows["dataset"][0], "problem")
                self.assert_says(rows["dataset"][1], "worker 1 on ", "-> ")

    def test_a_config_that_differs_or_is_wrong_is_found(self):
        for change, said in (("seed=2", "checksum"), ("sede=2", "sede")):
            with self.subTest(change=change):
                code, rows = self.together(self.command("doctor", "--set", "seed=1"),
                                           self.command("doctor", "--set", change))
                self.assertEqual(code, 1)
                self.assertEqual(rows["config"][0], "problem")
                self.assert_says(rows["config"][1], "worker 1 on ", said)

    @long_test
    @unittest.skipUnless(HAS_EMULATED_GPU, "the emulated GPU is not built")
    def test_gpus_are_tried_and_compared(self):
        done = self.succeed("doctor", "-n", "2", "--json", "--set", "threads=1", "--set", "device=emulated", "--data",
                            self.data)
        report = json.loads(done.stdout)
        rows = {finding["check"]: finding for finding in report["findings"]}
        for check in ("GPUs", "GPU step", "GPU memory", "NCCL"):
            self.assertEqual(rows[check]["verdict"], "ok", rows[check])
        self.assert_says(rows["GPUs"]["finding"], "2 GPUs", "libnccl.so.2", "emulated")
        for rank, worker in enumerate(report["facts"]["workers"]):
            gpu = worker["gpu"]
            self.assertEqual((gpu["requested"], gpu["number"], gpu["missing"], gpu["trouble"]), ("emulated", rank, "", ""))
            self.assertEqual([library["why_not"] for library in gpu["libraries"]], [""] * 4)
            for what in ("loss", "gradient_norm"):
                self.assertAlmostEqual(gpu["step"][what] / gpu["cpu_step"][what], 1, 5)
        self.assertEqual(report["facts"]["gpu_sum"]["workers"], 2)
        self.assertLess(report["facts"]["gpu_sum"]["difference"], 1e-6)

        for setting in ("workers.transport=mpi", "workers.sync_every=8"):
            done = self.succeed("doctor", "-n", "2", "--set", "device=emulated", "--set", setting)
            self.assertNotIn("NCCL", self.rows(done.stdout))

    @long_test
    @unittest.skipUnless(HAS_EMULATED_GPU, "the emulated GPU is not built")
    def test_gpus_that_are_too_few_or_too_old(self):
        done = self.run_program("doctor", "-n", "3", "--set", "device=emulated", "--set", "threads=1")
        self.assertEqual(done.returncode, 1, done.stderr)
        verdict, text = self.rows(done.stdout)["GPUs"]
        self.assertEqual(verdict, "problem")
        self.assert_says(text, "2 GPUs", "3 workers")
        done = self.run_program("doctor", "--set", "device=emulated", "--set", "train.precision=bf16",
                                env={"VERBUND_EMULATED_ARCH": "70"})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_says(self.rows(done.stdout)["GPU step"][1], "bf16", "sm_80")

    def test_gpus_that_are_not_there(self):
        if pathlib.Path("/proc/driver/nvidia").exists():
            self.skipTest("there is NVIDIA's driver")
        done = self.run_program("doctor", "-n", "2", "--set", "device=cuda", "--set", "threads=1")
        self.assertEqual(done.returncode, 1, done.stderr)
        verdict, text = self.rows(done.stdout)["GPUs"]
        self.assertEqual(verdict, "problem")
        self.assert_says(text, "libcuda.so.1", "--set device=cpu")
        done = self.run_program("doctor", "--set", "train.precision=fp16")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_says(self.rows(done.stdout)["precision"][1], "fp16")

    @long_test
    def test_too_many_workers_for_the_cores_are_a_warning(self):
        done = self.succeed("doctor", "-n", os.cpu_count() + 1)
        self.assertEqual(self.rows(done.stdout)["cores"][0], "warning")

    def test_a_host_that_cannot_be_reached_is_named(self):
        self.write("other.down", "")
        done = self.run_program("doctor", "-H", "localhost:1,other:1", "--rsh", self.agent, timeout=50)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^ok +reachable .*localhost \(1\)")
        self.assertRegex(done.stdout, r"(?m)^problem +reachable .*other\b")
        self.assert_says(" ".join(done.stdout.split()), "ssh: connect to host other port 22: No route to host",
                         "ssh other true")
        self.assert_says(done.stderr, "verbund: 2 problems")

    @long_test
    def test_a_host_that_is_reached_is_started_on(self):
        done = self.succeed("doctor", "-H", "localhost:1,other:1", "--rsh", self.agent, timeout=50)
        self.assertIn("localhost (1), other (1)", self.rows(done.stdout)["reachable"][1])

    @long_test
    def test_blocked_ports_do_not_last_for_ever(self):
        self.write("other.blocked", "")
        done = self.run_program("doctor", "-H", "localhost:1,other:1", "--rsh", self.agent, timeout=60,
                                env={"VERBUND_START_SECONDS": "1"})
        self.assertEqual(done.returncode, 1, done.stderr)
        rows = self.rows(done.stdout)
        self.assert_verdicts(rows, start="problem")
        self.assert_says(rows["start"][1], "16 s", "--nic")

    def test_a_missing_mpirun_is_named(self):
        done = self.run_program("doctor", "-n", "2", env={"PATH": str(self.folder)}, timeout=20)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("openmpi-bin", self.rows(done.stdout)["start"][1])

    def test_wrong_calls(self):
        for arguments, parts in ((["-n", "5", "-H", "a:2,b:2"], ["4", "a (2), b (2)"]),
                                 (["-n", "2", "--nic", "nosuch0"], ["nosuch0", "lo"]),
                                 (["--dta", "x"], ["--data?"])):
            with self.subTest(arguments=arguments):
                self.assert_says(self.refuse(2, "doctor", *arguments), *parts)
        self.assert_says(self.refuse(2, "doctor", "-n", "2", env={"PMIX_RANK": "0"}), "mpirun")

    @long_test
    def test_two_hosts_and_the_link_between_them(self):
        with Hosts(2, rate="1gbit") as hosts:
            command = self.command("doctor", "-H", "host-a:1,host-b:1", "--nic", INTERFACE, "--rsh", f"{SCRIPT} agent",
                                   "--json", "--set", "threads=1", "--data", self.data)
            with hosts.start("host-a", [pathlib.Path(command[0]).resolve(), *command[1:]], stdout=subprocess.PIPE,
                             text=True, env={**os.environ, "OMPI_MCA_pml": "ob1"}) as doctor:
                output = doctor.communicate(timeout=100)[0]
        self.assertEqual(doctor.returncode, 0, output)
        facts = json.loads(output)["facts"]
        self.assertEqual([worker["host"] for worker in facts["workers"]], ["host-a", "host-b"])
        self.assertIn(INTERFACE, [item["interface"] for item in facts["workers"][1]["addresses"]])
        self.assertEqual({(link["from"], link["to"]) for link in facts["links"]},
                         {("host-a", "host-b"), ("host-b", "host-a")})
        for link in facts["links"]:
            self.assertGreater(link["bytes_per_second"], 30e6)  # about 119, if nobody else is at work
            self.assertLess(link["bytes_per_second"], 140e6)
            self.assertLess(link["round_trip_seconds"], 20e-3)  # some microseconds, if nobody else is at work
            self.assertLess(abs(link["clock_offset_seconds"]), 0.1)  # both have this machine's clock


if __name__ == "__main__":
    run_tests()
