# SPDX-License-Identifier: Apache-2.0
"""verbund launch --hosts-from with the real mpirun: hosts that are lost, come back, are new or spare. The workers are a
small script here, and other hosts are this machine under another name."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.host_agent import AGENT  # noqa: E402
from support.program import ProgramTest, long_test, run_tests  # noqa: E402

# worker.py FOLDER LAST: notes its process in FOLDER/START.RANK and sleeps; in start number LAST it ends well.
WORKER = f"""#!{sys.executable}
import os, pathlib, sys, time
folder, last = pathlib.Path(sys.argv[1]), int(sys.argv[2])
start = int(os.environ.get("VERBUND_RESTART", "0").split()[0]) + 1
rank = os.environ["OMPI_COMM_WORLD_RANK"]
os.write(2, f'\\x1d{{{{"event":"started","worker":{{rank}}}}}}\\n'.encode())
(folder / f"{{start}}.{{rank}}").write_text(str(os.getpid()))
if start < last:
    time.sleep(60)
"""


@unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
class HostsFromTest(ProgramTest):
    def setUp(self):
        super().setUp()
        for name, content in (("worker.py", WORKER), ("agent", AGENT)):
            self.write(name, content).chmod(0o755)

    def arguments(self, options, last):
        return ["launch", *options, "--rsh", self.folder / "agent", "--max-restarts", 5, "--wait-for-hosts", 2,
                "--mpirun-args=--mca odls_base_sigkill_timeout 0", "--", self.folder, last]

    def environment(self):
        return {**os.environ, "VERBUND_LAUNCH_PROGRAM": str(self.folder / "worker.py")}

    def start(self, *options, last):
        self.output = self.folder / "output"
        with open(self.output, "wb") as file:
            job = subprocess.Popen(self.command(*self.arguments(options, last)), env=self.environment(), stderr=file)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        return job

    def kill(self, start, rank, workers):
        """Once all workers of that start are there."""
        end = time.monotonic() + 60
        files = [self.folder / f"{start}.{number}" for number in range(workers)]
        while not all(file.exists() and file.read_text() for file in files):
            self.assertLess(time.monotonic(), end, self.output.read_text())
            time.sleep(0.02)
        os.kill(int(files[rank].read_text()), signal.SIGKILL)

    def finish(self, job, code=0):
        self.assertEqual(job.wait(90), code, self.output.read_text())
        return self.output.read_text()

    def places(self, text):
        """The hosts and slots of each start."""
        return [dict((name, int(slots)) for name, slots in re.findall(r"([\w.]+) \((\d+)\)", line))
                for line in re.findall(r"^\d+ workers? on (.*)$", text, re.MULTILINE)]

    @long_test
    def test_a_host_that_is_back_is_used_again(self):
        hosts = self.write("hosts", "localhost slots=1\nother slots=1\n")
        job = self.start("--hosts-from", hosts, "--min-hosts", 1, last=3)
        self.write_after_start("other.down")
        self.kill(1, 1, workers=2)
        self.kill(2, 0, workers=1)
        (self.folder / "other.down").unlink()
        self.assertEqual(self.places(self.finish(job)), [{"localhost": 1, "other": 1}, {"localhost": 1},
                                                          {"localhost": 1, "other": 1}])

    def test_a_spare_host_takes_the_place_of_a_lost_one(self):
        self.write("hosts", "localhost:1\nother:1\nspare:1\n")
        job = self.start("-n", 2, "--hosts-from", f"cat {self.folder}/hosts", last=2)
        self.write_after_start("other.down")
        self.kill(1, 1, workers=2)
        self.assertEqual(self.places(self.finish(job)), [{"localhost": 1, "other": 1}, {"localhost": 1, "spare": 1}])

    def write_after_start(self, name):
        """Once the workers run: the hosts are asked before."""
        end = time.monotonic() + 60
        while not (self.folder / "1.1").exists():
            self.assertLess(time.monotonic(), end, self.output.read_text())
            time.sleep(0.02)
        self.write(name, "")

    def test_new_hosts_are_used(self):
        hosts = self.write("hosts", "localhost:1\nother:1\n")
        job = self.start("--hosts-from", hosts, last=2)
        self.write_after_start("nothing")
        hosts.write_text("localhost:1\nother:1\nthird:2\n")
        self.kill(1, 1, workers=2)
        self.assertEqual(self.places(self.finish(job))[1], {"localhost": 1, "other": 1, "third": 2})

    def test_a_list_that_grows_is_waited_for(self):
        hosts = self.write("hosts", "")
        job = self.start("--hosts-from", hosts, "--min-hosts", 2, "--wait-at-start", 30, last=1)
        time.sleep(0.5)
        hosts.write_text("localhost:1\n")
        time.sleep(1.5)
        hosts.write_text("localhost:1\nother:1\n")
        self.assertEqual(self.places(self.finish(job)), [{"localhost": 1, "other": 1}])

    @long_test
    def test_too_few_hosts_remain(self):
        job = self.start("--hosts-from", "echo localhost:2,other:1", "--min-hosts", 2, last=2)
        self.write_after_start("other.down")
        self.kill(1, 2, workers=3)
        text = self.finish(job, code=3)
        self.assertEqual(len(self.places(text)), 1)
        self.assert_says(text, "--min-hosts", "other (ssh: connect")

    @long_test
    def test_a_command_that_fails_later_leaves_the_hosts_as_they_were(self):
        job = self.start("--hosts-from", f"test ! -e {self.folder}/broken && echo localhost:1,other:1", last=2)
        self.write_after_start("broken")
        self.kill(1, 1, workers=2)
        text = self.finish(job)
        self.assertEqual(self.places(text), [{"localhost": 1, "other": 1}] * 2)
        self.assertRegex(text, r"warning: .*\b1\b")

    def test_a_list_that_is_wrong_starts_nothing(self):
        for source, code in (("exit 7", 1), ("/no/such/command", 1), ("true", 2), ("echo a b c", 2)):
            with self.subTest(source=source):
                done = self.run_program(*self.arguments(["--hosts-from", source], 1), env=self.environment())
                self.assertEqual(done.returncode, code, done.stderr)
                self.assert_says(done.stderr, source)
        self.assertFalse((self.folder / "1.0").exists())

    def test_wrong_calls(self):
        for arguments, parts in ((["--hosts-from", "echo a", "-H", "a:1"], ["--hosts"]),
                                 (["--hosts-from", "echo a:2", "-n", "3"], ["-n 3", "2"]),
                                 (["-H", "a:1", "--min-hosts", "2"], ["--min-hosts 2", "1"])):
            with self.subTest(arguments=arguments):
                self.assert_says(self.refuse(2, "launch", *arguments, "--", "train"), *parts)


if __name__ == "__main__":
    run_tests()
