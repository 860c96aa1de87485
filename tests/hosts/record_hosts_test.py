# SPDX-License-Identifier: Apache-2.0
"""What a run over two hosts leaves on record, killed once and started again by launch: every step of every worker on
one clock, the resources of both hosts, the history, and a report that accounts for all of its time."""

import json
import os
import pathlib
import signal
import struct
import sys

from hosts import INTERFACE, SCRIPT, Hosts, leave_unless_possible

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import long_test, run_tests  # noqa: E402
from support.training import TrainingTest  # noqa: E402

WORKERS, STEPS = 4, 120
VALUES = {"model.d_model": 64, "model.d_ff": 128, "train.max_steps": STEPS, "checkpoint.save_every_steps": 20,
          "train.eval_every": 40, "evaluate.train_probe": 20, "train.timeline": "30-32"}
RECORD = struct.Struct("<qd6fQIfII")


@long_test
class RecordHostsTest(TrainingTest):
    def setUp(self):
        super().setUp()
        hosts = Hosts(2, rate="1gbit")
        hosts.__enter__()
        self.addCleanup(hosts.__exit__)
        self.hosts = hosts

    def launch(self):
        return self.start([SCRIPT, "exec", "host-a", *self.command(
            "launch", "-H", "host-a:2,host-b:2", "--nic", INTERFACE, "--rsh", f"{SCRIPT} agent", "--max-restarts", 1, "--",
            *self.arguments(self.run_folder, VALUES), "--resume", "never")], VERBUND_HOSTS_PREFIX=self.hosts.prefix)

    def records(self, rank):
        data = (self.run_folder / "steps" / f"rank-{rank}.bin").read_bytes()
        self.assertEqual((len(data) - 16) % RECORD.size, 0)
        names = ("step", "began", "seconds", "waited", "compute", "exposed", "update", "exchange", "bytes", "tokens",
                 "loss", "start", "flags")
        return [dict(zip(names, RECORD.unpack_from(data, at))) for at in range(16, len(data), RECORD.size)]

    def test_a_run_that_is_killed_once(self):
        job = self.launch()
        pids = self.workers_at_step(job, WORKERS, self.run_folder, 50)
        os.kill(pids[WORKERS - 1], signal.SIGKILL)
        self.assertEqual(job.wait(), 0, job.said())

        history = [json.loads(line) for line in (self.run_folder / "history.jsonl").read_text().splitlines()]
        events = [line["event"] for line in history]
        for event in ("start", "clock", "save", "evaluation", "restart", "resume", "finish"):
            self.assertIn(event, events)
        own = [line["at"] for line in history if line["rank"] == 0]  # what others send comes a little later
        self.assertEqual(sorted(own), own)
        clocks = {line["worker"]: line for line in history if line["event"] == "clock"}
        self.assertEqual(set(clocks), set(range(1, WORKERS)))

        all_records = [self.records(rank) for rank in range(WORKERS)]
        for records in all_records:
            last = [record for record in records if record["start"] == 1]
            self.assertEqual([record["step"] for record in last], list(range(last[0]["step"], STEPS + 1)))
            self.assertEqual(sum(record["start"] == 0 for record in records) >= 20, True)
        # The same step begins on all workers at about the same time, on the common clock.
        for step in range(-10, 0):
            began = [records[step]["began"] for records in all_records]
            self.assertLess(max(began) - min(began), 1)
        line = [line for line in self.metrics(self.run_folder) if line["step"] == STEPS and "train_loss" in line][0]
        tokens = sum(records[-1]["tokens"] for records in all_records)
        loss = sum(records[-1]["loss"] * records[-1]["tokens"] for records in all_records) / tokens
        self.assertAlmostEqual(loss, line["train_loss"], places=4)

        headers = []
        for path in sorted((self.run_folder / "resources").iterdir()):
            data = path.read_bytes()
            (size,) = struct.unpack_from("<I", data, 12)
            headers.append(json.loads(data[16:16 + size]))
        self.assertEqual({header["rank"] for header in headers}, set(range(WORKERS)))
        counted = {header["rank"] for header in headers
                   if any(column["name"] == f"net.{INTERFACE}.sent_bytes" for column in header["columns"])}
        self.assertEqual(counted, {0, 2})  # the first worker of each host

        trace = json.loads((self.run_folder / "timeline" / "steps-30-32.json").read_text())
        self.assertEqual({event["pid"] for event in trace["traceEvents"]}, set(range(WORKERS)))

        report = json.loads(self.succeed("report", self.run_folder, "--json").stdout)
        self.assertGreaterEqual(len(report["verdicts"]), 11)
        for verdict in report["verdicts"]:
            print(f"{verdict['question']}  {verdict['sentence']}", flush=True)
        figures = {figure["name"]: figure["value"] for verdict in report["verdicts"] for figure in verdict["figures"]}
        self.assertLess(abs(figures["unaccounted share"]), 1)
        for name in ("report.html", "report.md"):
            self.assertTrue((self.run_folder / name).stat().st_size > 1000, name)


if __name__ == "__main__":
    leave_unless_possible()
    run_tests()
