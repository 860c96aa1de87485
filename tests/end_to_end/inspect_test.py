"""verbund inspect on a run and its checkpoints: every byte is listed, and damage is named."""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import ProgramTest  # noqa: E402
from support.training import CORPUS, SMALL, settings  # noqa: E402


class InspectTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        data, cls.original = cls.shared.folder / "data", cls.shared.folder / "run"
        cls.shared.succeed("prepare", *CORPUS, "--out", data)
        cls.shared.succeed("train", "--data", data, "--run", cls.original,
                           *settings({**SMALL, "train.max_steps": 4, "train.eval_every": 2, "evaluate.sentences": 4,
                                      "decode.beam": 1, "checkpoint.save_every_steps": 2}))

    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "run"
        shutil.copytree(self.original, self.run_folder, symlinks=True)
        self.last = self.run_folder / "checkpoints" / "last"

    def as_json(self, folder):
        return json.loads(self.succeed("inspect", folder, "--json").stdout)

    def apparent_size(self, folder):
        return int(subprocess.run(["du", "-sb", folder.resolve()], capture_output=True, text=True, check=True).stdout.split()[0])

    def test_a_run(self):
        found = self.as_json(self.run_folder)
        self.assertEqual(found["bytes"], self.apparent_size(self.run_folder))
        self.assertEqual(found["bytes"], found["folder_bytes"] + sum(file["bytes"] for file in found["files"]))
        self.assertEqual((found["kind"], found["last_step"], found["running"], found["start_count"]), ("run", 4, False, 1))
        self.assertEqual(found["starts"][0]["end"], "finished at step 4")
        self.assertNotIn("unknown", {file["purpose"].split(":")[0] for file in found["files"]})
        metrics = [json.loads(line) for line in (self.run_folder / "metrics.jsonl").read_text().splitlines()]
        best = min((line["dev_loss"], line["step"]) for line in metrics if "dev_loss" in line)
        self.assertEqual((found["best"]["dev_loss"]["value"], found["best"]["dev_loss"]["step"]), best)
        self.assertIn("last", next(c for c in found["checkpoints"] if c["name"] == "step-00000004")["links"])
        (self.run_folder / "notes.txt").write_text("mine")
        with open(self.run_folder / "metrics.jsonl", "a") as metrics:
            metrics.write('garbage\n{"step": 5, "trai')
        shown = self.succeed("inspect", self.run_folder).stdout
        self.assert_says(shown, "not running", "finished at step 4", "notes.txt", "unknown:", "metrics.jsonl", "step-00000004")

    def test_a_run_at_work_is_said_to_be(self):
        import fcntl
        import os
        folder = os.open(self.run_folder, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        fcntl.flock(folder, fcntl.LOCK_EX)
        self.assertTrue(self.as_json(self.run_folder)["running"])

    def test_a_checkpoint(self):
        found = self.as_json(self.last)
        self.assertEqual(found["folder_bytes"], self.apparent_size(self.last))
        self.assertEqual(found["file_bytes"], sum(file["bytes"] for file in found["files"]))
        self.assertEqual(found["file_bytes"], found["expected_bytes"] + sum(part["bytes"] for part in found["remainder"]))
        self.assertEqual(found["expected_bytes"], 4 * found["parameters"] * (1 + len(found["optimizer"]) + found["averaged"]))
        self.assertEqual(found["parameters"], sum(part["parameters"] for part in found["parts"]))
        self.assertEqual([part["name"] for part in found["optimizer"]], ["adam.m", "adam.v"])
        self.assertEqual(found["run"], json.loads((self.run_folder / "run.json").read_text())["id"])
        self.assert_says(self.succeed("inspect", self.last).stdout, "embeddings",
                         "encoder's self-attention", "norms", "as du -b counts")

    def test_damage(self):
        weights = self.last / "weights.safetensors"
        content = bytearray(weights.read_bytes())
        content[-1] ^= 1
        weights.write_bytes(content)
        (self.last / "optimizer.safetensors").unlink()
        done = self.run_program("inspect", self.last)
        self.assertEqual(done.returncode, 1)
        self.assert_says(done.stdout, "damaged: its checksum is", "damaged: it is missing")
        self.assert_says(done.stderr, "is damaged. Use another checkpoint.")
        (self.last / "manifest.json").write_text("{")
        self.assert_says(self.refuse(1, "inspect", self.last), "manifest.json is damaged")
        (self.last / "manifest.json").unlink()
        self.assert_says(self.refuse(1, "inspect", self.last), "manifest.json is missing")
        (self.run_folder / "run.json").write_text("[]")
        self.assert_says(self.succeed("inspect", self.run_folder).stdout, "run.json is damaged")

    def test_other_folders(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.assert_says(self.refuse(1, "inspect", empty), "is empty")
        (empty / "a").write_text("x")
        self.assert_says(self.refuse(1, "inspect", empty), "dataset.json", "run.json", "manifest.json")
        shutil.rmtree(self.last.resolve())
        self.assert_says(self.refuse(1, "inspect", self.last), "step-00000004")
        self.assert_says(" ".join(self.as_json(self.run_folder)["notes"]), "checkpoints/last", "step-00000004")


if __name__ == "__main__":
    unittest.main(verbosity=2)
