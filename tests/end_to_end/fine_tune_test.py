# SPDX-License-Identifier: Apache-2.0
"""Fine-tuning as a user meets it: train.start_from in all its forms, train --finetune, extra dev sets, and prepare
--like. readme_test.py types what docs/fine-tune.md says."""

import json
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.fixtures import CORPUS, STEPS, training  # noqa: E402
from support.program import PROGRAM, ProgramTest, run_tests  # noqa: E402

FROZEN = {"train__freeze": ".*", "train__eval_every": 0, "evaluate__at_start": "true"}  # a step that changes nothing


def tensors(checkpoint):
    """{name: bytes} of its weights."""
    content = (checkpoint / "weights.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])
    return {name: content[8 + length + entry["data_offsets"][0]:8 + length + entry["data_offsets"][1]]
            for name, entry in header.items() if name != "__metadata__"}


class FineTuneTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.data, cls.model = fixtures.dataset(), fixtures.model()
        # Other text of the same kind: as many pieces, but others.
        cls.other = cls.shared.folder / "other"
        cls.shared.succeed("prepare", *CORPUS, "--set", "seed=2", "--out", cls.other)

    def start_from(self, name, data, start, **more):
        """The run, begun with these weights and frozen."""
        run = self.folder / name
        self.succeed(*training(run, 1, data, train__start_from=start, **FROZEN, **more))
        return run

    @staticmethod
    def first_dev_loss(run):
        metrics = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        return next(line["dev_loss"] for line in metrics if line["step"] == 0 and "dev_loss" in line)

    def weights(self, run):
        return tensors(run / "checkpoints" / "last")

    def test_a_run_a_checkpoint_and_every_name_of_one(self):
        model = fixtures.copy_of_model(self.folder / "model")
        self.succeed("average", "--run", model, "--last", 2)
        places = model / "checkpoints"
        for name, start, checkpoint, expected in [
                ("run", model, "", places / "best"), ("best", model, "best", places / "best"),
                ("average", model, "average", places / "average"),
                ("folder", places / "average", "", places / "average"),
                ("step", model, "step-00000050", places / "step-00000050")]:
            with self.subTest(name):
                run = self.start_from(name, self.data, start, train__start_from_checkpoint=checkpoint)
                self.assertEqual(self.weights(run), tensors(expected))

    def test_another_subword_model_is_refused_with_the_command_that_helps(self):
        run = self.folder / "run"
        call = training(run, 1, self.other, train__start_from=self.model, **FROZEN)
        said = self.refuse(1, *call)
        self.assert_says(said, self.other, self.model, "train.start_from_vocabulary=map")
        (command,) = [shlex.split(line) for line in said.splitlines() if "--like" in line]
        command[-1] = self.folder / "like"  # a folder of this test
        done = subprocess.run([PROGRAM, *command[1:]], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "like" / "joint.model").read_bytes(),
                         (self.model / "source.model").read_bytes())
        self.succeed(*training(run, 1, self.folder / "like", train__start_from=self.model, **FROZEN))
        self.assertEqual(self.weights(run), tensors(self.model / "checkpoints" / "best"))
        # The model knows text of this kind, and now it can read it.
        untrained = self.folder / "untrained"
        self.succeed(*training(untrained, 1, self.folder / "like", **FROZEN))
        self.assertLess(self.first_dev_loss(run), self.first_dev_loss(untrained) - 1)

    def test_pieces_that_both_have_keep_their_rows(self):
        run = self.folder / "run"
        done = self.succeed(*training(run, 1, self.other, train__start_from=self.model, **FROZEN,
                                      train__start_from_vocabulary="map"))
        known, pieces, initialised = map(int, re.search(r"(\d+) of (\d+) pieces .* (\d+) are", done.stderr).groups())
        self.assertEqual((pieces, known + initialised), (fixtures.VOCABULARY, pieces))
        self.assertGreater(known, pieces / 2)
        self.assertGreater(initialised, 0)
        model, now = tensors(self.model / "checkpoints" / "best"), self.weights(run)
        width = len(model["source.embedding"]) // pieces
        rows = {model["source.embedding"][i * width:(i + 1) * width] for i in range(pieces)}
        kept = [now["source.embedding"][i * width:(i + 1) * width] in rows for i in range(pieces)]
        self.assertEqual(sum(kept), known)
        self.assertTrue(all(kept[:4]))  # the special ones
        for name in set(now) - {"source.embedding"}:
            self.assertEqual(now[name], model[name], name)
        # Better than none of it.
        untrained = self.folder / "untrained"
        self.succeed(*training(untrained, 1, self.other, **FROZEN))
        self.assertLess(self.first_dev_loss(run), self.first_dev_loss(untrained) - 0.5)

    def test_it_is_a_new_run_that_resumes_without_the_old_one(self):
        run, old = self.folder / "run", fixtures.copy_of_model(self.folder / "old")
        self.succeed(*training(run, 10, self.data, train__start_from=old))
        self.assertNotEqual(self.weights(run), tensors(old / "checkpoints" / "best"))
        shutil.rmtree(old)
        self.succeed(*training(run, 20, self.data, train__start_from=old))
        self.assertEqual(json.loads((run / "run.json").read_text())["starts"][-1]["step"], 10)
        self.assertLess(20, STEPS)  # the steps are those of the new run

    # train --finetune

    def like(self, name="like"):
        """Other text, prepared for the model."""
        folder = self.shared.folder / name
        if not folder.exists():
            self.shared.succeed("prepare", "--corpus", "demo", "--set", "corpus.generated_pairs=1000", "--set", "seed=2",
                                "--like", self.model, "--out", folder)
        return folder

    def finetune(self, run, steps, model=None, data=None, *more):
        return ["train", "--finetune", model or self.model, "--data", data or self.like(), "--run", run, "--set",
                f"train.max_steps={steps}", "--set", "train.eval_every=10", *more]

    @staticmethod
    def metrics(run):
        return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]

    def test_a_run_is_trained_further_and_both_dev_sets_have_their_curve(self):
        run = self.folder / "tuned"
        done = self.succeed(*self.finetune(run, 20))
        evaluations = {line["step"]: line for line in self.metrics(run) if "dev_bleu" in line}
        self.assertEqual(sorted(evaluations), [0, 10, 20])
        for line in evaluations.values():
            for key in ("dev-model_bleu", "dev-model_chrf", "dev-model_cross_entropy"):
                self.assertIn(key, line)
        # Before the first step it is the model that it began with.
        judged = json.loads(self.succeed("evaluate", "-m", self.model, "--data", self.data, "--split", "dev", "--json",
                                         "--set", "evaluate.sentences=8", "--set", "decode.max_extra=5").stdout)
        self.assertAlmostEqual(evaluations[0]["dev-model_cross_entropy"], judged["cross_entropy"], places=6)
        self.assertAlmostEqual(evaluations[0]["dev-model_bleu"], judged["bleu"]["score"], places=6)
        self.assertNotEqual(evaluations[20]["dev-model_cross_entropy"], evaluations[0]["dev-model_cross_entropy"])
        # The rate: a tenth of the highest of the run, which it reaches at step 50 of its 150.
        before = max(line.get("learning_rate", 0) for line in self.metrics(self.model))
        now = max(line.get("learning_rate", 0) for line in self.metrics(run))
        self.assertAlmostEqual(now, before / 10, delta=before / 1000)
        self.assertEqual(json.loads((run / "run.json").read_text())["starts"][0]["step"], 0)
        self.assertTrue((run / "evaluations" / "dev-model" / "step-00000000.jsonl").exists())
        self.assertIn(str(self.data), done.stderr)
        report = json.loads(self.succeed("report", run, "--json").stdout)
        (verdict,) = [one for one in report["verdicts"] if one["id"] == "fine_tuning"]
        figures = {figure["name"]: figure["value"] for figure in verdict["figures"]}
        self.assertAlmostEqual(figures["BLEU before, model"], evaluations[0]["dev-model_bleu"], places=2)
        self.assertAlmostEqual(figures["BLEU before"], evaluations[0]["dev_bleu"], places=2)
        # What `best` names is a checkpoint of this run.
        self.assertIn((run / "checkpoints" / "best").resolve().name, ("step-00000010", "step-00000020"))

    def test_it_resumes_with_the_same_bits_when_all_that_it_came_from_is_gone(self):
        old = fixtures.copy_of_model(self.folder / "old")
        data = self.folder / "data"
        shutil.copytree(self.data, data)
        record = json.loads((old / "run.json").read_text())
        record["dataset"]["path"] = str(data)
        (old / "run.json").write_text(json.dumps(record))
        whole, parts = self.folder / "whole", self.folder / "parts"
        self.succeed(*self.finetune(whole, 20, old))
        self.succeed(*self.finetune(parts, 10, old))
        shutil.rmtree(old)
        self.succeed(*self.finetune(parts, 20, old))
        self.assertEqual(self.weights(parts), self.weights(whole))
        kept = [{key: value for key, value in line.items() if key.startswith("dev-")} for line in self.metrics(parts)]
        self.assertEqual(kept, [{key: value for key, value in line.items() if key.startswith("dev-")}
                                for line in self.metrics(whole)])
        # The dev set of before is missing as well: the run goes on without it, and says so.
        shutil.rmtree(data)
        self.assert_says(self.succeed(*self.finetune(parts, 30, old)).stderr, data)
        last = self.metrics(parts)[-1]
        self.assertEqual(last["step"], 30)
        self.assertEqual([key for key in last if key.startswith("dev-")], [])
        shutil.copytree(self.data, data)  # it is back
        self.succeed(*self.finetune(parts, 40, old))
        self.assertIn("dev-old_bleu", self.metrics(parts)[-1])

    def test_a_dataset_that_is_gone_leaves_forgetting_unseen(self):
        old = fixtures.copy_of_model(self.folder / "old")
        record = json.loads((old / "run.json").read_text())
        record["dataset"]["path"] = str(self.folder / "gone")
        (old / "run.json").write_text(json.dumps(record))
        run = self.folder / "run"
        self.assert_says(self.succeed(*self.finetune(run, 10, old)).stderr, self.folder / "gone")
        last = self.metrics(run)[-1]
        self.assertIn("dev_bleu", last)
        self.assertEqual([key for key in last if key.startswith("dev-")], [])

    def undeveloped(self):
        """A dataset without dev pairs."""
        pairs = "".join(f"{line}\t{line}\n" for line in (self.data / "dev.source.txt").read_text().splitlines())
        data = self.folder / "undeveloped"
        self.succeed("prepare", "--like", self.model, "--tsv", self.write("pairs.tsv", pairs), "--out", data)
        self.assertFalse((data / "dev.ids").exists())
        return data

    def test_without_dev_pairs_forgetting_is_unseen(self):
        data, run = self.undeveloped(), self.folder / "run"
        self.assert_says(self.succeed(*self.finetune(run, 5, None, data)).stderr, f"forgetting on {self.data}", data)

    def test_a_rule_to_stop_is_left_out_without_dev_pairs(self):
        old = self.folder / "old"
        self.succeed(*training(old, 10, train__eval_every=5, evaluate__stop_on="bleu"))
        data, run = self.undeveloped(), self.folder / "run"
        self.assert_says(self.succeed(*self.finetune(run, 5, old, data)).stderr, "evaluate.stop_on", data)
        wished = self.finetune(self.folder / "wished", 5, old, data, "--set", "evaluate.stop_on=bleu")
        self.assert_says(self.refuse(2, *wished), "evaluate.stop_on", "dev pairs")
        # With dev pairs it holds.
        self.succeed(*self.finetune(self.folder / "kept", 5, old))
        self.assertRegex((self.folder / "kept" / "config.yaml").read_text(), "stop_on: bleu")

    def test_a_run_is_resumed_from_another_folder(self):
        old = fixtures.copy_of_model(self.folder / "old")
        (self.folder / "elsewhere").mkdir()
        run, data = self.folder / "run", self.like()

        def command(steps, start, place, run):
            return subprocess.run([pathlib.Path(PROGRAM).resolve(), *map(str, self.finetune(run, steps, start, data))], cwd=place,
                                  capture_output=True, text=True)

        moved = self.folder / "moved"
        for steps, start, place in ((5, "old", self.folder), (10, "../old", self.folder / "elsewhere"), (15, old, self.folder)):
            done = command(steps, start, place, run)
            self.assertEqual(done.returncode, 0, done.stderr)
        moved.mkdir()
        for folder in (old, run):  # the same command then
            shutil.move(folder, moved)
        done = command(20, "old", moved, moved / "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        record = json.loads((moved / "run" / "run.json").read_text())
        self.assertEqual([start["step"] for start in record["starts"]], [0, 5, 10, 15])

    def test_what_cannot_be_fine_tuned_is_refused(self):
        run = self.folder / "run"
        said = self.refuse(1, *self.finetune(run, 10, None, self.other))
        self.assert_says(said, "--like", self.model, self.other)
        self.refuse(1, *self.finetune(run, 10, self.folder / "no-such-run"))
        self.assert_says(self.refuse(2, *self.finetune(self.folder / "wide", 10, None, None, "--set", "model.d_model=64")),
                         "model.d_model")
        begun = self.folder / "begun"
        self.succeed(*training(begun, 5))
        self.assert_says(self.refuse(2, *self.finetune(begun, 10)), begun)
        gentle = self.folder / "gentle"
        self.succeed(*self.finetune(gentle, 10, None, None, "--set", "model.dropout=0.3", "--set",
                                    "schedule.learning_rate=0.0001", "--set", "train.log_every=1"))
        self.assertEqual(max(line.get("learning_rate", 0) for line in self.metrics(gentle)), 0.0001)

    def test_replay_draws_a_share_from_the_dataset_of_before_and_resumes_with_the_same_bits(self):
        whole, parts = self.folder / "whole", self.folder / "parts"
        done = self.succeed(*self.finetune(whole, 20, None, None, "--replay", 0.25))
        self.assertIn("25 %", done.stderr)
        self.succeed(*self.finetune(parts, 10, None, None, "--replay", 0.25))
        self.succeed(*self.finetune(parts, 20, None, None, "--replay", 0.25))
        self.assertEqual(self.weights(parts), self.weights(whole))
        self.assertRegex((whole / "config.yaml").read_text(), r"weights: \{like: 0.75, dataset: 0.25\}")
        last = [line for line in self.metrics(whole) if "pairs_seen.like" in line][-1]
        seen = {name: last["pairs_seen." + name] for name in ("like", "dataset")}
        self.assertAlmostEqual(seen["dataset"] / sum(seen.values()), 0.25, delta=0.05)
        without = self.folder / "without"
        self.succeed(*self.finetune(without, 20))
        self.assertNotEqual(self.weights(without), self.weights(whole))
        self.assertEqual(self.metrics(without)[0]["dev-model_bleu"], self.metrics(whole)[0]["dev-model_bleu"])

    def test_replay_needs_a_run_and_its_dataset(self):
        run = self.folder / "run"
        self.refuse(2, *training(run, 5), "--replay", 0.2)
        self.refuse(2, *self.finetune(run, 5, None, None, "--replay", 1))
        old = fixtures.copy_of_model(self.folder / "old")
        record = json.loads((old / "run.json").read_text())
        record["dataset"]["path"] = str(self.folder / "gone")
        (old / "run.json").write_text(json.dumps(record))
        self.assert_says(self.refuse(1, *self.finetune(run, 5, old, None, "--replay", 0.2)), self.folder / "gone")
        self.assert_says(self.refuse(1, *self.finetune(run, 5, None, self.other, "--replay", 0.2)), "--like", self.model)

    def test_another_share_is_refused_and_none_is_that_of_the_beginning(self):
        whole, run = self.folder / "whole", self.folder / "run"
        self.succeed(*self.finetune(whole, 20, None, None, "--replay", 0.25))
        self.succeed(*self.finetune(run, 10, None, None, "--replay", 0.25))
        said = self.refuse(1, *self.finetune(run, 20, None, None, "--replay", 0.5))
        self.assert_says(said, "like 75 %, dataset 25 %", "like 50 %, dataset 50 %")
        self.assert_says(self.succeed(*self.finetune(run, 20)).stderr, self.data)
        self.assertEqual(self.weights(run), self.weights(whole))

    def test_a_replayed_dataset_that_has_moved_is_named_again(self):
        old, data = fixtures.copy_of_model(self.folder / "old"), self.folder / "dataset"
        shutil.copytree(self.data, data)
        record = json.loads((old / "run.json").read_text())
        record["dataset"]["path"] = str(data)
        (old / "run.json").write_text(json.dumps(record))
        run = self.folder / "run"
        self.succeed(*self.finetune(run, 5, old, None, "--replay", 0.25))
        (self.folder / "away").mkdir()
        moved = data.rename(self.folder / "away" / "dataset")
        for replay in ([], ["--replay", 0.25]):
            self.assert_says(self.refuse(1, *self.finetune(run, 10, old, None, *replay)), data)
        self.succeed(*self.finetune(run, 10, old, None, "--data", moved))

    def test_replay_from_a_checkpoint_resumes_when_the_model_is_gone(self):
        old, run = fixtures.copy_of_model(self.folder / "old"), self.folder / "run"
        command = lambda steps: self.finetune(  # noqa: E731
            run, steps, old / "checkpoints" / "step-00000050", None, "--replay", 0.25)
        self.succeed(*command(10))
        self.succeed(*command(15))
        shutil.rmtree(old)
        self.succeed(*command(20))
        record = json.loads((run / "run.json").read_text())
        self.assertEqual([start["step"] for start in record["starts"]], [0, 10, 15])
        self.assertEqual(record["dataset"]["folders"], [str(self.like()), str(self.data)])

    def test_corpora_of_one_name_get_numbers(self):
        folder = self.folder / "dataset"
        shutil.copytree(self.like(), folder)  # as the dataset of the model is called
        run = self.folder / "run"
        command = self.finetune(run, 5, None, folder, "--replay", 0.25)
        self.assert_says(self.succeed(*command).stderr, f"dataset-2 (dataset of {self.data})")
        self.succeed(*command, "--set", "train.max_steps=10")
        names = [corpus["name"] for corpus in json.loads((run / "run.json").read_text())["dataset"]["corpora"]]
        self.assertEqual(names, ["dataset", "dataset-2"])

    def test_replay_draws_the_rest_from_all_new_datasets(self):
        more = self.folder / "more"
        self.succeed("prepare", "--corpus", "demo", "--set", "corpus.generated_pairs=500", "--set", "seed=3", "--like",
                     self.model, "--out", more)
        run = self.folder / "run"
        self.succeed(*self.finetune(run, 10, None, None, "--data", more, "--replay", 0.25))
        last = [line for line in self.metrics(run) if "pairs_seen.like" in line][-1]
        seen = {name: last["pairs_seen." + name] for name in ("like", "more", "dataset")}
        for name, share in (("like", 0.5), ("more", 0.25), ("dataset", 0.25)):
            self.assertAlmostEqual(seen[name] / sum(seen.values()), share, delta=0.06)

    def test_a_dev_set_without_a_name_keeps_that_of_its_folder(self):
        old = self.folder / "general"
        data = shutil.copytree(self.data, self.folder / "data" / "general")
        self.succeed(*training(old, 5, evaluate__also=f"[{{data: {data}}}]"))
        run = self.folder / "run"
        self.succeed(*self.finetune(run, 5, old))
        last = self.metrics(run)[-1]
        for name in ("general", "general-old"):
            self.assertIn(f"dev-{name}_bleu", last)

    # evaluate.also

    def test_extra_dev_sets_have_names_of_their_own_and_the_same_subword_model(self):
        run = self.folder / "run"
        also = lambda value: training(run, 5, self.like(), evaluate__also=value)  # noqa: E731
        self.assert_says(self.refuse(1, *also(f"[{{data: {self.other}}}]")), self.other, "subwords.model=")
        self.refuse(2, *also(f"[{{name: a, data: {self.data}}}, {{name: a, data: {self.data}}}]"))
        self.refuse(2, *also(f"[{{name: a/b, data: {self.data}}}]"))
        self.refuse(1, *also("[{data: no-such-folder}]"))
        shutil.rmtree(run, ignore_errors=True)
        self.succeed(*also(f"[{{name: old, data: {self.data}}}, {{name: same, data: {self.like()}}}]"))
        last = self.metrics(run)[-1]
        self.assertEqual(last["dev-same_bleu"], last["dev_bleu"])
        self.assertAlmostEqual(last["dev-same_cross_entropy"], last["dev_cross_entropy"], places=9)
        self.assertNotEqual(last["dev-old_cross_entropy"], last["dev_cross_entropy"])
        # They change nothing of the training.
        plain = self.folder / "plain"
        self.succeed(*training(plain, 5, self.like()))
        self.assertEqual(self.weights(run), self.weights(plain))
        self.assertEqual([key for key in self.metrics(plain)[-1] if key.startswith("dev-")], [])

    def test_each_corpus_of_a_dataset_has_its_own_scores(self):
        pairs = [f"{source}\t{target}\n" for source, target in zip(
            (self.data / "test.source.txt").read_text().splitlines(),
            (self.data / "test.target.txt").read_text().splitlines())]
        for name, part in (("train", pairs[:300]), ("a", pairs[300:320]), ("b", pairs[320:350])):
            self.write(name + ".tsv", "".join(part))
        several = self.folder / "several"
        words = [word for name in ("a", "b") for kind in ("", "-dev", "-test") for word in
                 (f"--add{kind}", f"{name}={self.folder / (name if kind else 'train')}.tsv")]
        self.succeed("prepare", "--like", self.model, *words, "--out", several)
        judge = lambda split: json.loads(self.succeed(  # noqa: E731
            "evaluate", "-m", self.model, "--data", several, "--split", split, "--json").stdout)
        whole, alone = judge("test"), judge("test-b")
        self.assertEqual((whole["sentences"], whole["sets"]["a"]["sentences"], whole["sets"]["b"]["sentences"]), (50, 20, 30))
        self.assertEqual(whole["sets"]["b"]["bleu"], alone["bleu"])
        self.assertEqual(whole["sets"]["b"]["chrf"], alone["chrf"])
        self.assertAlmostEqual(whole["sets"]["b"]["cross_entropy"], alone["cross_entropy"], places=5)
        self.assertNotIn("sets", alone)
        run = self.folder / "run"
        self.succeed(*training(run, 5, several, evaluate__sentences=0))
        last = self.metrics(run)[-1]
        for name in ("a", "b"):
            self.assertIn(f"dev-{name}_bleu", last)
        tokens = {name: whole["sets"][name]["target_tokens"] for name in ("a", "b")}
        mean = sum(last[f"dev-{name}_cross_entropy"] * count for name, count in tokens.items()) / sum(tokens.values())
        self.assertAlmostEqual(mean, last["dev_cross_entropy"], places=5)
        # A part of the sentences is drawn evenly from both, in a fixed order.
        part = self.folder / "part"
        said = self.succeed(*training(part, 5, several, evaluate__sentences=8)).stderr
        self.assert_says(said, "8 of 50", "8 of 20", "8 of 30")
        evaluations = part / "evaluations"
        sources = [json.loads(line)["source"] for line in (evaluations / "dev.jsonl").read_text().splitlines()]
        a, b = (pairs[300:320], pairs[320:350])
        self.assertEqual([line.split("\t")[0] for pair in zip(a, b) for line in pair][:8], sources[:8])
        self.assertEqual(sorted(sources), sorted(line.split("\t")[0] for line in a + b))
        kept = [json.loads(line) for line in (evaluations / "step-00000005.jsonl").read_text().splitlines()]
        self.assertEqual(["translation" in line for line in kept], [True] * 8 + [False] * 42)
        # So are those of another dataset.
        beside = self.folder / "beside"
        self.succeed(*training(beside, 5, self.data, evaluate__also=f"[{{name: x, data: {several}}}]"))
        self.assertEqual((beside / "evaluations" / "dev-x" / "dev.jsonl").read_text(),
                         (evaluations / "dev.jsonl").read_text())
        # A run of an older version, which had one source after the other, keeps that.
        lines = dict(zip(sources, (evaluations / "dev.jsonl").read_text().splitlines(keepends=True)))
        (evaluations / "dev.jsonl").write_text("".join(lines[pair.split("\t")[0]] for pair in a + b))
        self.succeed(*training(part, 10, several, evaluate__sentences=8))
        sources = [json.loads(line)["source"] for line in (evaluations / "dev.jsonl").read_text().splitlines()]
        self.assertEqual(sources, [line.split("\t")[0] for line in a + b])

    # prepare --like

    def prepared(self, name, *more):
        self.succeed("prepare", "--corpus", "demo", "--set", "corpus.generated_pairs=300", *more, "--out",
                     self.folder / name)
        return (self.folder / name / "prepare.yaml").read_text()

    def test_like_takes_over_how_the_dataset_was_made(self):
        self.prepared("data", "--set", "subwords.vocabulary=200", "--set", "clean.max_words=7", "--set",
                      "subwords.joint=false", "--set", "subwords.dropout=0.1", "--set", "subwords.copies=2")
        run = self.folder / "run"
        self.succeed(*training(run, 1, self.folder / "data", model__share_embeddings="none"))
        settings = self.prepared("like", "--like", run, "--set", "seed=3", "--set", "clean.min_words=2")
        for line in ("max_words: 7", "min_words: 2", "dropout: 0.1", "copies: 2"):
            self.assertRegex(settings, rf"(?m)^ *{line}$")
        for side in ("source", "target"):
            self.assertEqual((self.folder / "like" / f"{side}.model").read_bytes(),
                             (run / f"{side}.model").read_bytes())
        shutil.rmtree(self.folder / "data")  # the subword model is the run's own
        settings = self.prepared("without", "--like", run / "checkpoints" / "last")
        self.assertRegex(settings, r"(?m)^ *max_words: 80$")
        for side in ("source", "target"):
            self.assertEqual((self.folder / "without" / f"{side}.model").read_bytes(),
                             (run / f"{side}.model").read_bytes())

    def test_like_a_model_without_a_dataset_reads_no_other_settings(self):
        run = fixtures.copy_of_model(self.folder / "imported")
        record = json.loads((run / "run.json").read_text())
        del record["dataset"]
        (run / "run.json").write_text(json.dumps(record))
        self.write("prepare.yaml", "clean:\n  max_words: 7\n")  # of the current folder, which has nothing to do with it
        shutil.copy(self.data / "dataset.json", self.folder)
        done = self.succeed("prepare", "--corpus", "demo", "--set", "corpus.generated_pairs=300", "--like", run, "--out",
                            self.folder / "like", cwd=self.folder)
        self.assertNotIn("()", done.stderr)
        self.assertRegex((self.folder / "like" / "prepare.yaml").read_text(), r"(?m)^ *max_words: 80$")


if __name__ == "__main__":
    run_tests()
