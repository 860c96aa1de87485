# SPDX-License-Identifier: Apache-2.0
"""Measures verbund board on a folder of many runs, one of them long and growing: the time to the last chart, the CPU
time of an update, memory, and many readers at once (wrk, Debian's package). Fails if an answer is wrong or missing, or
if the readers make the server's memory grow.

    python3 bench/board_load.py [--runs 50] [--steps 300000] [--ranks 8] [--readers 50] [--seconds 60]
                                [--log-every 50]
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
from support.board_server import BoardServer  # noqa: E402

RECORD = struct.Struct("<qdffffffQIfII")  # of steps/rank-N.bin, see docs/formats.md
BEGAN = 1_770_000_000


def record(step, rank):
    compute = 0.40 + 0.02 * ((step * 7 + rank) % 10) / 10
    loss = 8 / (1 + step) ** 0.1
    return RECORD.pack(step, BEGAN + 0.5 * step, 0.5, 0.001, compute, 0.05, 0.03, 0.2, 10**7, 4000, loss, 0, 0)


def metrics_line(step):
    if step % 5000 == 0:
        return json.dumps({"step": step, "dev_cross_entropy": 9 / (1 + step) ** 0.1,
                           "dev_bleu": 30 - 3e5 / (step + 1e4), "dev_chrf": 55 - 3e5 / (step + 1e4),
                           "time": BEGAN + 0.5 * step, "start": 0}) + "\n"
    return json.dumps({"step": step, "epoch": step / 1e4, "train_loss": 8 / (1 + step) ** 0.1,
                       "train_cross_entropy": 8 / (1 + step) ** 0.1 + 0.2 * (step * 2654435761 % 1000) / 1000,
                       "learning_rate": 1e-3 / (1 + step) ** 0.5, "gradient_norm": 0.5, "seconds_per_step": 0.5,
                       "target_tokens_per_second": 64000, "target_tokens": 32000 * step, "workers": 8,
                       "time": BEGAN + 0.5 * step, "start": 0}) + "\n"


def make_run(folder, steps, ranks, log_every):
    (folder / "steps").mkdir(parents=True)
    lines = (metrics_line(step) for step in range(log_every, steps + 1, log_every))
    (folder / "metrics.jsonl").write_text("".join(lines))
    hosts = [{"host": f"host-{rank // 4}", "cores": 4, "workers": [rank + i for i in range(4) if rank + i < ranks]}
             for rank in range(0, ranks, 4)]
    start = {"time": "2026-02-02T02:40:00Z", "step": 0, "command": ["verbund", "train"], "hosts": hosts}
    record_of_run = {"format": "verbund-run", "version": 1, "id": folder.name, "start_count": 1, "dataset": {},
                     "starts": [start]}
    (folder / "run.json").write_text(json.dumps(record_of_run))
    config = f"seed: {len(folder.name)}\ntrain:\n  max_steps: {2 * steps}\n  eval_every: 5000\n"
    (folder / "config.yaml").write_text(config)
    for rank in range(ranks):
        with open(folder / "steps" / f"rank-{rank}.bin", "wb") as file:
            file.write(b"VBsteps\n" + struct.pack("<II", 1, RECORD.size))
            for step in range(1, steps + 1):
                file.write(record(step, rank))


def grow(folder, step, given):
    with open(folder / "metrics.jsonl", "a") as file:
        file.write(metrics_line(step))
    for rank in range(given.ranks):
        with open(folder / "steps" / f"rank-{rank}.bin", "ab") as file:
            file.write(b"".join(record(step - given.log_every + 1 + i, rank) for i in range(given.log_every)))


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1000


CURVES = (("train_cross_entropy", "dev_cross_entropy"), ("dev_bleu", "dev_chrf"), ("learning_rate",),
          ("target_tokens_per_second",), ("gradient_norm",))


def run_page_requests(name):
    """What the browser asks for the first view of a run, without the report's answers."""
    return [("run", [("run", name)]),
            *(("curves", [("run", name), ("buckets", 600), *(("key", key) for key in keys)]) for keys in CURVES),
            ("phases", [("run", name), ("buckets", 150)])]


def run_page(board, name):
    return [board.ask(what, *parameters) for what, parameters in run_page_requests(name)][0]


# Asks for one path after the other, and says in the end how many went wrong.
WRK_SCRIPT = """
local paths = {%s}
local next_path = 0
request = function()
  next_path = next_path %% #paths + 1
  return wrk.format("GET", paths[next_path])
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('{"requests": %%d, "seconds": %%f, "errors": [%%d, %%d, %%d, %%d, %%d], "p50": %%f, "p99": %%f}\\n',
    summary.requests, summary.duration / 1e6, e.connect, e.read, e.write, e.status, e.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
"""


def read_with_wrk(board, folder, given, every_second):
    """What wrk says, and the server's memory after every second in which `every_second` was called."""
    paths = ["/api/runs", *(f"/api/{what}?{urllib.parse.urlencode(parameters)}"
                            for what, parameters in run_page_requests("long"))]
    script = folder / "readers.lua"
    script.write_text(WRK_SCRIPT % ", ".join(json.dumps(path) for path in paths))
    command = ["wrk", "-t", "2", "-c", str(given.readers), "-d", f"{given.seconds}s", "--timeout", "20s", "-s",
               str(script), board.url]
    memory = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as wrk:
        while wrk.poll() is None:
            every_second()
            memory.append(memory_mb(board.process.pid))
            time.sleep(1)
        said = wrk.stdout.read()
    if wrk.returncode != 0:
        sys.exit("wrk failed: " + said)
    return json.loads(said.splitlines()[-1]), memory


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in (("runs", 50), ("steps", 300_000), ("ranks", 8), ("readers", 50), ("seconds", 60),
                        ("log-every", 50)):
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("this benchmark reads with wrk, which is not installed: apt-get install wrk, or scripts/setup.sh --tests")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="verbund-board-"))
    try:
        for number in range(given.runs - 1):
            make_run(folder / f"short-{number:02}", 2000, 2, 50)
        make_run(folder / "long", given.steps, given.ranks, given.log_every)
        with BoardServer(folder) as board:
            measure(board, folder / "long", given)
    finally:
        shutil.rmtree(folder)


def remake_answers(board, run, given, before):
    """The run grows, and its answers are asked for when they may be made again: their time, and that of the CPU."""
    grow(run, given.steps + given.log_every, given)
    time.sleep(max(5, 20 * before["seconds"]) + 1)  # they are made again no sooner
    board.ask("runs")
    spent = cpu_seconds(board.process.pid)
    answer = board.ask("page", run=run.name)
    assert answer["current"] and answer["made_at"] > before["made_at"]
    return answer["seconds"], cpu_seconds(board.process.pid) - spent


def measure(board, run, given):
    pid = board.process.pid

    def timed(work):
        began = time.monotonic()
        result = work()
        return time.monotonic() - began, result

    seconds, answer = timed(lambda: board.ask("runs"))
    assert len(answer["runs"]) == given.runs
    print(f"first page, {given.runs} runs             {seconds:.3f} s")
    seconds, head = timed(lambda: run_page(board, "long"))
    assert head["step"] == given.steps
    print(f"run page, {given.steps} steps x {given.ranks} ranks {seconds:.3f} s")
    seconds, answer = timed(lambda: board.ask("page", run="long"))
    print(f"answers of the report             {seconds:.3f} s")
    print(f"memory                            {memory_mb(pid):.0f} MB")
    seconds, spent = remake_answers(board, run, given, answer)
    print(f"the answers made again            {seconds:.3f} s, {1000 * spent:.0f} ms of CPU")

    step, spent = given.steps + given.log_every, []
    for _ in range(10):
        step += given.log_every
        grow(run, step, given)
        time.sleep(0.6)
        before = cpu_seconds(pid)
        assert run_page(board, "long")["step"] == step
        spent.append(cpu_seconds(pid) - before)
    print(f"an update of the run page         {1000 * sum(spent) / len(spent):.0f} ms of CPU")

    def grow_and_check():
        nonlocal step
        step += given.log_every
        grow(run, step, given)
        time.sleep(0.6)
        assert board.ask("run", run="long")["step"] == step

    told, memory = read_with_wrk(board, run.parent, given, grow_and_check)
    third = max(1, len(memory) // 3)
    before, after = statistics.mean(memory[third:2 * third] or memory), statistics.mean(memory[-third:])
    print(f"{given.readers} readers for {given.seconds} s             {told['requests'] / told['seconds']:.0f} answers/s, "
          f"p50 {told['p50']:.0f} ms, p99 {told['p99']:.0f} ms, {sum(told['errors'])} errors")
    print(f"memory in the second, last third  {before:.0f}, {after:.0f} MB (largest {max(memory):.0f})")
    if sum(told["errors"]) > 0:
        sys.exit("errors of connect, read, write, status, timeout: {}, {}, {}, {}, {}".format(*told["errors"]))
    if after > 1.03 * before + 2:
        sys.exit("memory grows while readers read")


if __name__ == "__main__":
    main()
