# SPDX-License-Identifier: Apache-2.0
"""verbund train when something is wrong around it: other data, damaged checkpoints, a disk that takes no more,
a second process. It says what is wrong, loses nothing, and goes on with the same bits when it can."""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import ProgramTest, long_test, run_tests  # noqa: E402

# A checkpoint of it takes about 100 kB.
SMALLEST = ["--set", "model.d_model=16", "--set", "model.heads=2", "--set", "model.d_ff=16",
            "--set", "model.encoder_layers=1", "--set", "model.decoder_layers=1", "--set", "batch.tokens=200",
            "--set", "schedule.learning_rate=1", "--set", "schedule.warmup_steps=100", "--set", "train.eval_every=0",
            "--set", "evaluate.at_start=false", "--set", "evaluate.sentences=20",
            "--set", "checkpoint.save_every_steps=10", "--set", "threads=1"]
STEPS = 60
FOREVER = 10**6


class TrainFaultsTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.data = cls.prepared(cls.shared.folder / "data")
        # What an undisturbed run has at each step.
        run = cls.shared.folder / "straight"
        cls.shared.succeed(*cls.arguments(run, STEPS, "--set", "checkpoint.keep_last=1000"))
        cls.straight = cls.contents(run)

    @classmethod
    def prepared(cls, folder, *more):
        cls.shared.succeed("prepare", "--corpus", "reversal", "--set", "corpus.generated_pairs=1000", *more,
                           "--out", folder)
        return folder

    @classmethod
    def arguments(cls, run, steps, *more, data=None):
        return ["train", "--data", data or cls.data, "--run", run, *SMALLEST, "--set", f"train.max_steps={steps}",
                *more]

    @staticmethod
    def contents(run):
        """The checksums of weights and optimiser, by step."""
        return {int(folder.name[5:]): [hashlib.sha256((folder / name).read_bytes()).hexdigest()
                                       for name in ("weights.safetensors", "optimizer.safetensors")]
                for folder in (run / "checkpoints").glob("step-????????")}

    def checkpoint(self, run, step):
        return run / "checkpoints" / f"step-{step:08d}"

    def files(self, folder):
        return {name: (folder / name).read_bytes() for name in self.files_below(folder)}

    def start(self, run, *more, data=None):
        """Trains in the background; returns when it is at work and there is a checkpoint."""
        process = subprocess.Popen(self.command(*self.arguments(run, FOREVER, *more, data=data)),
                                   stderr=subprocess.PIPE, text=True)  # a few lines: nobody need read them
        self.addCleanup(lambda: process.stderr.closed or process.communicate())
        self.addCleanup(process.kill)
        self.wait_for(lambda: list(run.glob("checkpoints/step-????????")) or process.poll() is not None)
        self.assertIsNone(process.poll(), "it ended")
        return process

    def assert_resumed(self, run, step):
        """The last start of the run began at this step."""
        self.assertEqual(json.loads((run / "run.json").read_text())["starts"][-1]["step"], step)

    def wait_for(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.005)

    def test_a_run_folder_whose_name_is_not_utf8(self):
        run = self.folder / os.fsdecode(b"run-\xff")
        self.succeed(*self.arguments(run, 3), errors="surrogateescape")
        self.assertTrue(self.checkpoint(run, 3).is_dir())
        self.assertIn("run-", json.loads((self.checkpoint(run, 3) / "state.json").read_text())["origin"]["folder"])

    def mounted_checkpoints(self, run, options):
        """RUN/checkpoints becomes a file system of its own."""
        if os.geteuid() != 0:
            self.skipTest("only root can mount a file system")
        (run / "checkpoints").mkdir(parents=True)
        (run / "config.yaml").touch()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", run / "checkpoints"],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"cannot mount a file system here: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", run / "checkpoints"], check=True)

    def remount(self, run, options):
        return subprocess.run(["mount", "-o", f"remount,{options}", run / "checkpoints"],
                              capture_output=True).returncode

    # Other data

    def test_another_vocabulary_is_refused(self):
        run = self.folder / "run"
        self.succeed(*self.arguments(run, 20))
        before = self.files(run / "checkpoints")
        other = self.prepared(self.folder / "other", "--set", "subwords.vocabulary=120")
        self.assert_says(self.refuse(1, *self.arguments(run, STEPS, data=other)), "checksum", "--run")
        # These weights do not fit, whatever the user says.
        self.assert_says(self.refuse(1, *self.arguments(run, STEPS, "--resume", "force", data=other)), "embedding",
                         "[150, 16]", "[120, 16]")
        self.assertEqual(self.files(run / "checkpoints"), before)

    @long_test
    def test_a_dataset_that_changed_is_refused_unless_forced(self):
        run, data = self.folder / "run", self.prepared(self.folder / "data")
        self.succeed(*self.arguments(run, 20, data=data))
        before = self.files(run / "checkpoints")
        shutil.rmtree(data)
        self.prepared(data, "--set", "seed=2", "--set", f"subwords.model={self.data / 'joint.model'}")
        self.assert_says(self.refuse(1, *self.arguments(run, 40, data=data)), "checksum", "--resume force")
        self.assertEqual(self.files(run / "checkpoints"), before)
        self.succeed(*self.arguments(run, 40, "--resume", "force", data=data))
        self.assert_resumed(run, 20)
        # From now on this is the run's dataset, and the first one would be the wrong one.
        self.succeed(*self.arguments(run, STEPS, data=data))
        self.assert_resumed(run, 40)
        self.refuse(1, *self.arguments(run, STEPS))

    # Damaged data

    def test_a_damaged_dataset_is_refused(self):
        data = self.folder / "data"
        for name in ("train.ids", "train.offsets", "train.lengths", "dev.ids", "dev.target.txt", "joint.model"):
            shutil.rmtree(data, ignore_errors=True)
            shutil.copytree(self.data, data)
            content = bytearray((data / name).read_bytes())
            content[len(content) // 2] ^= 4
            (data / name).write_bytes(content)
            with self.subTest(damaged=name):
                message = self.refuse(1, *self.arguments(self.folder / "run", 20, data=data))
                self.assert_says(message, data / name, "checksum", "prepare")
        self.assertFalse((self.folder / "run").exists())

    def test_the_dataset_is_verified_once_and_says_what_that_takes(self):
        done = self.succeed(*self.arguments(self.folder / "run", 10))
        size = sum(file.stat().st_size for file in self.data.glob("*.*") if file.suffix not in (".json", ".yaml"))
        self.assertRegex(done.stderr, rf"dataset.*: {size / 1000:.0f} kB")
        self.assertRegex((self.folder / "run" / "log.txt").read_text(), rf"dataset.*: {size / 1000:.0f} kB")

    def end_by_damage(self, damage):
        """`damage` gets the path of train.ids during the training, which must end with that name; then it resumes."""
        data, run = self.folder / "data", self.folder / "run"
        shutil.copytree(self.data, data)
        process = self.start(run, data=data)
        damage(data / "train.ids")
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, said)
        self.assert_says(said[said.index("verbund: "):], data / "train.ids")
        (data / "train.ids").write_bytes((self.data / "train.ids").read_bytes())
        newest = max(self.contents(run))
        self.succeed(*self.arguments(run, newest + 10, data=data))
        self.assert_resumed(run, newest)

    def test_a_file_that_is_cut_short_while_training_is_named(self):
        self.end_by_damage(lambda ids: os.truncate(ids, 0))

    def test_a_file_that_gets_ids_beyond_the_vocabulary_while_training_is_named(self):
        def overwrite(ids):
            with open(ids, "r+b") as file:
                file.seek(16)
                file.write(b"\xff" * (ids.stat().st_size - 16))
        self.end_by_damage(overwrite)

    # Damaged checkpoints

    def test_a_torn_checkpoint_is_named_and_the_one_before_used(self):
        run = self.folder / "run"
        self.succeed(*self.arguments(run, 40))
        newest = self.checkpoint(run, 40)
        for name, left in [("weights.safetensors", 0.5), ("optimizer.safetensors", 0.99), ("manifest.json", 0.5),
                           ("state.json", 0)]:
            with self.subTest(torn=name):
                os.truncate(newest / name, int(left * (newest / name).stat().st_size))
                done = self.succeed(*self.arguments(run, 40))
                self.assert_says(done.stderr, newest / name)
                self.assert_resumed(run, 30)
                self.assertEqual(self.contents(run), {step: self.straight[step] for step in (10, 20, 30, 40)})

    @long_test
    def test_with_all_checkpoints_damaged_it_does_not_start_anew_over_them(self):
        run = self.folder / "run"
        self.succeed(*self.arguments(run, 20))
        for step in (10, 20):
            weights = self.checkpoint(run, step) / "weights.safetensors"
            os.truncate(weights, weights.stat().st_size - 1)
        before = self.files(run / "checkpoints")
        metrics = (run / "metrics.jsonl").read_bytes()
        for how in ("auto", "force"):
            message = self.refuse(1, *self.arguments(run, 40, "--resume", how))
            self.assert_says(message, "step-00000010", "step-00000020", "--run")
        self.assertEqual(self.files(run / "checkpoints"), before)
        self.assertEqual((run / "metrics.jsonl").read_bytes(), metrics)

    # A disk that takes no more

    def test_a_full_disk_at_a_save_loses_nothing(self):
        run = self.folder / "run"
        self.mounted_checkpoints(run, "size=256k")  # two checkpoints fit
        message = self.refuse(1, *self.arguments(run, STEPS))
        self.assert_says(message, self.checkpoint(run, 30), "No space left on device")
        self.assertEqual(self.contents(run), {step: self.straight[step] for step in (10, 20)})
        self.assertEqual([f for f in self.files_below(run) if ".partial" in f], [])

        self.assertEqual(self.remount(run, "size=4m"), 0)
        self.succeed(*self.arguments(run, STEPS))
        self.assert_resumed(run, 20)
        self.assertEqual(self.contents(run)[STEPS], self.straight[STEPS])

    @long_test
    def test_a_disk_that_becomes_read_only_loses_nothing(self):
        run = self.folder / "run"
        self.mounted_checkpoints(run, "size=16m")
        process = self.start(run, "--set", "checkpoint.keep_last=1000")
        self.wait_for(lambda: self.remount(run, "ro") == 0)  # refused while a file is being written
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, said)
        newest = max(self.contents(run))
        self.assert_says(said, "verbund: ", self.checkpoint(run, newest + 10), "Read-only file system")

        self.assertEqual(self.remount(run, "rw"), 0)
        end = newest + 10
        self.succeed(*self.arguments(run, end, "--set", "checkpoint.keep_last=1000"))
        self.assert_resumed(run, newest)
        straight = self.folder / "straight"
        self.succeed(*self.arguments(straight, end, "--set", "checkpoint.keep_last=1000"))
        self.assertEqual(self.contents(run), self.contents(straight))

    # Others at work

    def test_two_processes_in_one_run_folder(self):
        run = self.folder / "run"
        first = self.start(run)
        done = self.run_program(*self.arguments(run, 20), timeout=30)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_says(done.stderr, "verbund: ", run)
        self.assertNotIn("report", done.stderr)
        self.assertFalse((run / "report.html").exists())
        self.assertIsNone(first.poll(), "the first process must not be disturbed")
        first.send_signal(signal.SIGTERM)
        _, said = first.communicate(timeout=60)
        self.assertEqual(first.returncode, 128 + signal.SIGTERM, said)
        # What a killed process leaves behind does not lock anybody out.
        killed = self.start(run)
        killed.kill()
        killed.communicate()
        newest = max(self.contents(run))
        self.succeed(*self.arguments(run, newest + 10))
        self.assert_resumed(run, newest)

    def test_too_little_memory_is_said_before_training(self):
        run = self.folder / "run"
        message = self.refuse(1, *self.arguments(run, STEPS, "--set", "batch.tokens=auto",
                                                 "--set", "batch.memory_limit=5MB"))
        self.assert_says(message, "batch.memory_limit")
        self.assertEqual(list(run.glob("checkpoints/step-*")), [])


if __name__ == "__main__":
    run_tests()
