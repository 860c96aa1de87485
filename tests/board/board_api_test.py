# SPDX-License-Identifier: Apache-2.0
"""verbund board and its answers: values of a real run, bounds, strangers, hostile folders, runs that change or vanish
while they are watched, and figures for Prometheus."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import dashboard, fixtures  # noqa: E402
from support.board_server import BoardServer  # noqa: E402
from support.made_run import made_run  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402
from support.serving import Serving  # noqa: E402


class BoardTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.runs = self.folder / "runs"
        self.runs.mkdir()

    def start(self, *arguments):
        board = BoardServer(self.runs, *arguments)
        self.addCleanup(board.process.stdout.close)
        self.addCleanup(board.end)
        return board

    def wait_for(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "it does not come true")
            time.sleep(0.1)


class AnswersTest(BoardTest):
    def test_a_run_as_it_is(self):
        fixtures.copy_of_model(self.runs / "a")
        lines = [json.loads(line) for line in (self.runs / "a" / "metrics.jsonl").read_text().splitlines()]
        training = [line for line in lines if "train_cross_entropy" in line]
        bleu = {line["step"]: line["dev_bleu"] for line in lines if "dev_bleu" in line}
        board = self.start()
        (row,) = board.ask("runs")["runs"]
        self.assertEqual((row["name"], row["state"]), ("a", "finished"))
        self.assertEqual((row["step"], row["progress"]), (fixtures.STEPS, 1))
        self.assertAlmostEqual(row["loss"], training[-1]["train_cross_entropy"], 5)
        self.assertAlmostEqual(row["best_bleu"], max(bleu.values()), 4)
        self.assertEqual(row["workers"], 1)

        (curve,) = board.ask("curves", run="a", key="train_cross_entropy")["curves"]
        self.assertEqual(curve["x"], [line["step"] for line in training])
        for shown, line in zip(curve["last"], training):
            self.assertAlmostEqual(shown, line["train_cross_entropy"], 5)
        (some,) = board.ask("curves", run="a", key="train_cross_entropy", **{"from": 50, "to": 60})["curves"]
        self.assertEqual(some["x"], [45, 50, 55, 60, 65])
        (by_tokens,) = board.ask("curves", run="a", key="dev_bleu", by="tokens")["curves"]
        self.assertEqual(by_tokens["x"][-1], training[-1]["target_tokens"])

        (worker,) = board.ask("phases", run="a")["workers"]
        self.assertEqual(len(worker["step"]), fixtures.STEPS)
        (host,) = board.ask("hosts", run="a")["workers"]
        self.assertEqual((host["rank"], host["host"]), (0, os.uname().nodename))
        self.assertGreater(host["waiting"]["compute"], 0)

        page = board.ask("page", run="a")["page"]
        self.assertEqual((page["format"], page["title"]), ("verbund-report", "a"))
        self.assertGreaterEqual(len(page["verdicts"]), 11)
        self.assertEqual(board.end(), 0)

    def test_sentences(self):
        fixtures.copy_of_model(self.runs / "a")
        board = self.start()
        every = board.ask("sentences", run="a")
        self.assertEqual(every["found"], 8)
        self.assertEqual(every["steps"], [50, 100, 150])
        worst = board.ask("sentences", run="a", order="worst")["sentences"]
        scores = [sentence["chrf"] for sentence in worst]
        self.assertEqual(scores, sorted(scores))
        improved = board.ask("sentences", run="a", order="improved", against=50)["sentences"]
        changes = [sentence["chrf"] - sentence["chrf_other"] for sentence in improved]
        self.assertEqual(changes, sorted(changes, reverse=True))
        word = every["sentences"][3]["source"].split()[0]
        for sentence in board.ask("sentences", run="a", search=word.upper())["sentences"]:
            self.assertIn(word.lower(), (sentence["source"] + sentence["reference"] + sentence["translation"]).lower())
        history = board.ask("sentences", run="a", number=3)
        self.assertEqual([one["step"] for one in history["history"]], [50, 100, 150])
        self.assertEqual(history["source"], every["sentences"][3]["source"])
        self.assertEqual(board.request("/api/sentences?run=a&number=99999")[0], 404)

    def test_the_model_answers_as_translate_does(self):
        fixtures.copy_of_model(self.runs / "a")
        board = self.start()
        names = board.ask("checkpoints", run="a")["checkpoints"]
        self.assertIn("best", names)
        text = "the old man reads a book."
        body = json.dumps({"run": "a", "checkpoint": "best", "text": text, "nbest": 3}).encode()
        status, _, answer = board.request("/api/translate", body=body)
        self.assertEqual(status, 200, answer)
        answer = json.loads(answer)
        done = self.succeed("translate", "-m", self.runs / "a", "--checkpoint", "best", "--json", "--nbest", 3,
                            "--alignment", input=text + "\n")
        expected = json.loads(done.stdout.splitlines()[0])
        self.assertEqual([one["text"] for one in answer["translations"]],
                         [one["text"] for one in expected["translations"]])
        self.assertEqual(answer["source_pieces"], expected["source_pieces"])
        self.assertEqual(len(answer["translations"]), 3)
        for wrong in ({"run": "a", "checkpoint": "../best", "text": text},
                      {"run": "b", "checkpoint": "best", "text": text}):
            self.assertEqual(board.request("/api/translate", body=json.dumps(wrong).encode())[0], 404)
        for wrong in ([], {"run": "a"}, {"run": 1, "checkpoint": "best", "text": text}):
            self.assertEqual(board.request("/api/translate", body=json.dumps(wrong).encode())[0], 400)
        long = {"run": "a", "checkpoint": "best", "text": "a" * 3000}
        self.assertEqual(board.request("/api/translate", body=json.dumps(long).encode())[0], 413)

    def test_runs_are_compared(self):
        for name in ("a", "b"):
            fixtures.copy_of_model(self.runs / name)
        config = self.runs / "b" / "config.yaml"
        config.write_text(re.sub(r"(?m)^seed: .*$", "seed: 77", config.read_text()))
        board = self.start()
        answer = board.ask("runs")
        self.assertEqual(answer["settings"], ["seed"])
        self.assertEqual({run["name"]: run["settings"]["seed"] for run in answer["runs"]}, {"a": 1, "b": 77})
        page = board.ask("comparison", ("run", "a"), ("run", "b"))["page"]
        self.assertEqual(page["kind"], "Comparison of 2 runs")
        for query in ("run=a", "run=a&run=a", "run=a&run=" + "&run=".join("abcdefghijklmno")):
            self.assertEqual(board.request("/api/comparison?" + query)[0], 400, query)

    def test_figures_for_prometheus(self):
        fixtures.copy_of_model(self.runs / "a")
        shutil.copytree(self.runs / "a", self.runs / 'b"\\x', symlinks=True)
        board = self.start()
        status, headers, text = board.request("/metrics")
        self.assertEqual(status, 200)
        self.assertTrue(headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0"))
        self.assertTrue(text.endswith("# EOF\n"))
        self.assertIn('verbund_run_state{run="a",state="finished"} 1\n', text)
        self.assertIn(f'verbund_run_step{{run="a"}} {fixtures.STEPS}\n', text)
        self.assertIn('verbund_run_step{run="b\\"\\\\x"}', text)
        self.assertEqual(len(re.findall(r"^# TYPE verbund_dev_bleu gauge$", text, re.M)), 1)
        if shutil.which("promtool"):
            checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_the_dashboard_asks_for_what_is_there(self):
        """A run that trains, with a straggler, has every figure of a run; serve has the others."""
        made_run(self.runs / "live", running=True, resumed=False, steps=600, slowness=1.5,
                 settings={"train.max_steps": 900})
        figures = self.start().request("/metrics")[2]
        with Serving("-m", fixtures.model()) as server:
            server.translate("a")
            figures += server.ask("GET", "/metrics")[2]
        labels = {}
        for name, list_ in re.findall(r"^(verbund_\w+)(?:{(.*)})? \S+$", figures, re.M):
            labels.setdefault(name, set()).update(re.findall(r'(\w+)="', list_))
        asked = list(dashboard.queries())
        self.assertGreater(len(asked), 10)
        for query, legend in asked:
            metrics = dashboard.metrics_of(query)
            self.assertTrue(metrics, query)
            self.assertLessEqual(metrics, labels.keys(), query)
            known = set().union(*(labels[metric] for metric in metrics))
            self.assertLessEqual(dashboard.labels_of(query) | legend, known, query)


class StartTest(BoardTest):
    def test_what_cannot_be_started(self):
        self.refuse(1, "board", "--runs", self.folder / "nothing")
        self.refuse(2, "board", "--port", "70000")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            message = self.refuse(1, "board", "--runs", self.runs, "--port", taken.getsockname()[1])
            self.assert_says(message, taken.getsockname()[1])

    def test_a_folder_without_runs_waits_for_them(self):
        board = self.start()
        self.assertEqual(board.ask("runs")["runs"], [])
        fixtures.copy_of_model(self.runs / "later")
        self.wait_for(lambda: [run["name"] for run in board.ask("runs")["runs"]] == ["later"])

    def test_it_tells_how_to_reach_it(self):
        board = self.start()
        self.assert_says(board.said, f"ssh -N -L {board.port}:127.0.0.1:{board.port}", f"http://127.0.0.1:{board.port}")
        with socket.socket() as other:  # it listens on this machine alone
            other.settimeout(2)
            self.assertNotEqual(other.connect_ex(("127.0.0.2", board.port)), 0)


class StrangersTest(BoardTest):
    def test_other_addresses_need_the_token(self):
        board = self.start("--host", "0.0.0.0")
        (token,) = re.findall(r"\?token=(\w+)", board.said)
        self.assertGreaterEqual(len(token), 32)
        for path in ("/", "/api/runs", "/metrics", "/web/app.js", "/api/runs?token=" + token[:-1]):
            status, _, body = board.request(path)
            self.assertEqual(status, 401, path)
            self.assertNotIn(token, body)
        self.assertEqual(board.request("/api/runs", {"Authorization": "Bearer wrong"})[0], 401)
        self.assertEqual(board.request("/api/runs", {"Authorization": "Bearer " + token})[0], 200)

    def test_pages_of_others_are_refused(self):
        board = self.start()
        for headers in ({"Host": "evil.example"}, {"Host": f"evil.example:{board.port}"},
                        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
            self.assertEqual(board.request("/api/runs", headers)[0], 403, headers)
        self.assertEqual(board.request("/api/runs", {"Origin": board.url})[0], 200)

    def test_pages_have_a_strict_policy(self):
        board = self.start()
        _, headers, _ = board.request("/")
        policy = headers["Content-Security-Policy"]
        for rule in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "connect-src 'self'"):
            self.assertIn(rule, policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")

    def test_no_path_leads_outside(self):
        secret = self.write("secret.txt", "the secret")
        fixtures.copy_of_model(self.runs / "a")
        fixtures.copy_of_model(self.folder / "outside")
        board = self.start()
        spellings = ["../outside", "..%2foutside", "%2e%2e/outside", "%2e%2e%2foutside", "a/../../outside",
                     "..\\outside", "%252e%252e/outside", "....//outside", str(self.folder / "outside"), "/etc", "a%00",
                     ".", "..", "%c0%ae%c0%ae/outside"]
        for name in spellings:
            for what in ("run", "page", "curves", "hosts", "phases", "sentences", "checkpoints"):
                status, _, body = board.request(f"/api/{what}?key=x&run={name.replace(' ', '%20')}")
                self.assertIn(status, (400, 404), (what, name))
                self.assertNotIn("outside", body)
        for path in ("/../secret.txt", "/%2e%2e/secret.txt", "/web/../../secret.txt",
                     "/web/%2e%2e%2f%2e%2e%2fsecret.txt", "/web//etc/passwd", "//etc/passwd",
                     "/etc/passwd", "/web/..%5csecret.txt", str(secret)):
            status, _, body = board.request(path)
            self.assertIn(status, (400, 404), path)
            self.assertNotIn("secret", body.replace("secret.txt", ""))

    def test_links_that_lead_outside_are_not_followed(self):
        secret = self.write("secret.jsonl", '{"step":1,"train_loss":31337}\n')
        fixtures.copy_of_model(self.folder / "outside")
        (self.runs / "linked").symlink_to(self.folder / "outside")
        for name, link, target in (("b", "metrics.jsonl", secret),
                                   ("c", "evaluations", self.folder / "outside" / "evaluations"),
                                   ("d", "config.yaml", "/etc/passwd"), ("e", "run.json", secret)):
            fixtures.copy_of_model(self.runs / name)
            path = self.runs / name / link
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
            path.symlink_to(target)
        board = self.start()
        answer = board.ask("runs")
        self.assertEqual(answer["runs"], [])
        self.assertEqual(sorted(answer["refused"]), ["b", "c", "d", "e", "linked"])
        self.assertNotIn("31337", json.dumps(answer))
        self.assertEqual(board.request("/api/page?run=b")[0], 404)

    def test_wrong_requests_are_refused(self):
        fixtures.copy_of_model(self.runs / "a")
        board = self.start()
        for path, expected in (("/api/curves?run=a", 400), ("/api/curves?run=a&key=x&from=abc", 400),
                               ("/api/curves?run=a&key=x&by=moon", 400), ("/api/nothing?run=a", 404), ("/api/run", 404),
                               ("/api/curves?run=a&key=x&from=nan", 400), ("/api/translate", 405), ("/api/", 404)):
            self.assertEqual(board.request(path)[0], expected, path)
        (curve,) = board.ask("curves", run="a", key="train_loss", buckets=10**9)["curves"]
        self.assertLessEqual(len(curve["x"]), 2000)


class WatchedTest(BoardTest):
    def test_a_run_that_is_truncated_half_written_and_deleted(self):
        fixtures.copy_of_model(self.runs / "a")
        fixtures.copy_of_model(self.runs / "b")
        board = self.start()
        self.assertEqual(len(board.ask("runs")["runs"]), 2)
        board.ask("run", run="a")
        metrics = self.runs / "a" / "metrics.jsonl"
        text = metrics.read_bytes()
        metrics.write_bytes(text[:len(text) // 2])
        (self.runs / "a" / "run.json").write_text('{"format": "verb')
        (self.runs / "a" / "steps" / "rank-0.bin").write_bytes(b"VBst")
        (self.runs / "a" / "evaluations" / "step-00000150.jsonl").write_text('{"tokens": 3')
        half = len([line for line in text[:len(text) // 2].split(b"\n")[:-1] if b"train_loss" in line])

        def points():
            return len(board.ask("curves", run="a", key="train_loss")["curves"][0]["x"])
        self.wait_for(lambda: points() == half)
        for what in ("run", "phases", "hosts", "sentences"):
            board.ask(what, run="a")
        self.assertIn(board.request("/api/page?run=a")[0], (200, 500))
        metrics.write_bytes(text)
        self.wait_for(lambda: points() > half)

        shutil.rmtree(self.runs / "a")
        self.wait_for(lambda: [run["name"] for run in board.ask("runs")["runs"]] == ["b"])
        self.assertEqual(board.request("/api/run?run=a")[0], 404)
        self.assertEqual(board.end(), 0)


if __name__ == "__main__":
    run_tests()
