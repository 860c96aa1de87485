# SPDX-License-Identifier: Apache-2.0
"""`verbund serve`, over real connections: its translations are those of `verbund translate`, whoever else asks."""

import http.client
import json
import pathlib
import re
import signal
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, long_test, run_tests  # noqa: E402
from support.serving import Serving  # noqa: E402


def sentences(count):
    text = (fixtures.dataset() / "test.source.txt").read_text().splitlines()
    return text[:count]


class ServeTest(ProgramTest):
    def expected(self, lines, *arguments, model=None):
        done = self.succeed("translate", "-m", model or fixtures.model(), *arguments,
                            input="".join(line + "\n" for line in lines))
        return done.stdout.splitlines()

    def test_answers_are_those_of_translate(self):
        lines = sentences(60)
        best = self.expected(lines)
        with Serving("-m", fixtures.model()) as server:
            self.assertEqual(server.translate(lines[0]), (200, {"translatedText": best[0]}))
            self.assertEqual(server.translate(lines), (200, {"translatedText": best}))
            self.assertEqual(server.translate("\n".join(lines[:9]) + "\n\n"),
                             (200, {"translatedText": "\n".join(best[:9]) + "\n\n"}))
            self.assertEqual(server.translate_form(q=lines[1]), (200, {"translatedText": best[1]}))
            # n-best, with the number of the line before each
            nbest = [line.split("\t")[1] for line in self.expected(lines[:1], "--nbest", "3")]
            self.assertEqual(server.translate(lines[0], alternatives=2),
                             (200, {"translatedText": nbest[0], "alternatives": nbest[1:]}))
            # a line that is too long for the model
            long_line = " ".join(lines[:20])
            self.assertEqual(server.translate(long_line)[1]["translatedText"], self.expected([long_line])[0])
            status, answer = server.translate(f"<p>{lines[2]}</p>", format="html")
            self.assertEqual((status, answer["translatedText"]), (200, f"<p>{best[2]}</p>"))
            status, answer = server.translate(lines[3], source="auto")
            self.assertEqual((answer["translatedText"], answer["detectedLanguage"]["language"]), (best[3], "en"))
            self.assertEqual(server.ask("GET", "/languages")[2],
                             [{"code": "de", "name": "German", "targets": []},
                              {"code": "en", "name": "English", "targets": ["de"]}])
            self.assertEqual(server.ask("GET", "/health")[2]["status"], "ok")
            self.assertEqual(server.stop(), 0)

    def test_settings_are_those_of_translate(self):
        lines = sentences(8)
        greedy = self.expected(lines, "--set", "decode.beam=1")
        with Serving("-m", f"en-xx={fixtures.model()}", "--set", "decode.beam=1") as server:
            self.assertEqual(server.translate(lines, target="xx"), (200, {"translatedText": greedy}))
            self.assertEqual(server.translate(lines)[0], 400)

    def test_many_clients_get_their_own_answers(self):
        lines = sentences(96)
        best = self.expected(lines)
        wrong = []
        with Serving("-m", fixtures.model()) as server:
            def client(first):
                connection = server.connect()
                for i in range(first, len(lines), 16):
                    if server.translate(lines[i], connection) != (200, {"translatedText": best[i]}):
                        wrong.append(lines[i])

            clients = [threading.Thread(target=client, args=(i,)) for i in range(16)]
            for each in clients:
                each.start()
            for each in clients:
                each.join()
            self.assertEqual(wrong, [])
            figures = server.ask("GET", "/metrics")[2]
            self.assertEqual(int(re.search(r"^verbund_serve_sentences_total (\d+)", figures, re.M)[1]), len(lines))
            steps, of_sentences = (int(re.search(rf"^verbund_serve_{name}_total (\d+)", figures, re.M)[1])
                                   for name in ("steps", "sentence_steps"))
            self.assertGreater(of_sentences, 2 * steps, "some were translated together")

    def test_sentences_are_streamed(self):
        lines = sentences(5)
        best = self.expected(lines)
        with Serving("-m", fixtures.model(), "--batch", "1") as server:
            body = json.dumps({"q": "\n".join(lines), "source": "en", "target": "de"})
            status, headers, text = server.ask("POST", "/translate", body, {
                "Content-Type": "application/json", "Accept": "text/event-stream"})
            self.assertEqual((status, headers.get_content_type()), (200, "text/event-stream"))
            events = [event.split("\n") for event in text.strip().split("\n\n")]
            parts = [json.loads(event[0].removeprefix("data: ")) for event in events[:-1]]
            self.assertEqual([part["translatedText"] for part in parts], best)
            self.assertEqual([part["source"] for part in parts], lines)
            self.assertEqual(events[-1][0], "event: done")
            self.assertEqual(json.loads(events[-1][1].removeprefix("data: ")), {"translatedText": "\n".join(best)})

    def test_a_full_queue_says_so(self):
        lines = sentences(200)
        with Serving("-m", fixtures.model(), "--queue", "1", "--batch", "1") as server:
            statuses = []

            def client():
                connection = server.connect()
                connection.request("POST", "/translate", json.dumps({"q": lines, "source": "en", "target": "de"}),
                                   {"Content-Type": "application/json"})
                answer = connection.getresponse()
                content = json.loads(answer.read())
                statuses.append((answer.status, answer.headers.get("Retry-After"), "error" in content))

            clients = [threading.Thread(target=client) for _ in range(8)]
            for each in clients:
                each.start()
            for each in clients:
                each.join()
            self.assertEqual({status for status, _, _ in statuses}, {200, 429})
            for status, later, has_error in statuses:
                self.assertEqual((status == 429, status == 429), (later is not None and int(later) >= 1, has_error))
        with Serving("-m", fixtures.model(), "--deadline", "0.001") as server:
            self.assertEqual(server.translate(lines)[0], 503)

    def test_a_stop_answers_what_has_come(self):
        lines = sentences(40)
        best = self.expected(lines)
        for number in (signal.SIGTERM, signal.SIGINT):
            answers = []
            with Serving("-m", fixtures.model(), "--batch", "2") as server:
                connections = [server.connect() for _ in range(10)]
                for connection in connections:
                    connection.request("POST", "/translate", json.dumps({"q": lines, "source": "en", "target": "de"}),
                                       {"Content-Type": "application/json"})
                server.process.send_signal(number)
                for connection in connections:
                    answers.append(json.loads(connection.getresponse().read())["translatedText"])
                self.assertEqual(server.process.wait(timeout=60), 0)
                with self.assertRaises(OSError):
                    server.translate("a")
            self.assertEqual(answers, [best] * 10)

    def test_a_new_best_is_used_without_a_pause(self):
        run = self.folder / "run"
        fixtures.copy_of_model(run)
        steps = sorted(path.name for path in (run / "checkpoints").glob("step-*"))
        self.assertGreater(len(steps), 1)
        best = run / "checkpoints" / "best"

        def choose(step):
            link = run / "checkpoints" / "new"
            link.symlink_to(step)
            link.rename(best)

        choose(steps[0])
        lines = sentences(30)
        first = self.expected(lines, model=run)
        last = self.expected(lines, "--checkpoint", steps[-1], model=run)
        self.assertNotEqual(first, last)
        with Serving("-m", run) as server:
            self.assertEqual(server.translate(lines)[1]["translatedText"], first)
            choose(steps[-1])
            seen = []
            deadline = time.monotonic() + 60
            while (not seen or seen[-1] != last) and time.monotonic() < deadline:
                status, answer = server.translate(lines)
                self.assertEqual(status, 200)
                seen.append(answer["translatedText"])
            self.assertEqual(seen[-1], last)
            self.assertTrue(all(each in (first, last) for each in seen), "an answer is of one model")

            # SIGHUP loads what is there, also if it has the same name; a damaged one leaves the old in use.
            step = int(re.search(r'_model_step\{[^}]*\} (\d+)', server.ask("GET", "/metrics")[2])[1])
            self.assertEqual(step, int(steps[-1].removeprefix("step-")))
            (run / "checkpoints" / steps[0] / "weights.safetensors").write_bytes(b"damaged")
            choose(steps[0])
            server.process.send_signal(signal.SIGHUP)
            while not any("cannot be loaded" in line for line in server.log) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(server.translate(lines)[1]["translatedText"], last)
            choose(steps[-1])
            replaced = sum("replaces" in line for line in server.log)
            server.process.send_signal(signal.SIGHUP)
            while sum("replaces" in line for line in server.log) == replaced and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(server.translate(lines)[1]["translatedText"], last)
            self.assertEqual(server.stop(), 0)

    def test_keys_and_foreign_pages(self):
        with Serving("-m", fixtures.model(), environment={"VERBUND_API_KEY": "a secret"}) as server:
            self.assertEqual(server.translate("a")[0], 403)
            self.assertEqual(server.translate("a", api_key="wrong")[0], 403)
            self.assertEqual(server.translate("a", api_key="a secret")[0], 200)
            self.assertEqual(server.ask("GET", "/metrics")[0], 403)
            self.assertEqual(server.ask("GET", "/metrics", headers={"Authorization": "Bearer a secret"})[0], 200)
            self.assertEqual(server.ask("GET", "/health", headers={"Host": "evil.example"})[0], 403)
            self.assertEqual(server.ask("GET", "/health", headers={"Origin": "http://evil.example"})[0], 403)
            self.assertNotIn("a secret", "".join(server.log))

    def test_bad_requests(self):
        with Serving("-m", fixtures.model(), "--max-body", "1000") as server:
            self.assertEqual(server.translate("a", source="xx")[0], 400)
            self.assertEqual(server.ask("POST", "/translate", "{", {"Content-Type": "application/json"})[0], 400)
            self.assertEqual(server.translate("a" * 2000)[0], 413)
            self.assertEqual(server.ask("GET", "/translate")[0], 405)
            self.assertEqual(server.ask("GET", "/../../etc/passwd")[0], 404)

    def test_wrong_calls(self):
        self.refuse(2, "serve")
        self.refuse(2, "serve", "-m", fixtures.model(), "--host", "0.0.0.0", "--port", "0")
        self.refuse(1, "serve", "-m", self.folder / "none", "--port", "0")
        self.refuse(2, "serve", "-m", fixtures.model(), "-m", fixtures.model(), "--port", "0")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.refuse(1, "serve", "-m", fixtures.model(), "--port", taken.getsockname()[1])

    def test_unknown_languages_are_asked_for(self):
        run = self.folder / "run"
        fixtures.copy_of_model(run)
        record = json.loads((run / "run.json").read_text())
        for key in ("source_language", "target_language"):
            del record["dataset"][key]
        record["dataset"]["path"] = str(self.folder / "gone")
        (run / "run.json").write_text(json.dumps(record))
        self.refuse(2, "serve", "-m", run, "--port", "0")
        with Serving("-m", f"aa-bb={run}") as server:
            self.assertEqual(server.translate("a", source="aa", target="bb")[0], 200)

    @long_test
    def test_hours_of_requests_leave_memory_flat_and_nothing_wrong(self):
        """Mixed requests, as many as come in hours, as fast as they are answered; some clients leave, and a stop comes."""
        lines = sentences(200)
        best = self.expected(lines)
        wrong, lost = [], []
        stopping = threading.Event()
        answered = [0] * 8
        with Serving("-m", fixtures.model()) as server:
            def memory():
                status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
                return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

            def client(number):
                connection = server.connect()
                i = number
                while True:
                    i = (i * 7 + 13) % len(lines)
                    size = 1 + i % 5
                    q, expected = lines[i:i + size], best[i:i + size]
                    try:
                        if i % 17 == 0:  # leaves without waiting
                            connection.request("POST", "/translate", json.dumps({"q": q}))
                            connection.close()
                            continue
                        if i % 5 == 0:
                            q, expected = "\n".join(q), "\n".join(expected)
                        status, answer = server.translate(q, connection)
                        if (status, answer) != (200, {"translatedText": expected}):
                            wrong.append((q, status, answer))
                        answered[number] += 1
                    except (OSError, http.client.HTTPException) as problem:
                        if not stopping.is_set():
                            lost.append(problem)
                        return

            clients = [threading.Thread(target=client, args=(i,)) for i in range(8)]
            for each in clients:
                each.start()
            while sum(answered) < 1000:
                time.sleep(0.1)
            early = memory()
            while sum(answered) < 6000:
                time.sleep(0.1)
            late = memory()
            stopping.set()
            self.assertEqual(server.stop(), 0)
            for each in clients:
                each.join()
        self.assertEqual((wrong, lost), ([], []))
        self.assertLess(late, early * 1.1 + 4096, "KB of memory after 1,000 and 6,000 requests")


if __name__ == "__main__":
    run_tests()
