# SPDX-License-Identifier: Apache-2.0
"""Trainings as jobs of a real Slurm with two nodes: the given scripts for sbatch, time limit and requeue, a job array
with its comparison, scancel, and the doctor inside an allocation."""

import hashlib
import json
import os
import pathlib
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from slurm.slurm_cluster import SlurmCluster, has_accounting, leave_unless_possible  # noqa: E402
from support import fixtures  # noqa: E402
from support.program import PROGRAM, ProgramTest, is_long, long_test, run_tests  # noqa: E402

SCRIPTS = pathlib.Path(os.environ["VERBUND_SOURCE"]) / "deploy" / "slurm"
STEPS = 40
LAYOUT = [("host-a", [0, 1]), ("host-b", [2, 3])]
# Steps that take a while, and are many: Slurm looks at time limits twice a minute.
LONG = {"batch.tokens": 3000, "train.max_steps": 1500, "train.eval_every": 0, "checkpoint.save_every_steps": 100000}


class SlurmTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.cluster = SlurmCluster(self.folder / "cluster", accounting=is_long(self) and has_accounting())
        self.cluster.__enter__()
        self.addCleanup(self.assert_nobody_left)
        self.addCleanup(self.cluster.__exit__)

    def assert_nobody_left(self):
        left = [path for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")
                if str(self.folder).encode() in read_or_nothing(path) and path.parent.name != str(os.getpid())]
        self.assertEqual(left, [])

    def print_accounts(self, job):
        if has_accounting():
            print(self.cluster.run("sacct", "--duplicates", f"--jobs={job}",
                                   "--format=JobID%12,JobName%20,State%20,ExitCode,Elapsed,NNodes,NTasks"), flush=True)

    def training(self, run, values=None):
        """The arguments of train, as the scripts take them."""
        more = {key.replace(".", "__"): value for key, value in (values or {}).items()}
        words = fixtures.training(run, STEPS, **more)
        return [str(word) for word in words[1:]]

    def submit(self, run, values=None, options=(), launch="--nic veth0 --max-restarts 3"):
        return self.cluster.sbatch(f"--output={self.folder}/{run.name}.out", *options, SCRIPTS / "train.sbatch",
                                   *self.training(run, values), VERBUND=PROGRAM, VERBUND_LAUNCH=launch)

    def said(self):
        return "".join(file.read_text(errors="replace") for file in sorted(self.folder.glob("*.out")))

    def finish(self, job, state="COMPLETED", seconds=600):
        shown = self.cluster.wait(job, seconds)
        self.assertEqual(shown["JobState"], state, f"{shown}\n{self.said()}{self.cluster.logs()}")
        return shown

    def start_now(self, job, *changes):
        """Slurm lets a requeued job wait for two minutes. Some seconds must pass: a job that starts in the second in which
        it was killed is refused by slurmd, "credential revoked"."""
        self.cluster.until(lambda: self.cluster.job(job)["JobState"] == "PENDING", 60, "it waits")
        time.sleep(3)
        self.cluster.run("scontrol", "update", f"JobId={job}", *changes, "StartTime=now")

    @staticmethod
    def starts(run):
        return json.loads((run / "run.json").read_text())["starts"]

    @staticmethod
    def last_step(run):
        path = run / "metrics.jsonl"
        steps = re.findall(r'"step":\s*(\d+)', path.read_text()) if path.exists() else []
        return max(map(int, steps), default=0)

    @staticmethod
    def weights(run, step):
        return hashlib.sha256((run / f"checkpoints/step-{step:08}/weights.safetensors").read_bytes()).hexdigest()

    def test_two_nodes_with_two_workers_each(self):
        run = self.folder / "run"
        self.finish(self.submit(run))
        hosts = self.starts(run)[0]["hosts"]
        self.assertEqual([(host["host"], host["workers"]) for host in hosts], LAYOUT)
        self.assertEqual(self.last_step(run), STEPS)

    @long_test
    def test_srun_and_mpirun_give_the_same_weights(self):
        for starter in ("srun", "mpirun"):
            run = self.folder / starter
            self.finish(self.submit(run, launch=f"--nic veth0 --starter {starter}"))
            self.assertEqual([(host["host"], host["workers"]) for host in self.starts(run)[0]["hosts"]], LAYOUT)
        self.assertEqual(self.weights(self.folder / "srun", STEPS), self.weights(self.folder / "mpirun", STEPS))

    @long_test
    def test_without_pmix_mpirun_starts_the_workers(self):
        folder, run = self.folder / "bin", self.folder / "run"
        folder.mkdir()
        srun = folder / "srun"
        srun.write_text('#!/bin/sh\ncase "$*" in *--mpi=list*) echo none ;; *) exec /usr/bin/srun "$@" ;; esac\n')
        srun.chmod(0o755)
        dry_run = ["launch", "--slurm", "--nic", "veth0", "--dry-run", "--", "train"]
        self.assertRegex(self.allocated(*dry_run), r"(?m)^env .* srun --mpi=pmix .* train$")
        self.cluster.environment["PATH"] = f"{folder}:{self.cluster.environment['PATH']}"
        self.assertRegex(self.allocated(*dry_run), r"(?m)^mpirun -n 4 -H host-a:2,host-b:2 .* train$")
        self.finish(self.submit(run))
        self.assertEqual([(host["host"], host["workers"]) for host in self.starts(run)[0]["hosts"]], LAYOUT)

    @long_test
    def test_plain_srun_needs_pmix(self):
        """Without it, each task would train alone; launch is not part of this."""
        task = ["--nodes=2", "--ntasks-per-node=2"]
        refused, run = self.folder / "refused", self.folder / "run"
        said = self.cluster.run("srun", "--mpi=none", *task, PROGRAM, "train", *self.training(refused), check=False)
        self.assertIn("Exited with exit code 2", said)
        self.assertFalse(refused.exists())
        self.cluster.run("srun", "--mpi=pmix", *task, PROGRAM, "train", *self.training(run),
                         OMPI_MCA_btl_tcp_if_include="veth0")
        self.assertEqual([(host["host"], host["workers"]) for host in self.starts(run)[0]["hosts"]], LAYOUT)

    @long_test
    def test_a_job_outlives_its_time_limit(self):
        straight, limited = self.folder / "straight", self.folder / "limited"
        values = {**LONG, "train.max_steps": 3000}  # more than half a minute on any machine
        self.finish(self.submit(straight, values))
        job = self.submit(limited, values, ["--time=1", "--signal=B:TERM@30"])
        self.cluster.until(lambda: self.cluster.job(job)["Restarts"] == "1", 180, "the job is requeued")
        stopped_at = self.last_step(limited)
        self.assertGreater(stopped_at, 0)
        self.assertLess(stopped_at, values["train.max_steps"], self.said())
        self.start_now(job, "TimeLimit=30")
        self.assertEqual(self.finish(job)["ExitCode"], "0:0")
        self.assertEqual(len(self.starts(limited)), 2, self.said())
        last = values["train.max_steps"]
        self.assertEqual(self.weights(limited, last), self.weights(straight, last))
        self.print_accounts(job)
        print(f"stopped by the time limit at step {stopped_at}, requeued, same weights at step {last}")

    @long_test
    def test_a_preempted_job_saves_and_goes_on(self):
        values = {**LONG, "train.max_steps": 300}
        straight, preempted = self.folder / "straight", self.folder / "preempted"
        self.finish(self.submit(straight, values))
        job = self.submit(preempted, values)
        self.cluster.until(lambda: self.last_step(preempted) > 5, 120, "training")
        urgent = self.cluster.sbatch("--partition=urgent", "--nodes=2", "--exclusive", "--wrap=true")
        self.finish(urgent)
        self.cluster.until(lambda: self.cluster.job(job)["Restarts"] == "1", 60, "the job is requeued")
        self.start_now(job)
        self.finish(job)
        self.assertEqual(len(self.starts(preempted)), 2, self.said())
        self.assertEqual(self.weights(preempted, 300), self.weights(straight, 300))

    @long_test
    def test_a_killed_worker_or_srun_is_a_restart_within_the_job(self):
        run, values = self.folder / "run", {**LONG, "train.max_steps": 200, "checkpoint.save_every_steps": 10}
        job = self.submit(run, values, launch="--nic veth0 --starter srun --max-restarts 2")
        self.cluster.until(lambda: self.last_step(run) > 20, 120, "training")
        os.kill(self.process(run, "environ", b"PMIX_RANK=2"), signal.SIGKILL)
        self.cluster.until(lambda: len(self.starts(run)) == 2 and self.last_step(run) > 60, 120, "training again")
        os.kill(self.process(run, "cmdline", b"--mpi=pmix"), signal.SIGKILL)  # srun, which leaves its workers behind
        self.assertEqual(self.finish(job)["Restarts"], "0")
        self.assertEqual(len(self.starts(run)), 3, self.said())
        self.assertEqual(self.last_step(run), 200)

    @staticmethod
    def process(run, file, word):
        """The one that works on this run and has the word in its environment or on its command line."""
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            if str(run).encode() in read_or_nothing(path) and \
                    word in read_or_nothing(path.with_name(file)).split(b"\0"):
                return int(path.parent.name)
        raise AssertionError(f"there is no process with {word}")

    @long_test
    def test_a_cancelled_job_has_saved(self):
        for starter in ("srun", "mpirun"):
            run = self.folder / starter
            job = self.submit(run, LONG, launch=f"--nic veth0 --starter {starter}")
            self.cluster.until(lambda: self.last_step(run) > 5, 120, "training")
            self.cluster.run("scancel", job)
            shown = self.finish(job, "CANCELLED")
            self.assertEqual((shown["Restarts"], shown["ExitCode"]), ("0", "143:0"), self.said())
            (saved,) = (int(path.name[5:]) for path in run.glob("checkpoints/step-????????"))
            self.assertGreater(saved, 5)
            self.print_accounts(job)

    @long_test
    def test_workers_of_srun_hear_which_signal_launch_got(self):
        for number, name in ((signal.SIGINT, "Ctrl-C"), (signal.SIGHUP, "SIGHUP")):
            with self.subTest(name):
                run = self.folder / name
                job = self.submit(run, LONG, launch="--nic veth0 --starter srun")
                self.cluster.until(lambda: self.last_step(run) > 5, 120, "training")
                os.kill(self.process(run, "cmdline", b"launch"), number)
                self.assertEqual(self.finish(job, "FAILED")["ExitCode"], f"{128 + number}:0", self.said())
                self.assertIn(name, self.starts(run)[-1]["stop"]["reason"], self.said())

    @long_test
    def test_seeds_of_an_array_outlive_their_time_limit(self):
        """One task has the id of the whole array: what is asked by that id is said of all tasks."""
        options = ["--array=1-2", "--nodes=1", "--ntasks-per-node=1", "--time=1", "--signal=B:TERM@30"]
        array = self.submit(self.folder / "seed-%a", {**LONG, "train.max_steps": 10000}, options)
        for task in (1, 2):
            self.cluster.until(lambda: self.cluster.job(f"{array}_{task}")["Restarts"] == "1", 180, "it is requeued")
        for task in (1, 2):
            self.assertGreater(self.last_step(self.folder / f"seed-{task}"), 0, self.said())
        self.cluster.run("scancel", array)

    @long_test
    def test_an_array_of_seeds_with_its_comparison(self):
        printed = self.cluster.run(
            SCRIPTS / "seeds.sh", "1-5:2", *self.training(self.folder / "seed-%a"), VERBUND=PROGRAM, timeout=60,
            SBATCH_OUTPUT=str(self.folder / "%A-%a.out"), VERBUND_LAUNCH="--nic veth0 --max-restarts 3")
        array, comparison = re.findall(r"job (\d+)", printed)
        self.finish(comparison)
        report = (self.cluster.folder / "comparison.md").read_text()
        for seed in (1, 3, 5):
            run = self.folder / f"seed-{seed}"
            self.assertEqual(self.last_step(run), STEPS)
            self.assertIn(f"seed-{seed}", report)
        self.assertEqual(len({self.weights(self.folder / f"seed-{seed}", STEPS) for seed in (1, 3, 5)}), 3)

    @long_test
    def test_the_doctor_examines_the_hosts_of_the_allocation(self):
        said = self.allocated("doctor", "--slurm", "--nic", "veth0", "--json", "--data", fixtures.dataset())
        found = json.loads(said[said.index("{"):said.rindex("}") + 1])
        self.assertEqual([host["name"] for host in found["facts"]["asked"]], ["host-a", "host-b"])

    def allocated(self, *arguments):
        return self.cluster.run("salloc", "--quiet", "--nodes=2", "--ntasks-per-node=2", PROGRAM, *arguments,
                                check=False)


def read_or_nothing(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


if __name__ == "__main__":
    leave_unless_possible()
    run_tests()
