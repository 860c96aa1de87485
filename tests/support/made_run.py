# SPDX-License-Identifier: Apache-2.0
"""Writes a run folder in the formats of docs/formats.md without training: for tests of the report, and for its cost.

    python3 tests/support/made_run.py FOLDER --steps 300000 --ranks 8 --evaluations 300
"""

import argparse
import json
import math
import pathlib
import random
import struct
import time

BEGAN = 1_763_000_000.0  # a moment in November 2025
HOSTILE = '</td></table></main><script>document.title="broken"</script><img src=x onerror=alert(1)>|`# \u202ehsilgne '
STEP_RECORD = struct.Struct("<qdffffffQIfII")

WORDS_SOURCE = "the a small old red house tree child river sees finds likes builds paints quickly often near under".split()
WORDS_TARGET = "das ein kleine alte rote Haus Baum Kind Fluss sieht findet mag baut malt schnell oft nahe unter".split()


def utc(at):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


class MadeRun:
    """One run whose truth is known: how its loss falls, how long steps take, who is slow, when it was killed."""

    def __init__(self, folder, steps=1200, ranks=4, hosts=("alpha", "beta"), evaluations=12, sentences=60,
                 resumed=True, running=False, hostile=False, seed=1, step_seconds=0.5, slow_rank=1, slowness=1.1,
                 floor=1.6, log_every=10, not_finite=(), resources=True, settings=None):
        self.folder, self.steps, self.ranks, self.hosts = pathlib.Path(folder), steps, ranks, list(hosts)[:ranks]
        self.sentences, self.resumed, self.running, self.hostile = sentences, resumed, running, hostile
        self.step_seconds, self.slow_rank, self.slowness, self.floor = step_seconds, slow_rank, slowness, floor
        self.log_every, self.not_finite, self.resources = log_every, set(not_finite), resources
        self.settings = {"schedule.warmup_steps": max(1, steps // 10), "seed": seed, **(settings or {})}
        self.eval_every = max(1, steps // max(1, evaluations))
        self.save_every = self.eval_every
        self.random = random.Random(seed)
        self.noise = [self.random.gauss(0, 1) for _ in range(4096)]

    def host_of(self, rank):
        return self.hosts[rank * len(self.hosts) // self.ranks]

    def loss(self, step):
        return self.floor + 6.2 * (step + 30) ** -0.33 * 30 ** 0.33 * 0.9

    def rate(self, step):
        """transformer_policy with d_model 256 and factor 2."""
        return 2 * 256 ** -0.5 * min(step ** -0.5, step * self.settings["schedule.warmup_steps"] ** -1.5)

    def write(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "steps").mkdir(exist_ok=True)
        self._plan()
        self._write_steps()
        self._write_metrics()
        self._write_history()
        self._write_record()
        self._write_config()
        self._write_sentences()
        self._write_exchange()
        if self.resources:
            self._write_resources()
        (self.folder / "log.txt").write_text(f"{utc(self.ended)}  {'step' if self.running else 'finished'}\n")
        return self.folder

    def _plan(self):
        """The steps in the order in which they were computed: (first, last, start, when the start began)."""
        died = (self.steps * 2 // 5 // self.save_every) * self.save_every + self.save_every // 2
        saved = died // self.save_every * self.save_every
        self.starting, self.down = 4.0, 37.0
        self.parts, self.began_of, at = [], {}, BEGAN + self.starting
        self.events = [(BEGAN, "start", 0, 0, {"workers": self.ranks, "hosts": self.hosts, "command": self._command()}),
                       (at, "ready", 0, 0, {"seconds": self.starting})]
        for rank in range(1, self.ranks):
            self.events.append((BEGAN + 1, "clock", 0, 0, {"worker": rank, "offset": 0.0012 * rank, "bound": 0.0002}))
        if self.resumed and 0 < saved < died < self.steps:
            at = self._plan_part(1, died, 0, at)
            self.killed = at
            at += self.down
            self.events.append((at, "resume", saved, 1, {"workers": self.ranks, "hosts": self.hosts, "command": self._command(),
                                                         "from_step": saved, "lost_steps": died - saved}))
            at += self.starting
            self.events.append((at, "ready", saved, 1, {"seconds": self.starting}))
            self.resumed_at = saved
            at = self._plan_part(saved + 1, self.steps, 1, at)
        else:
            self.resumed = False
            at = self._plan_part(1, self.steps, 0, at)
        self.ended = at
        if not self.running:
            self.events.append((at, "finish", self.steps, len(self.parts) - 1, {"reason": f"finished at step {self.steps}"}))

    def _plan_part(self, first, last, start, at):
        self.parts.append((first, last, start))
        for step in range(first, last + 1):
            self.began_of[step, start] = at
            at += self._seconds(step) + 0.0005
            if step % self.eval_every == 0:
                self.events.append((at + 3, "evaluation", step, start, {"seconds": 3.0, "began": at}))
                at += 3
            if step % self.save_every == 0:
                self.events.append((at + 0.2, "save", step, start, {"seconds": 0.2, "began": at, "bytes": 30_000_000}))
                at += 0.2
        return at

    def _jitter(self, step, rank):
        return self.noise[(step * 31 + rank * 977) % 4096]

    def _compute(self, step, rank):
        slow = self.slowness if rank == self.slow_rank else 1
        return 0.7 * self.step_seconds * slow * (1 + 0.03 * self._jitter(step, rank))

    def _seconds(self, step):
        return max(self._compute(step, rank) for rank in range(self.ranks)) + 0.25 * self.step_seconds

    def _write_steps(self):
        pack = STEP_RECORD.pack
        for rank in range(self.ranks):
            with open(self.folder / "steps" / f"rank-{rank}.bin", "wb") as file:
                file.write(b"VBsteps\n" + struct.pack("<II", 1, 64))
                for first, last, start in self.parts:
                    records = []
                    for step in range(first, last + 1):
                        compute, seconds = self._compute(step, rank), self._seconds(step)
                        waited, update = 0.002 * self.step_seconds, 0.05 * self.step_seconds
                        exposed = seconds - compute - waited - update - 0.0005
                        records.append(pack(step, self.began_of[step, start], seconds, waited, compute,
                                            exposed if self.ranks > 1 else 0.0, update, 0.2 * self.step_seconds,
                                            15_000_000 if self.ranks > 1 else 0, 3000 // self.ranks,
                                            self.loss(step) + 0.2 * self._jitter(step, rank), start, 1 if step <= 20 else 0))
                    file.write(b"".join(records))

    def _start_of(self, step):
        return 1 if self.resumed and step > self.resumed_at else 0

    def _write_metrics(self):
        lines = []
        for step in range(0, self.steps + 1):
            start = self._start_of(step)
            at = self.began_of.get((step, start), BEGAN + self.starting)
            if step > 0 and step % self.log_every == 0:
                loss = self.loss(step) + 0.08 * self._jitter(step, 9)
                if step in self.not_finite:
                    loss = "NaN"
                lines.append({"step": step, "epoch": step * 3000 / 400_000, "train_loss": loss, "train_cross_entropy": loss,
                              "train_accuracy": 0.5, "learning_rate": self.rate(step),
                              "gradient_norm": 0.8 + 0.2 * abs(self._jitter(step, 5)),
                              "seconds_per_step": self._seconds(step), "target_tokens_per_second": 3000 / self._seconds(step),
                              "training_seconds": at - BEGAN, "workers": self.ranks, "start": start, "time": utc(at)})
            if step % self.eval_every == 0:
                loss = self.loss(max(step, 1)) + 0.01 * self._jitter(step, 3)
                line = {"step": step, "dev_loss": loss + 0.1, "dev_cross_entropy": loss, "evaluation_seconds": 3.0,
                        "averaged_weights": False, "start": start, "time": utc(at + 3),
                        "probe_loss": loss, "probe_cross_entropy": loss - 0.02 - 0.1 * step / self.steps}
                if step > 0:
                    quality = max(0.0, 62 - 14 * loss)
                    line.update({"dev_bleu": quality, "dev_chrf": 0.9 * quality + 22, "dev_exact_sentences": quality / 300,
                                 "dev_bleu_signature": "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"})
                lines.append(line)
        self._lines("metrics.jsonl", lines)

    def _lines(self, name, objects):
        with open(self.folder / name, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)

    def _write_history(self):
        self._lines("history.jsonl", [{"time": utc(at), "at": at, "event": event, "rank": 0, "host": self.hosts[0], "step": step,
                                       "start": start, **details} for at, event, step, start, details in self.events])

    def _command(self):
        return ["verbund", "train", "--config", "demo", "--data", "data/demo", "--run", f"runs/{self.folder.name}"]

    def _hosts_json(self):
        return [{"host": host, "processor": "AMD EPYC 9R14" + (HOSTILE if self.hostile else ""), "cores": 2,
                 "memory_bytes": 8_000_000_000, "system": "Linux 6.1.0-13-amd64", "device": "cpu", "kernels": "avx512",
                 "precision": "fp32",
                 "threads_per_worker": 1, "workers": [r for r in range(self.ranks) if self.host_of(r) == host]}
                for host in self.hosts]

    def _write_record(self):
        side = {"tokens": 400_000, "average_length": 10.0, "longest": 40, "unknown": 0, "unknown_rate": 0.0}
        statistics = {"clean": {"pairs_before": 40000, "pairs_after": 40000, "source_bytes_before": 1_900_000, "source_bytes_after": 1_900_000,
                                "target_bytes_before": 2_100_000, "target_bytes_after": 2_100_000},
                      "splits": {"train": {"pairs": 40000, "source": side, "target": side}}}
        starts = []
        for first, _, start in self.parts:
            event = next(e for e in self.events if e[1] in ("start", "resume") and e[3] == start)
            starts.append({"time": utc(event[0]), "folder": str(self.folder), "program": "verbund 0.1.0 (commit 0123456789)",
                           "command": self._command(), "mpi": "Open MPI v4.1.4", "step": first - 1, "dataset": "0" * 32,
                           "hosts": self._hosts_json()})
        if len(starts) > 1:
            starts[0]["stop"] = {"reason": "killed, or the machine went down", "last_sign_of_life": utc(self.killed)}
        if not self.running:
            starts[-1]["stop"] = {"time": utc(self.ended), "reason": f"finished at step {self.steps}"}
        record = {"format": "verbund-run", "version": 1, "id": f"{utc(BEGAN)}-{self.hosts[0]}-0badcafe", "start_count": len(starts),
                  "dataset": {"path": "/data/demo", "checksum": "0" * 32, "statistics": statistics,
                              "provenance": {"program": "verbund 0.1.0", "command": ["verbund", "prepare", "--corpus", "demo", "--out", "data/demo"]}},
                  "starts": starts}
        (self.folder / "run.json").write_text(json.dumps(record, indent=2) + "\n")

    def _write_config(self):
        sections = {"model": {"encoder_layers": 3, "decoder_layers": 3, "d_model": 256, "heads": 4, "d_ff": 1024},
                    "batch": {"tokens": 3000}, "train": {"max_steps": self.steps, "eval_every": self.eval_every, "log_every": self.log_every},
                    "checkpoint": {"save_every_steps": self.save_every}}
        plain = {}
        for key, value in self.settings.items():
            section, _, name = key.rpartition(".")
            (sections.setdefault(section, {}) if section else plain)[name] = value
        text = "".join(f"{key}: {value}\n" for key, value in plain.items())
        for section, values in sections.items():
            text += f"{section}:\n" + "".join(f"  {key}: {value}\n" for key, value in values.items())
        (self.folder / "config.yaml").write_text(text)

    def _write_sentences(self):
        evaluations = self.folder / "evaluations"
        evaluations.mkdir(exist_ok=True)
        chooser = random.Random(7)
        pairs = []
        for i in range(self.sentences):
            places = [chooser.randrange(len(WORDS_SOURCE)) for _ in range(chooser.randint(4, 14))]
            pairs.append(([WORDS_SOURCE[p] for p in places], [WORDS_TARGET[p] for p in places]))
        hostile = HOSTILE if self.hostile else ""
        self._lines("evaluations/dev.jsonl", [{"source": " ".join(s) + hostile, "reference": " ".join(t) + hostile} for s, t in pairs])
        for step in range(0, self.steps + 1, self.eval_every):
            level, lines = self.loss(max(step, 1)), []
            for i, (_, reference) in enumerate(pairs):
                tokens = len(reference) + 1
                loss = max(0.05, level * (0.5 + i / self.sentences) + 0.1 * self._jitter(step, i))
                if i == 5:  # forgotten
                    loss = self.floor + 2.5 * step / self.steps
                line = {"cross_entropy": loss * tokens, "tokens": tokens}
                if step > 0:
                    words = list(reference)
                    for place in range(len(words)):
                        if chooser.random() < min(0.9, loss / 8):
                            words[place] = chooser.choice(WORDS_TARGET)
                    right = sum(a == b for a, b in zip(words, reference))
                    n = len(words)
                    line = {"translation": " ".join(words) + hostile, **line,
                            "bleu": [n, n] + [max(0, right - k) for k in range(4)] + [max(0, n - k) for k in range(4)],
                            "chrf": [v for k in range(6) for v in (5 * n - k, 5 * n - k, max(0, 5 * right - k))]}
                lines.append(line)
            self._lines(f"evaluations/step-{step:08d}.jsonl", lines)

    def _write_exchange(self):
        if self.ranks == 1:
            return
        lines = []
        for first, last, start in self.parts:
            for step in range(first, last + 1):
                if step <= 20 or step % (10 if step <= 1000 else 100) != 0:
                    continue
                for rank in range(self.ranks):
                    compute, seconds = self._compute(step, rank), self._seconds(step)
                    ready = [compute * (0.5 + 0.5 * (i + 1) / 4) for i in range(4)]
                    slowest = max(self._compute(step, r) for r in range(self.ranks)) / compute
                    end, buckets = 0.0, []
                    for moment in ready:
                        begin = max(end, moment)
                        end = max(begin, moment * slowest) + 0.05 * self.step_seconds
                        buckets.append([begin if begin == moment else moment, begin, end, 3_750_000])
                    lines.append({"step": step, "start": start, "rank": rank, "began": self.began_of[step, start], "compute": compute,
                                  "exposed": end - compute, "seconds": seconds, "buckets": buckets})
        self._lines("exchange.jsonl", lines)

    def _write_resources(self):
        (self.folder / "resources").mkdir(exist_ok=True)
        for rank in range(self.ranks):
            for first, last, start in self.parts:
                names = ["process.cpu_user", "process.cpu_system", "process.memory_bytes", "clock.offset", "clock.bound"]
                leads = rank == next(r for r in range(self.ranks) if self.host_of(r) == self.host_of(rank))
                if leads:
                    names += ["host.cpu_user", "host.cpu_steal", "host.cpu_idle", "host.pressure_cpu", "net.eth0.sent_bytes", "net.eth0.received_bytes"]
                header = json.dumps({"rank": rank, "host": self.host_of(rank), "start": start,
                                     "columns": [{"name": n, "unit": "", "meaning": ""} for n in names]}).encode()
                row = struct.Struct(f"<d{len(names)}f")
                values = [0.9, 0.05, 4e8, 0.0012 * rank, 0.0002] + ([1.8, 0.01, 0.1, 0.02, 3e7, 3e7] if leads else [])
                began = self.began_of[first, start]
                seconds = int(self.began_of[last, start] - began)
                with open(self.folder / "resources" / f"rank-{rank}.start-{start}.bin", "wb") as file:
                    file.write(b"VBresrc\n" + struct.pack("<II", 1, len(header)) + header)
                    file.write(b"".join(row.pack(began + i, values[0] + 0.02 * self._jitter(i, rank), *values[1:]) for i in range(1, seconds)))


def made_run(folder, **options):
    return MadeRun(folder, **options).write()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--evaluations", type=int, default=12)
    parser.add_argument("--sentences", type=int, default=60)
    parser.add_argument("--log-every", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--straight", action="store_true", help="never killed")
    parser.add_argument("--running", action="store_true")
    parser.add_argument("--hostile", action="store_true")
    options = parser.parse_args()
    made_run(options.folder, steps=options.steps, ranks=options.ranks, evaluations=options.evaluations, sentences=options.sentences,
             log_every=options.log_every, seed=options.seed, resumed=not options.straight, running=options.running, hostile=options.hostile)


if __name__ == "__main__":
    main()
