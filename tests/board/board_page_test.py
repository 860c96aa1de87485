# SPDX-License-Identifier: Apache-2.0
"""The live page in a real browser: every chart draws, grows while a run trains, and is asked again when zoomed; marks,
comparison, translations, hosts and a box to try the model; dark, phone width, the keyboard alone; hostile text stays
text. Nothing is said on the console, and nothing is requested from elsewhere."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.board_server import BoardServer  # noqa: E402
from support.browser import Browser, CHROMIUM  # noqa: E402
from support.program import PROGRAM, run_tests  # noqa: E402

HOSTILE = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>alert(2)</script>"
EVERY_PAGE = [{}, *({"view": view, "run": "a"} for view in ("run", "translations", "hosts", "try"))]
CONTROLS = "input:not(.dygraph-roller), select, textarea, button, svg, progress"


@unittest.skipIf(CHROMIUM is None, "there is no chromium: scripts/setup.sh --tests")
class PageTest(unittest.TestCase):
    """A server and a browser for all cases; each has a tab of its own, whose console must stay silent."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="verbund-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.make_runs()
        cls.board = BoardServer(cls.folder)
        cls.addClassCleanup(cls.board.process.stdout.close)
        cls.addClassCleanup(cls.board.end)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def make_runs(cls):
        """Two runs that differ in a setting, and a hostile one."""
        fixtures.copy_of_model(cls.folder / "a")
        fixtures.copy_of_model(cls.folder / "b")
        config = cls.folder / "b" / "config.yaml"
        config.write_text(re.sub(r"(?m)^seed: .*$", "seed: 77", config.read_text()))
        history = cls.folder / "a" / "history.jsonl"
        lines = history.read_text().splitlines()
        resume = {**json.loads(lines[0]), "event": "resume", "step": 50, "from_step": 50}
        history.write_text("\n".join([*lines, json.dumps(resume)]) + "\n")

        hostile = fixtures.copy_of_model(cls.folder / HOSTILE)
        pairs = [json.loads(line) for line in (hostile / "evaluations" / "dev.jsonl").read_text().splitlines()]
        pairs[0] = {"source": SCRIPT, "reference": HOSTILE + " \u202eabc"}
        (hostile / "evaluations" / "dev.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
        record = json.loads((hostile / "run.json").read_text())
        record["starts"][-1]["stop"]["reason"] = "stopped by " + SCRIPT
        record["starts"][-1]["hosts"][0]["host"] = HOSTILE
        (hostile / "run.json").write_text(json.dumps(record))
        with open(hostile / "history.jsonl", "a") as file:
            file.write(json.dumps({**resume, "event": "diverged", "reason": SCRIPT}) + "\n")

    def setUp(self):
        self.page = self.browser.open()
        self.addCleanup(self.check_silence)

    def check_silence(self):
        self.page.run("1")  # takes the messages that have come
        self.assertEqual(self.page.messages, [])
        foreign = [url for url in self.page.requests if not url.startswith((self.board.url, "data:", "about:"))]
        self.assertEqual(foreign, [])

    def show(self, **parameters):
        self.page.go(self.board.url + "/#" + urllib.parse.urlencode(parameters))

    def show_run(self, name="a"):
        self.show(view="run", run=name)
        self.page.wait("document.querySelectorAll('.charts .chart[data-drawn]').length === 6")
        self.page.wait("document.querySelectorAll('.parts details').length > 8")  # the page no longer moves

    def texts(self, selector):
        return self.page.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((node) => node.textContent)")

    def chart(self, title):
        """A script's expression for a chart."""
        return ("[...document.querySelectorAll('.chart')]"
                f".find((one) => one.textContent.startsWith({json.dumps(title)}))")


class RunsTest(PageTest):
    def test_the_table_sorts_filters_searches_and_shows_settings_that_differ(self):
        self.page.go(self.board.url)
        self.page.wait("document.querySelectorAll('tbody tr').length === 3")
        heads = self.texts("thead th")
        self.assertIn("seed", heads)
        self.assertNotIn("model.d_model", heads)
        self.assertEqual(self.page.run("document.querySelectorAll('.small-curve polyline').length"), 3)
        self.page.click("thead button[data-key=name]")
        self.assertEqual(self.texts("tbody th"), [HOSTILE, "a", "b"])
        self.page.click("thead button[data-key=name]")
        self.assertEqual(self.texts("tbody th"), ["b", "a", HOSTILE])
        self.assertEqual(self.page.run("document.querySelector('thead [aria-sort=descending]').textContent"), "Run ↓")
        self.page.click("#search")
        self.page.type("seed=77")
        self.assertEqual(self.texts("tbody th"), ["b"])
        self.page.run("document.querySelector('#search').value = ''; "
                      "document.querySelector('#search').dispatchEvent(new Event('input'))")
        self.page.run("document.querySelector('#state').value = 'diverged'; "
                      "document.querySelector('#state').dispatchEvent(new Event('change'))")
        self.assertEqual(self.texts("tbody th"), [HOSTILE])
        self.page.run("document.querySelector('#state').value = ''; "
                      "document.querySelector('#state').dispatchEvent(new Event('change'))")

    def test_runs_that_differ_in_their_seed_are_together(self):
        self.page.go(self.board.url)
        self.page.wait("document.querySelectorAll('tbody tr').length === 3")
        values = {run["name"]: run["best_bleu"] for run in self.board.ask("runs")["runs"]}
        self.page.click("#seeds")
        self.assertEqual(self.page.run("document.querySelectorAll('tbody tr').length"), 4)
        group = self.texts("tbody .group > *")
        self.assertEqual(group[1], "3 seeds")
        self.assertEqual(group[5], f"{values['a']:.4g} ± 0")
        self.page.click("#seeds")
        self.assertEqual(self.page.run("document.querySelectorAll('tbody .group').length"), 0)

    def test_selected_runs_are_compared(self):
        self.page.go(self.board.url)
        self.page.wait("document.querySelectorAll('tbody tr').length === 3")
        self.assertTrue(self.page.run("document.querySelector('.tools button').disabled"))
        for name in "ab":
            self.page.click(f"[aria-label='select {name}']")
        self.page.click(".tools button")
        self.page.wait("document.querySelectorAll('.charts .chart[data-drawn]').length === 4")
        self.page.wait("document.querySelectorAll('.parts details').length > 0")
        self.assertIn("Comparison of 2 runs", self.texts(".kind"))
        self.assertEqual(self.page.run(self.chart("Training loss") + ".chart.answer.series.length"), 2)


class OneRunTest(PageTest):
    def test_every_chart_draws(self):
        self.show_run()
        for title, points in (("Loss", 33), ("BLEU and chrF", 3), ("Learning rate", 30), ("Throughput", 30),
                              ("Gradient norm", 30), ("Step time by phase", 150)):
            chart = self.chart(title)
            self.assertGreaterEqual(int(self.page.run(chart + ".dataset.points")), points - 5, title)
            drawn = self.page.run(  # the canvas has ink
                f"(() => {{ const canvas = {chart}.querySelector('canvas'); "
                "const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; "
                "let ink = 0; for (let i = 3; i < data.length; i += 4) if (data[i] > 40) ++ink; return ink; })()")
            self.assertGreater(drawn, 200, title)
        self.page.wait("document.querySelectorAll('.parts details').length > 11")
        self.page.run("document.querySelectorAll('.parts details').forEach((one) => one.open = true)")
        self.page.wait("[...document.querySelectorAll('.part-body .chart')].every((one) => one.dataset.drawn)")

    def test_a_chart_appears_with_its_first_values(self):
        metrics = fixtures.copy_of_model(self.folder / "late") / "metrics.jsonl"
        self.addCleanup(shutil.rmtree, self.folder / "late")
        lines = metrics.read_text().splitlines(keepends=True)
        metrics.write_text("".join(line for line in lines if "dev_" not in line))
        end = time.monotonic() + 20  # the board looks for new folders every few seconds
        while "late" not in [run["name"] for run in self.board.ask("runs")["runs"]]:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)
        self.show(view="run", run="late")
        self.page.wait("document.querySelectorAll('.charts .chart[data-drawn]').length === 5")
        with open(metrics, "a") as file:
            file.writelines(line for line in lines if "dev_" in line)
        self.page.wait("document.querySelectorAll('.charts .chart[data-drawn]').length === 6")
        self.page.wait(self.chart("BLEU and chrF") + ".dataset.points === '3'")
        self.page.wait(self.chart("Loss") + ".chart.answer.series.some((one) => one.name === 'dev')")
        self.page.go("about:blank")

    def test_zooming_asks_again_at_the_finer_scale(self):
        self.show_run()
        self.page.requests.clear()
        self.page.drag(".charts .chart .plot", 0.4, 0.7)
        self.page.wait(self.chart("Loss") + ".chart.range !== null")
        self.page.wait(self.chart("Loss") + ".dataset.drawn > 1")
        asked = [urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
                 for url in self.page.requests if "from=" in url]
        self.assertTrue(asked)
        self.assertGreater(float(asked[0]["from"][0]), 20)
        self.assertLess(float(asked[0]["to"][0]), 140)
        self.page.click(".charts .chart .quiet")
        self.page.wait(self.chart("Loss") + ".chart.range === null")

    def test_marks_values_and_axes(self):
        self.show_run()
        self.assertIn("resumed from step 50", self.page.run(self.chart("Loss") + ".dataset.marks").split("\n"))
        self.assertTrue(any("resumed from step 50" in text for text in self.texts(".happened li")))
        self.page.hover(".charts .chart .plot", 0.6)
        self.page.wait("/step \\d+ · .*train/.test(document.querySelector('.charts .chart .readout').textContent)")
        for axis in ("time", "tokens"):
            self.page.requests.clear()
            self.page.click(f"#by-{axis}")
            self.page.wait("performance.getEntriesByType('resource').some((one) => one.name.includes('by=%s'))" % axis)
        self.page.wait(self.chart("Loss") + ".chart.graph.xAxisExtremes()[1] > 1000")

    def test_hostile_text_stays_text(self):
        self.page.go(self.board.url)
        self.page.wait("document.querySelectorAll('tbody tr').length === 3")
        self.show_run(HOSTILE)
        self.page.wait("document.querySelectorAll('.parts details').length > 8")
        self.page.run("document.querySelectorAll('.parts details').forEach((one) => one.open = true)")
        self.assertEqual(self.texts("h1"), [HOSTILE])
        self.assertTrue(any(SCRIPT in text for text in self.texts(".happened li")))
        for view in ("translations", "hosts"):
            self.show(view=view, run=HOSTILE)
            self.page.wait("document.querySelector('main').dataset.view === '%s'" % view)
            self.page.wait("document.querySelectorAll('.sentences li, .workers tbody tr').length > 0")
        self.assertEqual(self.page.run("document.querySelectorAll('main img, main script').length"), 0)

    def test_dark_and_phone_width(self):
        self.show_run()
        light = self.page.run("getComputedStyle(document.body).backgroundColor")
        self.page.dark()
        self.page.wait(f"getComputedStyle(document.body).backgroundColor !== {json.dumps(light)}")
        self.page.size(390, 844)
        for parameters in EVERY_PAGE:
            self.show(**parameters)
            self.page.wait("document.querySelector('main h1')")
            time.sleep(0.5)
            self.assertLessEqual(self.page.run("document.documentElement.scrollWidth"), 390, parameters)

    def test_the_keyboard_is_enough(self):
        self.page.go(self.board.url)
        self.page.wait("document.querySelectorAll('tbody tr').length === 3")
        for _ in range(60):
            self.page.press("Tab")
            if self.page.run("document.activeElement.textContent") == "a":
                break
        self.page.press("Enter")
        self.page.wait("document.querySelectorAll('.charts .chart[data-drawn]').length === 6")
        for _ in range(60):
            self.page.press("Tab")
            if self.page.run("document.activeElement.classList.contains('chart')"):
                break
        self.page.press("+")
        self.page.wait("document.activeElement.chart.range !== null")
        before = self.page.run("document.activeElement.chart.range")
        self.page.press("ArrowRight")
        self.assertGreater(self.page.run("document.activeElement.chart.range[0]"), before[0])
        self.page.press("0")
        self.assertIsNone(self.page.run("document.activeElement.chart.range"))
        self.page.wait("document.querySelectorAll('.parts summary').length > 8")
        for _ in range(60):
            self.page.press("Tab")
            if self.page.run("document.activeElement.tagName") == "SUMMARY":
                break
        self.page.press("Enter")
        self.page.wait("document.activeElement.parentNode.open")

    def test_every_control_has_a_name(self):
        for parameters in EVERY_PAGE:
            self.show(**parameters)
            self.page.wait("document.querySelector('main h1')")
            time.sleep(0.5)
            nameless = self.page.run(
                f"[...document.querySelectorAll('{CONTROLS}')].filter((node) => "
                "!(node.getAttribute('aria-label') || node.textContent.trim() && node.tagName === 'BUTTON' || "
                "(node.labels && node.labels.length))).map((node) => node.outerHTML.slice(0, 80))")
            self.assertEqual(nameless, [], parameters)


class OtherPagesTest(PageTest):
    @classmethod
    def make_runs(cls):
        """c has six of a's eight sentences in another order, one translated in another way, and one more; d has
        others."""
        for name in "acd":
            fixtures.copy_of_model(cls.folder / name)
        for file in (cls.folder / "c" / "evaluations").iterdir():
            lines = [json.loads(line) for line in file.read_text().splitlines()[:8]]
            kept = [lines[0], *lines[6:0:-1]]
            if file.name == "dev.jsonl":
                kept[0] = {"source": "something else", "reference": "etwas anderes"}
            elif "translation" in kept[3]:
                kept[3]["translation"] = "quite another translation"
                kept[3]["chrf"] = [25, 25, 25] * 6
            file.write_text("".join(json.dumps(line) + "\n" for line in kept))
        (cls.folder / "d" / "evaluations" / "dev.jsonl").write_text(
            "".join(json.dumps({"source": f"source {i}", "reference": f"reference {i}"}) + "\n" for i in range(1000)))

    def test_translations_are_searched_and_have_a_history(self):
        self.show(view="translations", run="a")
        self.page.wait("document.querySelectorAll('.sentences > li').length === 8")
        self.assertGreater(self.page.run("document.querySelectorAll('.sentences mark').length"), 0)
        word = self.texts(".sentence dd")[0].split()[0]
        self.page.click("#words")
        self.page.type(word)
        self.page.wait("document.querySelectorAll('.sentences > li').length < 8")
        self.page.click(".sentences summary")
        self.page.wait("document.querySelectorAll('.sentences table tbody tr').length === 3")

    def sentences_of(self, count):
        """The boxes of each sentence (source, reference, translation, the other), once there are so many."""
        self.page.wait(f"document.querySelectorAll('.sentences > li').length === {count}")
        return self.page.run("[...document.querySelectorAll('.sentences > li')].map((one) => "
                             "[...one.querySelectorAll('dd')].map((box) => box.textContent))")

    def choose(self, selector, value):
        self.page.run(f"(() => {{ const node = document.querySelector({json.dumps(selector)}); "
                      f"node.value = {json.dumps(value)}; node.dispatchEvent(new Event('change')); }})()")

    def test_two_runs_are_side_by_side_and_the_address_says_which(self):
        self.page.go(self.board.url + "/#view=compare&run=a&run=c")
        self.page.wait("document.querySelector('a[href*=\"with=c\"]')")
        self.page.click("a[href*='with=c']")
        changed = self.board.ask("sentences", ("with", "c"), run="a", order="changed")
        self.assertEqual((changed["here"], changed["there"], changed["shared"]), (8, 7, 6))
        changes = [abs(sentence["chrf"] - sentence["chrf_other"]) for sentence in changed["sentences"]]
        self.assertEqual(changes, sorted(changes, reverse=True))
        shown = [[" ".join(text.split()) for text in (one["source"], one["reference"], one["translation"], one["other"])]
                 for one in changed["sentences"]]
        self.assertEqual(self.sentences_of(6), shown)
        self.assertEqual(shown[0][3], "quite another translation")
        self.assertEqual(self.texts(".sentences > li:first-child .side:last-child .alone"), shown[0][3].split())
        self.assertEqual(self.texts(".sentences > li:first-child dt")[3].split(" ")[0], "c,")
        self.assertRegex(self.texts("[role=status]")[-1], r"\b6\b.*\b8\b.*\b7\b")

        self.page.click("#words")
        self.page.type("QUITE another")
        self.assertEqual(self.sentences_of(1), shown[:1])
        self.choose("#step", "100")
        self.page.wait("location.hash.includes('step=100') && location.hash.includes('search=QUITE')")
        self.page.wait("document.querySelector('.sentences dt .number').parentNode.textContent.includes('step 100')")
        address = self.page.run("location.href")
        before = self.sentences_of(1)
        self.page.go("about:blank")
        self.page.go(address)  # as someone else who was given it
        self.assertEqual(self.sentences_of(1), before)
        self.assertEqual(self.page.run("['with', 'step', 'against', 'order', 'words'].map("
                                       "(id) => document.getElementById(id).value)"),
                         ["c", "100", "150", "changed", "QUITE another"])

    def test_runs_with_different_dev_sets_are_told_so(self):
        self.show(view="translations", run="a", **{"with": "d"})
        self.page.wait("document.querySelector('main [role=status]').textContent.includes('no dev sentence in common')")
        self.assertEqual(self.page.run("document.querySelectorAll('.sentences > li').length"), 0)
        self.choose("#with", "")
        self.sentences_of(8)
        self.show(view="translations", run="a", **{"with": "nothing"})
        self.page.wait("document.querySelector('main [role=status]').textContent.includes('no run nothing')")
        self.assertEqual(self.page.run("document.querySelectorAll('.sentences > li').length"), 0)

    def test_side_by_side_with_the_keyboard_dark_and_on_a_phone(self):
        self.page.dark()
        self.page.size(390, 844)
        self.show(view="translations", run="a")
        self.sentences_of(8)
        self.page.run("document.querySelector('#step').focus()")
        self.page.press("Tab")
        self.page.wait("document.activeElement.id === 'with'")
        self.page.wait("document.activeElement.options.length >= 3")
        self.page.press("c")
        self.sentences_of(6)
        self.assertIn("with=c", self.page.run("location.hash"))
        self.assertLessEqual(self.page.run("document.documentElement.scrollWidth"), 390)
        boxes = self.page.run("[...document.querySelectorAll('.sentences > li:first-child .side')]"
                              ".map((one) => one.getBoundingClientRect().left)")
        self.assertEqual((len(boxes), len(set(boxes))), (3, 1))  # one below the other
        self.page.size(1280, 900)
        lefts = self.page.run("[...document.querySelectorAll('.sentences > li:first-child .side')]"
                              ".map((one) => one.getBoundingClientRect().left)")
        self.assertEqual(len(set(lefts)), 3)  # side by side
        for _ in range(60):
            self.page.press("Tab")
            if self.page.run("document.activeElement.tagName") == "SUMMARY":
                break
        self.page.press("Enter")
        self.page.wait("document.querySelectorAll('.sentences table tbody tr').length === 3")

    def test_hosts(self):
        self.show(view="hosts", run="a")
        self.page.wait("document.querySelectorAll('.workers tbody tr').length === 1")
        self.assertIn(os.uname().nodename, self.texts(".workers tbody td")[0])

    def test_a_translation_is_typed_and_its_alignment_drawn(self):
        self.show(view="try", run="a")
        self.page.wait("document.querySelector('#checkpoint').value === 'best'")
        self.page.click("#text")
        self.page.type("the old man reads a book.")
        self.page.wait("document.querySelectorAll('.nbest li').length === 4")
        self.page.wait("document.querySelectorAll('.lines line').length > 0")

    def test_a_run_that_is_gone_is_told(self):
        gone = fixtures.copy_of_model(self.folder / "gone")
        self.page.go(self.board.url)
        self.page.wait("document.querySelectorAll('tbody tr').length === 4")
        self.show_run("gone")
        shutil.rmtree(gone)
        self.page.wait("document.querySelector('#connection').textContent !== ''")
        self.page.go("about:blank")
        self.page.messages.clear()  # the browser has told of each answer 404


class LiveTest(PageTest):
    @classmethod
    def make_runs(cls):
        pass

    def train(self, steps):
        command = [PROGRAM, *fixtures.training(self.folder / "live", steps, evaluate__at_start="false")]
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_curves_grow_while_a_run_trains_and_a_resume_is_marked(self):
        fixtures.dataset()
        process = self.train(10**6)
        self.page.go(self.board.url)
        self.page.wait("document.querySelectorAll('tbody tr').length === 1", 60)
        self.page.wait("['training', 'evaluating'].includes(document.querySelector('tbody .state').textContent)")
        self.show(view="run", run="live")
        self.page.wait("document.querySelector('.charts .chart[data-drawn]')", 60)
        loss = self.chart("Loss") + ".dataset.points"
        first = int(self.page.wait(loss))
        self.page.wait(f"Number({loss}) > {first + 5}", 60)
        self.page.wait("document.querySelectorAll('.parts details').length > 8", 60)
        self.page.wait("document.querySelector('.facts').textContent.includes('time left')")

        process.send_signal(signal.SIGKILL)
        process.wait()
        self.page.wait("document.querySelector('.kind .state').textContent === 'lost'", 60)
        self.page.wait("document.querySelector('.alert.lost')")
        self.train(10**6)
        self.page.wait("['training', 'evaluating'].includes(document.querySelector('.kind .state').textContent)", 60)
        self.page.wait(self.chart("Loss") + ".dataset.marks.includes('resumed from step')", 60)


if __name__ == "__main__":
    run_tests()
