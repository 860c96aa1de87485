# SPDX-License-Identifier: Apache-2.0
"""verbund report on made runs whose state is known, and on folders that are in a bad one."""

import html.parser
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.made_run import HOSTILE, made_run  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402

QUESTIONS = ["how_good", "fully_trained", "overfitting", "how_long", "learning_rate", "processors", "network", "step_time", "traffic",
             "training_set", "checkpoint_size", "checkpoint_files"]


class Page(html.parser.HTMLParser):
    """The elements of a page; fails if they are not closed in the order in which they were opened."""

    VOID = {"meta", "br", "hr", "img", "link", "input"}

    def __init__(self, text):
        super().__init__()
        self.elements, self.text, self._open = [], "", []
        self.feed(text)
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self._open and self._open[-1] == tag, (tag, self._open)
        self._open.pop()

    def handle_data(self, data):
        self.text += data


class ReportTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = ProgramTest("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.made = made_run(cls.shared.folder / "made")

    def copy(self, name="run"):
        return pathlib.Path(shutil.copytree(self.made, self.folder / name))

    def report(self, run, *arguments):
        """The page of a run, which is well-formed, and what was printed."""
        done = self.succeed("report", run, *arguments)
        return Page((pathlib.Path(run) / "report.html").read_text()), done.stdout

    def verdicts(self, run):
        found = json.loads(self.succeed("report", run, "--json").stdout)
        return {verdict["id"]: verdict for verdict in found["verdicts"]}

    def test_twelve_answers_and_what_follows(self):
        run = self.copy()
        page, printed = self.report(run)
        sections = [attributes.get("id") for tag, attributes in page.elements if tag == "section"]
        verdicts = self.verdicts(run)
        self.assertEqual(list(verdicts), QUESTIONS)
        told = [question for question in QUESTIONS if verdicts[question]["finding"] != "cannot tell"]
        self.assertEqual(sections[:len(told)], told)
        self.assertEqual(verdicts["how_good"]["finding"], "neutral")
        self.assertEqual(verdicts["how_good"]["samples"], [])  # the made sentences do not have the made BLEU
        self.assertEqual(sections[len(told):], ["cannot_tell", "ledger", "curves", "evaluations", "samples", "faults", "configuration", "environment", "commands"])
        self.assert_says(printed, "report.html")
        for verdict in verdicts.values():
            self.assertIn(verdict["sentence"].removeprefix("Cannot tell, because "), page.text)
            self.assertTrue(verdict["rule"], verdict["id"])
        self.assert_says(page.text, "step 400", "50 steps", "schedule.warmup_steps",
                         "launch -H alpha:2,beta:2 -- train --config demo", "AMD EPYC", "verbund prepare --corpus demo")
        self.assert_says((run / "report.md").read_text(), "# run", "1,200", "alpha and beta")

    def test_nothing_is_loaded_and_nothing_runs(self):
        page, _ = self.report(self.copy())
        self.assertFalse({tag for tag, _ in page.elements} & {"script", "link", "img", "iframe", "object", "embed", "form"})
        for tag, attributes in page.elements:
            for name, value in attributes.items():
                self.assertFalse(name.startswith("on") or name in ("src", "style"), (tag, name))
                if name == "href":
                    self.assertTrue(value.startswith("#"), value)

    def test_the_ledger_adds_up(self):
        found = json.loads(self.succeed("report", self.copy(), "--json").stdout)
        ledger = next(s for s in found["sections"] if s["id"] == "ledger")["tables"][0]["rows"]
        parts = {row["use"]: row["time"] for row in ledger}
        whole = parts.pop("all")
        self.assertAlmostEqual(sum(parts.values()), whole, delta=0.01 * whole)
        self.assertAlmostEqual(parts["down between starts"], 37, delta=2)
        self.assertLess(parts.get("unaccounted", 0), 0.01 * whole)

    def test_json_alone_writes_nothing(self):
        run = self.copy()
        self.succeed("report", run, "--json")
        self.assertFalse((run / "report.html").exists())
        self.succeed("report", run, "--json", "--out", self.folder / "out")
        self.assertEqual(self.files_below(self.folder / "out"), ["report.html", "report.md"])

    def test_out(self):
        run = self.copy()
        self.assert_says(self.succeed("report", run, "--out", self.folder / "a" / "b").stdout, "a/b/report.html")
        self.assertFalse((run / "report.html").exists())

    def test_many_events(self):
        """People see some of them, programs all."""
        run = self.copy()
        line = json.loads((run / "history.jsonl").read_text().splitlines()[-1])
        with open(run / "history.jsonl", "a") as file:
            for i in range(20000):
                file.write(json.dumps({**line, "event": "stall", "message": f"worker 1 is silent for {i} s"}) + "\n")
        self.report(run)
        self.assertLess((run / "report.html").stat().st_size, 1_000_000)
        self.assertLess((run / "report.md").stat().st_size, 500_000)
        found = json.loads(self.succeed("report", run, "--json").stdout)
        faults = next(s for s in found["sections"] if s["id"] == "faults")["tables"][0]["rows"]
        self.assertGreaterEqual(len(faults), 20000)

    def test_a_finished_run_that_is_continued_later(self):
        run = self.copy()
        record = json.loads((run / "run.json").read_text())
        stop = record["starts"][0]["stop"]
        record["starts"][0]["stop"] = {"time": stop["last_sign_of_life"], "reason": "finished at step 450"}
        (run / "run.json").write_text(json.dumps(record))
        found = self.verdicts(run)["how_long"]
        figures = {figure["name"]: figure["value"] for figure in found["figures"]}
        self.assertAlmostEqual(figures["not running between starts, not included"], 37, delta=2)
        self.assertNotIn("down between starts", figures)

    def test_a_run_that_goes_on(self):
        run = made_run(self.folder / "running", running=True, resumed=False)
        self.report(run)
        ended = made_run(self.folder / "ended", running=False, resumed=False)
        self.assertNotEqual(self.verdicts(run)["how_long"]["sentence"], self.verdicts(ended)["how_long"]["sentence"])

    def test_hostile_text(self):
        run = made_run(self.folder / "<script>alert(1)</script>", hostile=True, settings={"corpus.name": json.dumps(HOSTILE)})
        page, _ = self.report(run)
        self.assertFalse({tag for tag, _ in page.elements} & {"script", "img"})
        self.assert_says(page.text, "<script>alert(1)</script>", 'document.title="broken"')
        self.assertNotIn("\u202e", page.text)
        markdown = (run / "report.md").read_text()
        self.assertNotIn("<script", markdown)
        self.assertNotIn("\n# \u202e", markdown)

    def test_half_written_ends(self):
        run = self.copy()
        for name in ("metrics.jsonl", "history.jsonl", "exchange.jsonl", "evaluations/step-00001200.jsonl", "evaluations/dev.jsonl"):
            with open(run / name, "r+b") as file:
                file.truncate(file.seek(0, 2) - 7)
        for name in ("steps/rank-1.bin", "resources/rank-0.start-1.bin"):
            with open(run / name, "r+b") as file:
                file.truncate(file.seek(0, 2) - 13)
        page, _ = self.report(run)
        self.assert_says(page.text, "1,200")

    def test_damaged_files(self):
        for name, content in (("metrics.jsonl", b"\xff\x00{]\n{\"step\": \"x\"}\n"), ("history.jsonl", b"[]\n7\nnull\n"),
                              ("steps/rank-0.bin", b"no records"), ("resources/rank-0.start-0.bin", b"VBresrc\n\x01\x00\x00\x00\xff\xff\xff\xff{"),
                              ("exchange.jsonl", b"{\"step\": []}\n"), ("config.yaml", b"model: [1\n"), ("run.json", b"{"),
                              ("evaluations/step-00000600.jsonl", b"{\"tokens\": \"many\"}\n"), ("evaluations/dev.jsonl", b"{}\n")):
            with self.subTest(name):
                run = self.copy(name.replace("/", "-"))
                (run / name).write_bytes(content)
                self.report(run)

    def test_missing_parts(self):
        for name in ("metrics.jsonl", "history.jsonl", "steps", "resources", "exchange.jsonl", "config.yaml", "run.json", "evaluations"):
            with self.subTest(name):
                run = self.copy(name)
                shutil.rmtree(run / name) if (run / name).is_dir() else (run / name).unlink()
                self.report(run)

    def test_a_missing_rank_is_noted(self):
        run = self.copy()
        (run / "steps" / "rank-2.bin").unlink()
        page, _ = self.report(run)
        self.assert_says(page.text, "worker 2 on beta")

    def test_metrics_that_are_no_numbers(self):
        run = made_run(self.folder / "nan", not_finite=range(600, 700), resumed=False)
        page, _ = self.report(run)
        text = (run / "report.html").read_text()
        paths = [attributes["d"] for tag, attributes in page.elements if tag == "path" and "d" in attributes]
        self.assertFalse([d for d in paths if "nan" in d or "inf" in d])
        self.assertIn("<svg", text)

    def test_a_clock_that_was_set_back(self):
        run = self.copy()
        lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        for line in lines[len(lines) // 2:]:
            line["time"] = "2001" + line["time"][4:]
        (run / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.report(run)

    def test_folders_that_are_no_run(self):
        self.assert_says(self.refuse(1, "report", self.folder / "none"), self.folder / "none")
        (self.folder / "empty").mkdir()
        self.assert_says(self.refuse(1, "report", self.folder / "empty"), "verbund train --run")
        (self.folder / "data").mkdir()
        (self.folder / "data" / "dataset.json").write_text("{}")
        self.assert_says(self.refuse(1, "report", self.folder / "data"), "verbund inspect")
        (self.folder / "step-1").mkdir()
        (self.folder / "step-1" / "manifest.json").write_text("{}")
        self.assert_says(self.refuse(1, "report", self.folder / "step-1"), self.folder / "step-1")
        self.assert_says(self.refuse(1, "report", self.write("file", "x")), self.folder / "file")
        self.assert_says(self.refuse(2, "report"), "RUN")

    def test_a_folder_that_cannot_be_written(self):
        run = self.copy()
        (run / "report.html").mkdir()
        self.assert_says(self.refuse(1, "report", run), "report.html")


class ComparisonTest(ProgramTest):
    def compare(self, *runs):
        done = self.succeed("report", *runs, "--out", self.folder / "out")
        page = Page((self.folder / "out" / "comparison.html").read_text())
        found = json.loads(self.succeed("report", *runs, "--json").stdout)
        return page, {verdict["id"]: verdict for verdict in found["verdicts"]}, done.stdout, found

    def test_what_differs_and_which_is_better(self):
        a = made_run(self.folder / "a", resumed=False, steps=600, ranks=2, floor=1.2)
        b = made_run(self.folder / "b", resumed=False, steps=600, ranks=2, floor=3.0, settings={"model.dropout": 0.3})
        page, verdicts, printed, found = self.compare(a, b)
        differences = next(s for s in found["sections"] if s["id"] == "differences")["tables"][0]["rows"]
        self.assertEqual(differences, [{"what": "model.dropout", "a": "0.1", "b": "0.3"}])
        self.assertEqual(verdicts["better_1"]["finding"], "good")
        p = {figure["name"]: figure["value"] for figure in verdicts["better_1"]["figures"]}
        self.assertLess(max(p["p of BLEU"], p["p of chrF"]), 0.05)
        self.assertTrue(verdicts["better_1"]["would_change"])
        self.assert_says(page.text, "BLEU by step", "BLEU by time", "BLEU by tokens")
        self.assert_says(" ".join(printed.split()), verdicts["better_1"]["sentence"], "comparison.html")

    def test_seeds_are_taken_together(self):
        runs = [made_run(self.folder / f"seed{seed}", resumed=False, steps=300, ranks=1, seed=seed) for seed in (1, 2, 3)]
        _, verdicts, _, found = self.compare(*runs)
        self.assertEqual(list(verdicts), ["seeds_1"], "nothing is ranked")
        rows = next(s for s in found["sections"] if s["id"] == "results")["tables"][0]["rows"]
        best = [row["best BLEU"] for row in rows]
        self.assertAlmostEqual(best[3], sum(best[:3]) / 3)

    def test_settings_are_tested_over_seeds(self):
        runs = [made_run(self.folder / f"{name}{seed}", resumed=False, steps=300, ranks=1, seed=seed, floor=floor,
                         settings={"model.dropout": dropout})
                for name, floor, dropout in (("a", 1.2, 0.1), ("b", 3.0, 0.3)) for seed in (1, 2, 3)]
        _, verdicts, _, _ = self.compare(*runs)
        self.assertEqual(list(verdicts), ["better_1", "seeds_1", "seeds_2", "first_difference_3"])
        self.assertEqual(verdicts["better_1"]["finding"], "good")

    def test_the_first_difference(self):
        a = made_run(self.folder / "a", resumed=False, steps=600, ranks=1)
        b = made_run(self.folder / "b", resumed=False, steps=600, ranks=1)
        _, verdicts, _, _ = self.compare(a, b)
        self.assert_says(verdicts["first_difference_1"]["sentence"], "step 600")
        lines = [json.loads(line) for line in (b / "metrics.jsonl").read_text().splitlines()]
        for line in lines:
            if line["step"] >= 330 and "train_loss" in line:
                line["train_loss"] += 1e-9
        (b / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        _, verdicts, _, _ = self.compare(a, b)
        self.assert_says(verdicts["first_difference_1"]["sentence"], "step 320", "step 330", "train_loss")

    def test_without_kept_translations(self):
        a = made_run(self.folder / "a", resumed=False, steps=300, ranks=1)
        b = made_run(self.folder / "b", resumed=False, steps=300, ranks=1, settings={"model.dropout": 0.3})
        shutil.rmtree(b / "evaluations")
        _, verdicts, _, _ = self.compare(a, b)
        self.assertEqual(verdicts["better_1"]["finding"], "cannot tell")

    def test_the_same_run_twice(self):
        a = made_run(self.folder / "a", resumed=False, steps=300, ranks=1)
        self.assert_says(self.refuse(2, "report", a, a), a)


if __name__ == "__main__":
    run_tests()
