# SPDX-License-Identifier: Apache-2.0
"""verbund inspect on a run and its checkpoints: every byte is listed, and damage is named."""

import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402


class InspectTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_folder = fixtures.copy_of_model(self.folder / "run")
        self.last = self.run_folder / "checkpoints" / "last"

    def as_json(self, folder):
        return json.loads(self.succeed("inspect", folder, "--json").stdout)

    def apparent_size(self, folder):
        return int(subprocess.run(["du", "-sb", folder.resolve()], capture_output=True, text=True, check=True).stdout.split()[0])

    def test_a_run(self):
        found = self.as_json(self.run_folder)
        self.assertEqual(found["bytes"], self.apparent_size(self.run_folder))
        self.assertEqual(found["bytes"], found["folder_bytes"] + sum(file["bytes"] for file in found["files"]))
        self.assertEqual((found["kind"], found["last_step"], found["running"], found["start_count"]),
                         ("run", fixtures.STEPS, False, 1))
        self.assertIn(str(fixtures.STEPS), found["starts"][0]["end"])
        self.assertNotIn("unknown", {file["purpose"].split(":")[0] for file in found["files"]})
        metrics = [json.loads(line) for line in (self.run_folder / "metrics.jsonl").read_text().splitlines()]
        best = min((line["dev_loss"], line["step"]) for line in metrics if "dev_loss" in line)
        self.assertEqual((found["best"]["dev_loss"]["value"], found["best"]["dev_loss"]["step"]), best)
        self.assertIn("last", next(c for c in found["checkpoints"] if c["name"] == "step-00000150")["links"])
        (self.run_folder / "notes.txt").write_text("mine")
        with open(self.run_folder / "metrics.jsonl", "a") as metrics:
            metrics.write('garbage\n{"step": 5, "trai')
        shown = self.succeed("inspect", self.run_folder).stdout
        self.assert_says(shown, "notes.txt", "step-00000150")
        self.assertRegex(shown, r"\b1 .*metrics\.jsonl")
        found = self.as_json(self.run_folder)
        self.assertEqual({file["purpose"].split(":")[0] for file in found["files"] if file["name"] == "notes.txt"},
                         {"unknown"})

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
        self.assertIn("embeddings", {part["name"] for part in found["parts"]})
        self.assert_says(self.succeed("inspect", self.last).stdout, *(part["name"] for part in found["parts"]))

    def test_damage(self):
        weights = self.last / "weights.safetensors"
        content = bytearray(weights.read_bytes())
        content[-1] ^= 1
        weights.write_bytes(content)
        (self.last / "optimizer.safetensors").unlink()
        done = self.run_program("inspect", self.last)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"weights\.safetensors .*\n.*checksum")
        self.assertRegex(done.stdout, r"optimizer\.safetensors .*\n.*missing")
        (self.last / "manifest.json").write_text("{")
        self.assert_says(self.refuse(1, "inspect", self.last), "manifest.json")
        (self.last / "manifest.json").unlink()
        self.assert_says(self.refuse(1, "inspect", self.last), "manifest.json")
        (self.run_folder / "run.json").write_text("[]")
        self.assert_says(self.succeed("inspect", self.run_folder).stdout, "run.json")

    def test_other_folders(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.assert_says(self.refuse(1, "inspect", empty), empty)
        (empty / "a").write_text("x")
        self.assert_says(self.refuse(1, "inspect", empty), "dataset.json", "run.json", "manifest.json")
        shutil.rmtree(self.last.resolve())
        self.assert_says(self.refuse(1, "inspect", self.last), "step-00000150")
        self.succeed("inspect", self.run_folder)


if __name__ == "__main__":
    run_tests()
