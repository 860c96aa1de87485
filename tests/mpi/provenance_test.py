# SPDX-License-Identifier: Apache-2.0
"""Datasets, runs, checkpoints and what is made of them say by themselves when, where and by what they were made."""

import json
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import long_test, run_tests  # noqa: E402
from support.training import TrainingTest  # noqa: E402

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
FOREVER = {"train.max_steps": 10**6}


class ProvenanceTest(TrainingTest):
    @classmethod
    def dataset(cls):
        return cls.prepared(cls.shared.folder / "data")

    def record(self):
        return json.loads((self.run_folder / "run.json").read_text())

    def version(self):
        return self.succeed("--version").stdout.splitlines()[0]

    def test_a_dataset(self):
        made = json.loads((self.data / "provenance.json").read_text())
        self.assertEqual((made["format"], made["version"]), ("verbund-dataset-provenance", 1))
        self.assertRegex(made["time"], f"^{TIME}$")
        self.assertEqual(made["program"], self.version())
        self.assertEqual(made["command"][1:3], ["prepare", "--corpus"])
        self.assertTrue(made["machine"]["host"])
        self.assertEqual({file["split"] for file in made["inputs"]}, {"train", "dev", "test"})
        for file in made["inputs"]:
            path = pathlib.Path(file["path"])
            self.assertEqual((file["size"], file["lines"]), (path.stat().st_size, path.read_text().count("\n")), file)
        self.assertEqual(set(made["stages"]), {"generate", "clean", "shuffle", "subwords", "encode"})
        for stage in made["stages"].values():
            self.assertGreater(stage["seconds"], 0)
            self.assertRegex(stage["time"], TIME)
        # It is not made again with nothing to do, and no part of the dataset's identity.
        before = (self.data / "provenance.json").read_bytes()
        self.prepared(self.data)
        self.assertEqual((self.data / "provenance.json").read_bytes(), before)
        elsewhere = self.prepared(self.folder / "elsewhere")
        checksums = [json.loads((folder / "dataset.json").read_text())["checksum"] for folder in (self.data, elsewhere)]
        self.assertEqual(*checksums)

    def test_a_run_tells_every_start_and_stop(self):
        few = {"train.max_steps": 5}
        self.train(2, self.run_folder, few)
        # Killed: nobody could note it.
        job = self.start(self.command(*self.arguments(self.run_folder, FOREVER)))
        self.wait_for(lambda: self.last_step(self.run_folder) >= 8, job)
        job.process.kill()
        job.process.wait()
        # Asked to stop.
        job = self.start(self.command(*self.arguments(self.run_folder, FOREVER)))
        self.wait_for(lambda: len(self.record()["starts"]) == 3, job)
        job.process.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(), 143, job.said())

        record = self.record()
        self.assertEqual((record["format"], record["version"], record["start_count"]), ("verbund-run", 1, 3))
        first, killed, stopped = record["starts"]
        for start in record["starts"]:
            self.assertRegex(start["time"], f"^{TIME}$")
            self.assertEqual(start["program"], self.version())
            self.assertIn("Open MPI", start["mpi"])
            self.assertIn(str(self.run_folder), start["command"])
        self.assertIn("step 5", first["stop"]["reason"])
        self.assertTrue(killed["stop"]["reason"])
        self.assertRegex(killed["stop"]["last_sign_of_life"], TIME)
        self.assertRegex(stopped["stop"]["reason"], r"SIGTERM.*\d+")
        self.assertEqual([start["step"] for start in record["starts"]], [0, 5, 5])
        (host,) = first["hosts"]
        self.assertEqual((host["workers"], host["threads_per_worker"]), ([0, 1], 1))
        for key in ("host", "processor", "cores", "memory_bytes", "system", "device", "kernels", "precision"):
            self.assertIn(key, host)
        self.assertEqual(stopped["hosts"][0]["workers"], [0])
        dataset = record["dataset"]
        self.assertEqual(dataset["path"], str(self.data))
        self.assertEqual(dataset["statistics"], json.loads((self.data / "statistics.json").read_text()))
        self.assertEqual(dataset["provenance"]["command"][1], "prepare")

        # When each line was written.
        for line in (self.run_folder / "log.txt").read_text().splitlines():
            self.assertRegex(line, f"^{TIME}  ")
        times = [line["time"] for line in self.metrics(self.run_folder)]
        self.assertEqual(times, sorted(times))

    @long_test
    def test_a_lost_worker_and_an_error_are_reasons(self):
        job = self.start_workers(2, self.run_folder, FOREVER)
        workers = self.workers_at_step(job, 2, self.run_folder, 3)
        self.kill(workers[1], signal.SIGKILL)
        self.assertNotEqual(job.wait(), 0, job.said())
        self.assertRegex(self.record()["starts"][0]["stop"]["reason"], "worker 1 on ")
        self.refuse(1, *self.arguments(self.run_folder, {"schedule.learning_rate": 1e9, "train.max_steps": 200}))
        self.assertTrue(self.record()["starts"][-1]["stop"]["reason"])

    def test_checkpoints_and_what_is_made_of_them_know_their_run(self):
        self.succeed(*self.arguments(self.run_folder, {"train.max_steps": 20, "checkpoint.save_every_steps": 10}))
        run = {"run": self.record()["id"], "folder": str(self.run_folder), "program": self.version()}

        def state(name):
            return json.loads((self.run_folder / "checkpoints" / name / "state.json").read_text())

        saved = state("step-00000010")
        self.assertRegex(saved["origin"].pop("time"), TIME)
        self.assertEqual((saved["step"], saved["origin"]), (10, run))
        self.succeed("average", "--run", self.run_folder, "--last", 2)
        made_of = state("average")["origin"]["made_of"]
        self.assertEqual([{key: origin[key] for key in ("step", "run")} for origin in made_of],
                         [{"step": step, "run": run["run"]} for step in (10, 20)])
        out = self.folder / "exported"
        self.succeed("export", "-m", self.run_folder, "--checkpoint", "average", "--format", "ctranslate2",
                     "--out", out)
        exported = json.loads((out / "provenance.json").read_text())
        self.assertEqual(exported["program"], self.version())
        self.assertEqual(exported["checkpoint"], str(self.run_folder / "checkpoints" / "average"))
        self.assertEqual(exported["origin"]["made_of"], made_of)


if __name__ == "__main__":
    run_tests()
