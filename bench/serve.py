#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`verbund serve` with 1, 4 and 16 clients, beside `verbund translate` of the same sentences and CTranslate2 behind a
small server (bench/peers/serve.py), in turn in one run: target tokens per second, and the time of an answer.

    .venv/bin/python bench/serve.py runs/multi30k test.en

Each client sends one sentence at a time over one connection. Settings are those of bench/translate.py: fp32, the same
threads, beam, and no length penalty. Ratios are those of each round, of which the median is taken. Fails if an answer
is not that of `translate`, if serve has less than 0.85 of translate's tokens per second with 16 clients, or less than
1.2 times the peer's. Needs scripts/oracles.sh for the peer, which --no-peer leaves out; run it on a machine that does
nothing else. On a busy one, the processor time of the server per token says more: with --threads 1, so that no thread
waits for another, serve against translate.
"""
import argparse
import contextlib
import json
import multiprocessing
import os
import re
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

HERE = Path(__file__).resolve().parent
LONGEST = 256


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

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()


def receive(connection):
    """The body of one answer."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
    while len(body) < length:
        body += connection.recv(65536)
    return body


def client(url, lines, first, step, begin, results):
    """Costs as little as it can, because servers and clients share the processors."""
    place = urllib.parse.urlsplit(url)
    requests = []
    for i in range(first, len(lines), step):
        body = json.dumps({"q": lines[i], "source": "auto", "target": "xx"}).encode()
        requests.append(f"POST /translate HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    connection = socket.create_connection((place.hostname, place.port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    bodies, seconds = [], []
    begin.wait()
    for request in requests:
        asked = time.perf_counter()
        connection.sendall(request)
        bodies.append(receive(connection))
        seconds.append(time.perf_counter() - asked)
    connection.close()
    answers = [json.loads(body) for body in bodies]
    results.put((range(first, len(lines), step),
                 [answer.get("translatedText", str(answer)) for answer in answers], seconds))


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
    answers = {i: text for places, texts, _ in parts for i, text in zip(places, texts, strict=True)}
    return seconds, [answers[i] for i in range(len(lines))], [each for _, _, times in parts for each in times]


def translate(options, text):
    """Target tokens, seconds, processor seconds, translations."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in [options.program, "translate", "-m", options.run, "--benchmark",
                                                  *settings(options)]], input=text, capture_output=True, text=True)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"benchmark: (\d+) target tokens, ([\d.e+-]+) seconds", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"verbund translate ended with code {done.returncode}:\n{done.stderr}")
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return int(found[1]), float(found[2]), cpu, done.stdout.split("\n")[:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("run", type=Path, help="a run or checkpoint folder")
    parser.add_argument("text", type=Path, help="sentences to translate, one a line")
    parser.add_argument("--lines", type=int, default=1000, help="of the text; default: 1000")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3, help="the median of this many is taken; default: 3")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16], help="default: 1 4 16")
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
    loading = translate(options, lines[0] + "\n")[2]
    speeds, cpu, times, wrong = {}, {}, {}, 0
    with contextlib.ExitStack() as stack:
        running = {name: stack.enter_context(Server(command)) for name, command in servers.items()}
        for server in running.values():
            ask(server.url, lines[:options.batch], 4)  # to warm up
        for _ in range(options.rounds):
            tokens, seconds, used, expected = translate(options, text)
            speeds.setdefault("translate", []).append(tokens / seconds)
            cpu.setdefault("translate", []).append((used - loading) / tokens)
            for clients in options.clients:
                for name, server in running.items():
                    before = server.cpu_seconds()
                    seconds, answers, each = ask(server.url, lines, clients)
                    speeds.setdefault((name, clients), []).append(tokens / seconds)
                    cpu.setdefault((name, clients), []).append((server.cpu_seconds() - before) / tokens)
                    times.setdefault((name, clients), []).extend(each)
                    if name == "serve":
                        wrong += sum(ours != right for ours, right in zip(answers, expected, strict=True))

    def ratio(key, other):
        return statistics.median(ours / theirs for ours, theirs in zip(speeds[key], speeds[other], strict=True))

    print(f"{len(lines)} sentences, {tokens} target tokens, {options.threads} threads, beam {options.beam}, fp32; "
          f"medians of {options.rounds} rounds")
    print(f"  translate               {statistics.median(speeds['translate']):8.0f} tokens/s"
          f"{1e6 * statistics.median(cpu['translate']):8.0f} us of CPU a token")
    for clients in options.clients:
        for name in servers:
            key = (name, clients)
            cuts = statistics.quantiles(times[key], n=20)
            print(f"  {name:<12} {clients:>2} client{'s' if clients > 1 else ' '}  {statistics.median(speeds[key]):8.0f} "
                  f"tokens/s{1e6 * statistics.median(cpu[key]):8.0f} us of CPU a token  "
                  f"{ratio(key, 'translate'):5.2f} x translate  p50 {1000 * cuts[9]:7.1f} ms  "
                  f"p95 {1000 * cuts[18]:7.1f} ms")
    print(f"  {wrong} answers of serve are not those of translate")
    most = max(options.clients)
    is_well = wrong == 0 and ratio(("serve", most), "translate") >= 0.85
    if not options.no_peer:
        for clients in options.clients:
            print(f"  {clients:>2} client{'s' if clients > 1 else ' '}: "
                  f"{ratio(('serve', clients), ('CTranslate2', clients)):.2f} x CTranslate2")
        is_well = is_well and ratio(("serve", most), ("CTranslate2", most)) >= 1.2
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
