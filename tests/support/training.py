# SPDX-License-Identifier: Apache-2.0
"""Runs training with several workers under the real mpirun, for the tests of whole jobs."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from support import fixtures
from support.fixtures import CORPUS, settings  # noqa: F401
from support.program import ProgramTest

# A small model with dropout; a step takes some milliseconds.
SMALL = {"model.encoder_layers": 2, "model.decoder_layers": 2, "model.d_model": 32, "model.heads": 4, "model.d_ff": 64,
         "model.dropout": 0.1, "model.attention_dropout": 0.1, "model.relu_dropout": 0.1, "batch.tokens": 500,
         "schedule.learning_rate": 0.2, "schedule.warmup_steps": 30, "train.log_every": 1, "train.eval_every": 0,
         "evaluate.sentences": 20, "evaluate.at_start": "false", "workers.check_every": 10, "threads": 1}

# More workers than cores are not a mistake in a test.
MPIRUN = ["mpirun", "--bind-to", "none", "--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])


class Job:
    """mpirun or launch at work, with its output in a file, so that nothing is lost when it is killed."""

    def __init__(self, command, output, environment):
        self._output = output
        with open(output, "wb") as file:
            self.process = subprocess.Popen([str(word) for word in command], stdout=file, stderr=subprocess.STDOUT,
                                            env={**os.environ, **environment})

    def said(self):
        return self._output.read_text(errors="replace")

    def wait(self, seconds=120):
        """The exit code."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still at work after {seconds} s:\n{self.said()}") from None


@unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
class TrainingTest(ProgramTest):
    """All tests of a class share one dataset, which they only read."""

    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.data = cls.dataset()

    @classmethod
    def dataset(cls):
        return fixtures.dataset()

    @classmethod
    def prepared(cls, folder, *more):
        cls.shared.succeed("prepare", *CORPUS, *more, "--out", folder)
        return folder

    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "run"

    def arguments(self, run, values=None, data=None):
        return ["train", "--data", data or self.data, "--run", run, *settings({**SMALL, **(values or {})})]

    def start(self, command, **environment):
        job = Job(command, self.folder / f"output-{len(list(self.folder.glob('output-*')))}", environment)
        self.addCleanup(self._end, job)
        return job

    def _end(self, job):
        for pid in self.processes(self.folder).values():
            self.kill(pid, signal.SIGKILL)
        try:
            job.process.wait(10)  # mpirun ends when nobody is left, and cleans up
        except subprocess.TimeoutExpired:
            job.process.kill()
        job.process.wait()

    def start_workers(self, count, run, values=None, **environment):
        return self.start([*MPIRUN, "-n", count, *self.command(*self.arguments(run, values))], **environment)

    def train(self, count, run, values=None):
        """To the good end; returns what was said."""
        job = self.start_workers(count, run, values)
        self.assertEqual(job.wait(), 0, job.said())
        return job.said()

    # Processes

    @staticmethod
    def processes(run):
        """The workers that have this path on their command line, as {rank: process}."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if not entry.name.isdigit() or str(run).encode() not in (entry / "cmdline").read_bytes():
                    continue
                rank = re.search(rb"(?:^|\0)OMPI_COMM_WORLD_RANK=(\d+)", (entry / "environ").read_bytes())
                if rank and b"verbund" in (entry / "exe").resolve().name.encode():
                    found[int(rank[1])] = int(entry.name)
            except OSError:
                continue  # it has just ended
        return found

    @staticmethod
    def kill(process, number):
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass

    def workers_at_step(self, job, count, run, step):
        """The processes, once this step has been logged."""
        self.wait_for(lambda: self.last_step(run) >= step, job)
        workers = self.processes(run)
        self.assertEqual(sorted(workers), list(range(count)), job.said())
        return workers

    def wait_for(self, condition, job=None, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if job is not None and job.process.poll() is not None and not condition():
                self.fail(f"it ended with {job.process.returncode}:\n{job.said()}")
            self.assertLess(time.monotonic(), end, "waited in vain" + (f":\n{job.said()}" if job else ""))
            time.sleep(0.002)

    def assert_none_left(self, run):
        self.wait_for(lambda: not self.processes(run), seconds=15)

    # What a run has left

    @staticmethod
    def metrics(run):
        path = run / "metrics.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line) for line in lines if line.endswith("}")]

    def losses(self, run):
        return {line["step"]: line["train_loss"] for line in self.metrics(run) if "train_loss" in line}

    def last_step(self, run):
        return max(self.losses(run), default=0)

    @staticmethod
    def checkpoints(run):
        return sorted(int(path.name[5:]) for path in (run / "checkpoints").glob("step-????????"))

    @staticmethod
    def resumed_at(run):
        """The step at which the last start of the run began."""
        return json.loads((run / "run.json").read_text())["starts"][-1]["step"]

    @staticmethod
    def weights(run):
        """The checksum of the newest."""
        return hashlib.sha256((run / "checkpoints" / "last" / "weights.safetensors").read_bytes()).hexdigest()

    def assert_same_curve(self, run, expected, relative):
        losses = self.losses(run)
        self.assertEqual(sorted(losses), sorted(expected))
        for step, loss in expected.items():
            self.assertAlmostEqual(losses[step] / loss, 1, delta=relative, msg=f"step {step}")
