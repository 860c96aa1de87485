# SPDX-License-Identifier: Apache-2.0
"""Training over a network: two hosts on one machine, joined by a link of 1 Gbit. As many bytes pass the link as the
run says and theory wants; a link that is down for a while does no harm, and one that stays down ends the run."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from hosts import INTERFACE, SCRIPT, Hosts, leave_unless_possible

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import long_test, run_tests  # noqa: E402
from support.training import TrainingTest  # noqa: E402

STEPS = 30
# Some megabytes of gradients, and few tokens.
VALUES = {"model.d_model": 192, "model.d_ff": 384, "batch.tokens": 100, "train.max_steps": STEPS,
          "checkpoint.save_every_steps": 10, "evaluate.sentences": 2, "workers.check_every": 0}
BLOCKED = "20000-20099"  # ports


class TrainHostsTest(TrainingTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # What is to come out, without hosts.
        case = cls("test_a_link_that_is_down_for_good_ends_the_run")
        case.folder, run = cls.shared.folder, cls.shared.folder / "straight"
        case.train(2, run, VALUES)
        case.doCleanups()
        cls.straight = case.weights(run)

    def setUp(self):
        super().setUp()
        hosts = Hosts(2, rate="1gbit")
        hosts.__enter__()
        self.addCleanup(hosts.__exit__)
        self.hosts = hosts

    def launch(self, values=None, *options, **environment):
        """From host-a."""
        environment["VERBUND_HOSTS_PREFIX"] = self.hosts.prefix
        return self.start([SCRIPT, "exec", "host-a", *self.command(
            "launch", "-n", 2, "-H", "host-a:1,host-b:1", "--nic", INTERFACE, "--rsh", f"{SCRIPT} agent", *options,
            "--", *self.arguments(self.run_folder, {**VALUES, **(values or {})}))], **environment)

    def parameters(self):
        (count,) = re.findall(r": ([\d,]+) parameters", (self.run_folder / "log.txt").read_text())
        return int(count.replace(",", ""))

    def assert_near(self, value, expected, what):
        self.assertAlmostEqual(value / expected, 1, delta=0.1, msg=f"{what}: {value} and {expected}")

    def test_the_bytes_on_the_link_are_those_of_the_gradients(self):
        self.count_bytes("fp32", {}, 4)

    @long_test
    def test_the_bytes_on_the_link_of_other_ways(self):
        self.count_bytes("fp16", {"workers.wire": "fp16"}, 2)
        # Saving collects the moments of all workers: the last step alone saves.
        self.count_bytes("sharded", {"workers.shard_optimizer": "true", "checkpoint.save_every_steps": 0}, 4)

    def count_bytes(self, name, values, bytes_per_value):
        self.run_folder = self.folder / name
        before = [self.hosts.bytes_sent(host) for host in self.hosts.names]
        job = self.launch(values)
        self.assertEqual(job.wait(), 0, job.said())
        passed = [self.hosts.bytes_sent(host) - start for host, start in zip(self.hosts.names, before)]
        hosts = json.loads((self.run_folder / "run.json").read_text())["starts"][0]["hosts"]
        self.assertEqual([(host["host"], host["workers"]) for host in hosts], [("host-a", [0]), ("host-b", [1])])
        said = [line["exchange_bytes_sent_per_step"] for line in self.metrics(self.run_folder)
                if "train_loss" in line]
        self.assertEqual(len(said), STEPS)
        theory = 2 * (2 - 1) / 2 * self.parameters() * bytes_per_value
        print(f"{name}: {passed[0] / 1e6:.1f} and {passed[1] / 1e6:.1f} MB passed the link, said "
              f"{sum(said) / 1e6:.1f} MB, theory {STEPS * theory / 1e6:.1f} MB", flush=True)
        for host, count in zip(self.hosts.names, passed):
            self.assert_near(count, STEPS * theory, f"bytes of {host} and theory")
        self.assert_near(passed[0], sum(said), "bytes of host-a and what worker 0 says")
        if name == "fp32":
            self.assertEqual(self.weights(self.run_folder), self.straight)

    @long_test
    def test_the_communicator_passes_its_tests_over_a_network(self):
        program = pathlib.Path(os.environ["VERBUND"]).with_name("compute_test")
        for workers, slots in ((2, 1), (4, 2)):
            job = self.hosts.mpirun("-n", workers, program, "--gtest_filter=WithWorkersOfTheProgram.HaveACommunicator*",
                                    slots=slots, stdout=subprocess.PIPE, text=True)
            said, _ = job.communicate(timeout=120)
            self.assertEqual(job.returncode, 0, said)
            self.assertIn(f"checked {workers} workers on 2 hosts", said)

    @long_test
    def test_killed_and_started_again_has_the_same_bits_on_every_wire(self):
        """What rounding has left over is saved and given back, whenever the run dies."""
        sharded = {"workers.shard_optimizer": "true"}
        self.killed_has_the_same_bits({"fp32": sharded, "bf16": {}, "fp16": sharded, "int8": {}})

    @long_test
    def test_killed_in_rounds_of_local_steps_has_the_same_bits_on_every_wire(self):
        rounds = {"workers.sync_every": 5, "checkpoint.save_every_steps": 5}
        delayed = {**rounds, "workers.sync_delay": 2}
        self.killed_has_the_same_bits({"fp32": rounds, "bf16": delayed, "fp16": rounds, "int8": delayed})

    def killed_has_the_same_bits(self, values_of_wires):
        for wire, values in values_of_wires.items():
            values = {**values, "workers.wire": wire}
            with self.subTest(wire):
                self.run_folder = self.folder / f"{wire} straight"
                job = self.launch(values)
                self.assertEqual(job.wait(), 0, job.said())
                straight = self.weights(self.run_folder)
                if wire != "fp32":
                    self.assertNotEqual(straight, self.straight)  # else nothing was rounded
                self.run_folder = self.folder / f"{wire} killed"
                job = self.launch(values, "--max-restarts", 1)
                worker = self.workers_at_step(job, 2, self.run_folder, 15)[1]
                self.wait_for(lambda: self.checkpoints(self.run_folder), job)  # is saved while training goes on
                os.kill(worker, signal.SIGKILL)
                self.assertEqual(job.wait(), 0, job.said())
                self.assertGreater(self.resumed_at(self.run_folder), 0)
                self.assertEqual(self.weights(self.run_folder), straight)

    @long_test
    def test_a_link_that_is_down_for_a_while_does_no_harm(self):
        job = self.launch({"workers.stall_warning_seconds": 1, "workers.deadline_seconds": 60})
        self.workers_at_step(job, 2, self.run_folder, 5)
        self.hosts.link("host-b", "down")
        time.sleep(2)
        step = self.last_step(self.run_folder)
        self.hosts.link("host-b", "up")
        self.assertEqual(job.wait(), 0, job.said())
        self.assertLess(step, STEPS)  # else it was down too late
        self.assertEqual(self.weights(self.run_folder), self.straight)

    @long_test
    def test_a_link_that_is_down_for_good_ends_the_run(self):
        job = self.launch({"workers.stall_warning_seconds": 1, "workers.deadline_seconds": 5})
        self.workers_at_step(job, 2, self.run_folder, 12)
        self.hosts.link("host-b", "down")
        began = time.monotonic()
        self.assertEqual(job.wait(50), 3, job.said())
        took = time.monotonic() - began
        self.assertGreater(took, 4)
        self.assertLess(took, 5 + 6 + 10)  # mpirun has 6 s to end, and the machine is busy
        found = re.search(r"verbund: .*worker 1 on host-b\b.*step \d+", job.said())
        self.assertTrue(found, job.said())
        self.assert_says(job.said()[:found.start()], "warning: ", "worker 1 on host-b")
        self.assert_none_left(self.run_folder)  # on neither side
        print(f"ended after {took:.1f} s", flush=True)
        saved = self.checkpoints(self.run_folder)[-1]
        self.assertGreaterEqual(saved, 10)
        self.hosts.link("host-b", "up")
        again = self.launch()
        self.assertEqual(again.wait(), 0, again.said())
        self.assertEqual(self.resumed_at(self.run_folder), saved)
        self.assertEqual(self.weights(self.run_folder), self.straight)

    @long_test
    def test_a_host_that_is_lost_and_comes_back_takes_part_again(self):
        """The job waits for it, and goes on to the bits of an undisturbed run."""
        job = self.launch({"workers.stall_warning_seconds": 1, "workers.deadline_seconds": 3},
                          "--max-restarts", 2, "--wait-for-hosts", 60)
        self.workers_at_step(job, 2, self.run_folder, 12)
        self.hosts.link("host-b", "down")
        began = time.monotonic()
        self.wait_for(lambda: "Restart 1 of 2" in job.said(), job)
        noticed = time.monotonic()
        self.hosts.link("host-b", "up")
        self.wait_for(lambda: self.resumed_at(self.run_folder) > 0, job)
        print(f"lost for launch after {noticed - began:.1f} s, resumed {time.monotonic() - noticed:.1f} s after the host "
              "was back", flush=True)
        self.assertEqual(job.wait(), 0, job.said())
        hosts = [[host["host"] for host in start["hosts"]]
                 for start in json.loads((self.run_folder / "run.json").read_text())["starts"]]
        self.assertEqual(hosts, [["host-a", "host-b"]] * 2)
        self.assertEqual(self.weights(self.run_folder), self.straight)

    @long_test
    def test_a_model_may_take_longer_than_the_deadline_to_arrive_and_to_be_saved(self):
        """Over a slow link. Sums come in small buckets, but the model is sent as a whole, and so are the moments."""
        with Hosts(2, rate="12mbit") as self.hosts:
            job = self.launch({"workers.stall_warning_seconds": 1, "workers.deadline_seconds": 3, "workers.bucket_kb": 64,
                               "workers.sync_every": 3, "train.max_steps": 3, "checkpoint.save_every_steps": 0})
            self.assertEqual(job.wait(180), 0, job.said())
        self.assertEqual(self.last_step(self.run_folder), 3)

    # Before the start

    @long_test
    def test_a_host_that_cannot_be_reached_is_named(self):
        self.hosts.link("host-b", "down")
        job = self.launch()
        self.assertEqual(job.wait(40), 1, job.said())
        self.assertRegex(job.said(), "verbund: .*host-b")
        self.assertFalse(self.run_folder.exists())

    @long_test
    def test_blocked_ports_are_named(self):
        """mpirun's own connections work, the workers' do not: what is sent from these ports is lost."""
        for host in self.hosts.names:
            self.hosts.run(host, ["ip", "rule", "add", "ipproto", "tcp", "sport", BLOCKED, "blackhole"])
        first, last = map(int, BLOCKED.split("-"))
        job = self.launch(None, f"--mpirun-args=--mca btl_tcp_port_min_v4 {first} "
                          f"--mca btl_tcp_port_range_v4 {last - first}", VERBUND_START_SECONDS="5")
        self.assertEqual(job.wait(60), 3, job.said())
        lost = "\n".join(re.findall(r"verbund: .*worker [01].*", job.said()))
        self.assert_says(lost, "host-a", "5 s", "worker 1", "--nic")
        self.assertFalse(self.run_folder.exists())
        self.assert_none_left(self.run_folder)


if __name__ == "__main__":
    leave_unless_possible()
    run_tests()
