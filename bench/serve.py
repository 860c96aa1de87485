#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`verbund serve` with 1, 4 and 16 clients, beside `verbund translate` of the same sentences and CTranslate2 behind a
small server (bench/peers/serve.py), in turn in one run: target tokens per second, and the time of an answer.

    .venv/bin/python bench/serve.py runs/multi30k test.en

Each client sends one sentence at a time over one connection. Settings are those of bench/translate.py: fp32, the same
threads, beam, and no length penalty. Fails if an answer is not that of `translate`, if serve has less than 0.85 of
translate's tokens per second with 16 clients, or less than 1.2 times the peer's. Needs scripts/oracles.sh for the peer,
which --no-peer leaves out; run it on a machine that does nothing else.
"""
import argparse
import http.client
import json
import multiprocessing
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

HERE = Path(__file__).resolve().parent
LONGEST = 256
CLIENTS = (1, 4, 16)


def settings(options):
    values = {"threads": options.threads, "decode.beam": options.beam, "decode.length_penalty": 0,
              "decode.max_ratio": 0, "decode.max_extra": LONGEST}
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]


class Server:
    """A server that prints its address; stopped at the end."""

    def __init__(self, command):
        self.process = subprocess.Popen([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        said = ""
        for line in self.process.stdout:
            said += line
            if found := re.search(r"http://\S+", line):
                self.url = found[0]
                return
        sys.exit(f"{command[0]} did not start: {said}")

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()


def client(url, lines, first, step, begin, results):
    place = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname, place.port)
    answers, seconds = {}, []
    begin.wait()
    for i in range(first, len(lines), step):
        asked = time.perf_counter()
        connection.request("POST", "/translate", json.dumps({"q": lines[i], "source": "auto", "target": "xx"}),
                           {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        seconds.append(time.perf_counter() - asked)
        answers[i] = answer.get("translatedText", str(answer))
    results.put((answers, seconds))


def ask(url, lines, clients):
    """Seconds in all, the translations in order, and the seconds of each answer."""
    results, begin = multiprocessing.Queue(), multiprocessing.Event()
    processes = [multiprocessing.Process(target=client, args=(url, lines, i, clients, begin, results))
                 for i in range(clients)]
    for process in processes:
        process.start()
    time.sleep(0.5)  # so that all are there
    began = time.perf_counter()
    begin.set()
    parts = [results.get() for _ in processes]
    seconds = time.perf_counter() - began
    for process in processes:
        process.join()
    answers = {i: text for part, _ in parts for i, text in part.items()}
    return seconds, [answers[i] for i in range(len(lines))], [each for _, times in parts for each in times]


def translate(options, text):
    done = subprocess.run([str(word) for word in [options.program, "translate", "-m", options.run, "--benchmark",
                                                  *settings(options)]], input=text, capture_output=True, text=True)
    found = re.search(r"benchmark: (\d+) target tokens, ([\d.e+-]+) seconds", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"verbund translate ended with code {done.returncode}:\n{done.stderr}")
    return int(found[1]), float(found[2]), done.stdout.split("\n")[:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("run", type=Path, help="a run or checkpoint folder")
    parser.add_argument("text", type=Path, help="sentences to translate, one a line")
    parser.add_argument("--lines", type=int, default=1000, help="of the text; default: 1000")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3, help="the median of this many is taken; default: 3")
    parser.add_argument("--no-peer", action="store_true", help="leaves CTranslate2 out")
    parser.add_argument("--program", type=Path, default=HERE.parent / "build" / "verbund")
    options = parser.parse_args()
    lines = [line for line in options.text.read_text(encoding="utf-8").split("\n") if line.strip()][:options.lines]
    text = "\n".join(lines) + "\n"
    if (load := os.getloadavg()[0]) > 0.5:
        print(f"THE MACHINE IS BUSY (load average {load:.1f}): these times say nothing, only the translations do")

    folder = tempfile.TemporaryDirectory()
    peer = f"{folder.name}/exported"
    servers = {"serve": [options.program, "serve", "-m", f"en-xx={options.run}", "--port", 0, "--batch", options.batch,
                         *settings(options)]}
    if not options.no_peer:
        subprocess.run([options.program, "export", "-m", options.run, "--format", "ctranslate2", "--out", peer, "-q"],
                       check=True)
        servers["CTranslate2"] = [sys.executable, HERE / "peers" / "serve.py", peer, options.threads, options.batch,
                                  options.beam, LONGEST]
    speeds, times, tokens, expected, wrong = {}, {}, 0, None, 0
    for _ in range(options.rounds):
        tokens, seconds, expected = translate(options, text)
        speeds.setdefault("translate", []).append(tokens / seconds)
        for name, command in servers.items():
            with Server(command) as server:
                ask(server.url, lines[:options.batch], 4)  # to warm up
                for clients in CLIENTS:
                    seconds, answers, each = ask(server.url, lines, clients)
                    speeds.setdefault((name, clients), []).append(tokens / seconds)
                    times.setdefault((name, clients), []).extend(each)
                    if name == "serve":
                        wrong += sum(ours != right for ours, right in zip(answers, expected, strict=True))
    print(f"{len(lines)} sentences, {tokens} target tokens, {options.threads} threads, beam {options.beam}, fp32; "
          f"medians of {options.rounds} rounds")
    whole = statistics.median(speeds["translate"])
    print(f"  translate             {whole:8.0f} tokens/s")
    for key, values in speeds.items():
        if key == "translate":
            continue
        name, clients = key
        cuts = statistics.quantiles(times[key], n=20)
        speed = statistics.median(values)
        print(f"  {name:<12} {clients:>2} client{'s' if clients > 1 else ' '} {speed:8.0f} tokens/s  "
              f"{speed / whole:5.2f} x translate  p50 {1000 * cuts[9]:7.1f} ms  p95 {1000 * cuts[18]:7.1f} ms")
    print(f"  {wrong} answers of serve are not those of translate")
    is_well = wrong == 0 and statistics.median(speeds["serve", 16]) >= 0.85 * whole
    if not options.no_peer:
        for clients in CLIENTS:
            ratio = statistics.median(speeds["serve", clients]) / statistics.median(speeds["CTranslate2", clients])
            print(f"  {clients} clients: {ratio:.2f} x CTranslate2")
        is_well = is_well and ratio >= 1.2
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
