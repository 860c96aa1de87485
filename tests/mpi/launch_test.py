# SPDX-License-Identifier: Apache-2.0
"""verbund launch with the real mpirun: whose lines are shown how, what is started again and what is not, hosts that do
not answer. The workers are a small script here, and other hosts are this machine under another name."""

import fcntl
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.host_agent import AGENT  # noqa: E402
from support.program import ProgramTest, long_test, run_tests  # noqa: E402
from support.screen import TerminalRun, width  # noqa: E402
from support.terminal import Terminal  # noqa: E402

# worker.py FOLDER WHAT [RANK]: notes its start in FOLDER/starts.RANK, then does WHAT if it is worker RANK (0), and
# sleeps in all other cases.
WORKER = f"""#!{sys.executable}
import os, pathlib, signal, sys, time
rank, folder, what = int(os.environ["OMPI_COMM_WORLD_RANK"]), pathlib.Path(sys.argv[1]), sys.argv[2]
chosen = rank == int((sys.argv + ["0"])[3])
with open(folder / f"starts.{{rank}}", "a") as file:
    start = file.tell() + 1
    file.write("x")
size = int(os.environ["OMPI_COMM_WORLD_SIZE"])
(folder / f"size.{{start}}").write_text(str(size))
while chosen and any(not (f := folder / f"starts.{{r}}").exists() or f.stat().st_size < start for r in range(size)):
    time.sleep(0.01)  # nobody is ended by our end before the start is noted

def say(text):
    os.write(2, (text + "\\n").encode())

REQUESTS = {{signal.SIGUSR1: signal.SIGTERM, signal.SIGUSR2: signal.SIGINT, signal.SIGALRM: signal.SIGHUP}}

def leave(number, frame):
    (folder / f"asked.{{rank}}").write_text(str(int(REQUESTS[number])))
    if rank == 0:
        say("saved")
    time.sleep(0.3)  # both leave at about the same time, as if they had saved together
    sys.exit(128 + REQUESTS[number])

def stay():
    say(f'\\x1d{{{{"event":"started","worker":{{rank}}}}}}')
    (folder / f"process.{{rank}}").write_text(str(os.getpid()))
    time.sleep(60)
    sys.exit(9)

if what == "print":
    for part in ("he", "llo ", "from ", f"{{rank}}\\n"):
        os.write(2, part.encode())
        time.sleep(0.02)
    os.write(1, f"result {{rank}} {{os.environ.get('VERBUND_TEST')}} {{os.getcwd()}}\\n".encode())
elif what == "status":
    wants_status = "status" in os.environ.get("VERBUND_TERMINAL", "").split(",")
    for done in range(5):
        say(f"\\x1e{{done / 4}} worker {{rank}} has done {{done}} of 4" if wants_status else "plain")
        time.sleep(0.05)
    say(f"a line of {{rank}}")
elif what == "stop":
    for number in REQUESTS:
        signal.signal(number, leave)
    stay()
elif what == "late":
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # as mpirun loses it
    (folder / f"process.{{rank}}").write_text(str(os.getpid()))
    time.sleep(1 + rank)
    for number in REQUESTS:
        signal.signal(number, leave)
    stay()
elif what == "never":
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    (folder / f"late.{{rank}}").write_text("x")
    time.sleep(60)
elif what == "connect":
    for event in ("started", "connecting") + (("connected",) if rank == 0 else ()):
        say(f'\\x1d{{{{"event":"{{event}}","worker":{{rank}}}}}}')
    time.sleep(60)
elif what == "chatter":
    for number in REQUESTS:
        signal.signal(number, leave)
    say(f'\\x1d{{{{"event":"started","worker":{{rank}}}}}}')
    while True:
        say("a line that nobody reads")
elif what == "stubborn":
    for number in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    stay()
elif what == "once" and start > 1:
    sys.exit(0)
elif chosen and what in ("kill", "once"):
    os.kill(os.getpid(), signal.SIGKILL)
elif chosen and what.startswith("exit"):
    sys.exit(int(what[4:]))
elif what == "hang":
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if start > 1:
        sys.exit(0)
    if chosen:
        say("somebody is not there any more")
        if "records" in os.environ["VERBUND_TERMINAL"].split(","):
            say('\\x1d{{"event":"lost_worker","worker":1}}')
    stay()
else:
    stay()
"""


@unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
class LaunchTest(ProgramTest):
    def setUp(self):
        super().setUp()
        for name, content in (("worker.py", WORKER), ("agent", AGENT)):
            self.write(name, content).chmod(0o755)
        self.environment = {"VERBUND_LAUNCH_PROGRAM": str(self.folder / "worker.py")}

    def arguments(self, options, *worker):
        # Workers that are to end get no time to: else mpirun waits twice as long every time.
        return ["launch", *options.split(), "--mpirun-args=--mca odls_base_sigkill_timeout 0", "--", self.folder,
                *worker]

    def launch(self, options, *worker):
        return self.run_program(*self.arguments(options, *worker), env=self.environment, timeout=120, cwd=self.folder)

    def start(self, options, *worker):
        process = subprocess.Popen(self.command(*self.arguments(options, *worker)),
                                   env={**os.environ, **self.environment}, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.stderr.closed or process.communicate())
        self.addCleanup(process.kill)
        return process

    def starts(self, rank):
        path = self.folder / f"starts.{rank}"
        return len(path.read_text()) if path.exists() else 0

    def wait_for_files(self, *names):
        end = time.monotonic() + 20
        while not all((self.folder / name).exists() and (self.folder / name).read_text() for name in names):
            self.assertLess(time.monotonic(), end, f"waited in vain for {names}")
            time.sleep(0.02)

    def is_alive(self, rank):
        process = (self.folder / f"process.{rank}").read_text()
        try:
            status = pathlib.Path("/proc", process, "status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return False
        return "State:\tZ" not in status  # dead, not yet collected

    def mpirun_of(self, rank):
        worker = (self.folder / f"process.{rank}").read_text()
        return int(pathlib.Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[1])

    def assert_gone(self, *ranks, seconds=0):
        end = time.monotonic() + seconds
        while any(map(self.is_alive, ranks)) and time.monotonic() < end:
            time.sleep(0.02)
        for rank in ranks:
            self.assertFalse(self.is_alive(rank), f"worker {rank} still runs")

    def test_lines_of_worker_0_are_plain_and_those_of_others_named(self):
        self.environment["VERBUND_TEST"] = "given"
        done = self.launch("-n 3 -q", "print")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"result 0 given {self.folder}\n")
        lines = done.stderr.splitlines()
        for line in ("hello from 0", "[1] hello from 1", "[2] hello from 2", f"[1] result 1 given {self.folder}"):
            self.assertIn(line, lines)
        self.assertEqual(len([line for line in lines if not line.startswith("warning: ")]), 5)  # 2 of each other one

    @long_test
    def test_the_status_of_worker_0_is_drawn_on_a_terminal(self):
        for columns in (80, 20):
            run = TerminalRun(self.command(*self.arguments("-n 2", "status")), columns, **self.environment)
            self.assertEqual(run.code, 0, run.raw)
            self.assertTrue(run.statuses("worker 0 has"), run.raw)
            self.assertFalse(run.statuses("worker 1"), run.raw)
            self.assertTrue(all(width(line) < columns for line, _ in run.screen.drawn), run.raw)
            self.assertEqual(sorted(line for line in run.lines if "a line" in line), ["[1] a line of 1", "a line of 0"])
            self.assertFalse([line for line in run.lines if "has done" in line], "a status became a line")
            self.assertEqual(run.screen.line, "", "it is gone at the end")

    def test_without_a_terminal_workers_are_not_asked_for_their_status(self):
        done = self.launch("-n 2", "status")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_says(done.stderr, "\nplain\n")
        self.assertNotIn("\x1e", done.stderr)

    def test_workers_on_other_hosts(self):
        done = self.launch(f"-H localhost:1,other:1 --rsh {self.folder}/agent", "print")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_says(done.stderr, "localhost (1), other (1)", "\nhello from 0\n", "\n[1 other] hello from 1\n")

    def test_more_workers_than_cores_are_warned_of(self):
        cores = len(os.sched_getaffinity(0))
        done = self.succeed("launch", "-n", cores + 1, "--dry-run", "--", env=self.environment)
        self.assert_says(done.stderr, "warning: ", f"{cores + 1} workers", "localhost", cores)
        self.assert_says(done.stdout, f"mpirun -n {cores + 1} -H localhost:{cores + 1} ", "mpi_yield_when_idle 1")

    def test_an_error_that_would_come_again_is_passed_on(self):
        for code in (1, 2):
            with self.subTest(code=code):
                before = self.starts(0)
                done = self.launch("-n 2 --max-restarts 5", f"exit{code}", "1")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(self.starts(0), before + 1)
                self.assert_says(done.stderr, "verbund: worker 1 on localhost", f"code {code}")

    def test_a_killed_worker_is_a_restart(self):
        done = self.launch("-n 2 --max-restarts 3", "once", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.starts(0), self.starts(1)), (2, 2))
        self.assertRegex(done.stderr, r"warning: worker 1 on localhost .*\b9\b.*\b1 of 3\n")

    def test_the_last_restart_fails(self):
        done = self.launch("-n 2 --max-restarts 1", "exit3", "0")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(self.starts(0), 2)
        self.assertRegex(done.stderr, r"worker 0 on localhost .*\b3\b.*\b1 of 1\n")
        self.assertRegex(done.stderr, r"verbund: worker 0 on localhost .*\b3\b")

    def test_without_restarts_it_says_how_to_go_on(self):
        done = self.launch("-n 2", "kill", "1")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(self.starts(0), 1)
        self.assert_says(done.stderr, "verbund: worker 1 on localhost", "--max-restarts")

    def test_a_signal_has_all_workers_save_and_leave(self):
        for number_of_starts, number in enumerate((signal.SIGTERM, signal.SIGINT, signal.SIGHUP), 1):
            with self.subTest(number=number):
                for file in [*self.folder.glob("process.*"), *self.folder.glob("asked.*")]:
                    file.unlink()
                process = self.start("-n 2 --max-restarts 5", "stop")
                self.wait_for_files("process.0", "process.1")
                process.send_signal(number)
                message = process.communicate(timeout=60)[1]
                self.assertEqual(process.returncode, 128 + number, message)
                for rank in (0, 1):
                    self.assertEqual((self.folder / f"asked.{rank}").read_text(), str(int(number)))
                self.assert_says(message, "\nsaved\n")
                self.assertNotIn("verbund: ", message)  # worker 0 has told how it went
                self.assertEqual(self.starts(0), number_of_starts)
                self.assertNotIn("[mpirun]", message)

    def test_a_request_to_stop_waits_for_workers_that_start(self):
        process = self.start("-n 2", "late")
        self.wait_for_files("process.0", "process.1")
        process.send_signal(signal.SIGTERM)
        message = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, message)
        for rank in (0, 1):
            self.assertEqual((self.folder / f"asked.{rank}").read_text(), str(int(signal.SIGTERM)))
        self.assert_gone(0, 1)

    @long_test
    def test_workers_that_never_start_are_ended(self):
        process = self.start("-n 2", "never")
        self.wait_for_files("late.0", "late.1")
        process.send_signal(signal.SIGTERM)
        message = process.communicate(timeout=40)[1]
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, message)

    def test_a_start_without_progress_is_a_loss(self):
        """As when a worker is killed while MPI connects it with the others."""
        for what, missing in (("never", "worker 0 on localhost and 1 more"), ("connect", "worker 1 on localhost")):
            with self.subTest(what):
                began = time.monotonic()
                done = self.launch("-n 2 --start-timeout 2", what)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assert_says(done.stderr, missing, "2 s")
                self.assertLess(time.monotonic() - began, 40)

    def test_it_stops_though_nobody_reads_what_it_prints(self):
        """Neither stdout nor stderr: both are a pipe that is full."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        process = subprocess.Popen(self.command(*self.arguments("-n 2", "chatter")), stdout=writer, stderr=writer,
                                   env={**os.environ, **self.environment})
        self.addCleanup(process.kill)
        os.close(writer)
        size = fcntl.fcntl(reader, fcntl.F_GETPIPE_SZ)
        end = time.monotonic() + 30
        while struct.unpack("i", fcntl.ioctl(reader, termios.FIONREAD, b"1234"))[0] < size - 8192:
            self.assertLess(time.monotonic(), end, "the pipe does not become full")
            time.sleep(0.02)
        time.sleep(0.5)  # it is stuck now
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(10), 128 + signal.SIGTERM)
        for rank in (0, 1):
            self.assertEqual((self.folder / f"asked.{rank}").read_text(), str(int(signal.SIGTERM)))

    def test_a_closed_terminal_has_all_workers_save_and_leave(self):
        launch = Terminal(self.command(*self.arguments("-n 2", "stop")), self.environment)
        self.addCleanup(launch.kill)
        self.wait_for_files("process.0", "process.1")
        launch.close()
        self.assertEqual(launch.wait(), 128 + signal.SIGHUP)
        for rank in (0, 1):
            self.assertEqual((self.folder / f"asked.{rank}").read_text(), str(int(signal.SIGHUP)))
        self.assert_gone(0, 1)

    @long_test
    def test_workers_that_leave_without_a_word_are_spoken_for(self):
        process = self.start("-n 2", "sleep")
        self.wait_for_files("process.0", "process.1")
        process.send_signal(signal.SIGTERM)
        message = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, message)
        self.assertEqual(len(re.findall(r"verbund: .*SIGTERM", message)), 1, message)

    def test_a_second_signal_ends_workers_that_do_not_leave(self):
        process = self.start("-n 2 --max-restarts 5", "stubborn")
        self.wait_for_files("process.0", "process.1")
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        message = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 143, message)
        self.assert_gone(0, 1)

    def test_workers_do_not_outlive_a_killed_launch(self):
        process = self.start("-n 2", "sleep")
        self.wait_for_files("process.0", "process.1")
        process.kill()
        process.communicate(timeout=60)
        self.assert_gone(0, 1, seconds=20)

    @long_test
    def test_workers_do_not_outlive_a_killed_mpirun(self):
        process = self.start("-n 2", "stubborn")
        self.wait_for_files("process.0", "process.1")
        os.kill(self.mpirun_of(0), signal.SIGKILL)
        message = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 3, message)
        self.assert_gone(0, 1)

    def terminated_mpirun(self, options):
        """launch, after somebody else has terminated its mpirun, which then terminates the workers."""
        process = self.start(options, "once", "9")
        self.wait_for_files("process.0", "process.1")
        os.kill(self.mpirun_of(0), signal.SIGTERM)
        message = process.communicate(timeout=60)[1]
        return process.returncode, message

    def test_an_mpirun_that_somebody_terminates_is_a_loss(self):
        code, message = self.terminated_mpirun("-n 2")
        self.assertEqual(code, 3, message)
        self.assertEqual(self.starts(0), 1)
        self.assertRegex(message, "verbund: .*mpirun")

    @long_test
    def test_a_terminated_mpirun_is_started_again(self):
        code, message = self.terminated_mpirun("-n 2 --max-restarts 1")
        self.assertEqual(code, 0, message)
        self.assertEqual((self.starts(0), self.starts(1)), (2, 2))
        self.assertRegex(message, r"warning: .*mpirun.*\b1 of 1\n")

    @long_test
    def test_a_job_that_hangs_after_a_loss_is_ended_and_restarted(self):
        done = self.launch("-n 2 --max-restarts 1", "hang")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.starts(0), self.starts(1)), (2, 2))
        self.assert_gone(0, 1)
        self.assert_says(done.stderr, "\nsomebody is not there any more\n")
        self.assertRegex(done.stderr, r"worker 1 on localhost .*\b1 of 1\n")
        self.assertNotIn("\x1d", done.stderr)  # the record is launch's
        self.assertNotIn("lost_worker", done.stderr)

    @long_test
    def test_an_mpirun_that_hangs_after_its_notice_is_ended(self):
        """As it does of a worker that was killed while it started. What the worker's end means, counts."""
        hangs = self.write("mpirun", f"#!/bin/sh\n{shutil.which('mpirun')} \"$@\"\nexec sleep 60\n")
        hangs.chmod(0o755)
        self.environment["PATH"] = f"{self.folder}:{os.environ['PATH']}"
        for what, code, number in (("kill", 3, 9), ("exit2", 2, 2)):
            with self.subTest(what=what):
                done = self.launch("-n 2", what)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertRegex(done.stderr, rf"worker 0 on localhost .*\b{number}\b")

    def test_a_host_that_does_not_answer_is_named_before_anything_starts(self):
        self.write("other.down", "")
        done = self.launch(f"-H localhost:1,other:1 --max-restarts 5 --rsh {self.folder}/agent", "print")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"verbund: .*other \(ssh: connect to host other port 22: No route to host\)")
        self.assertEqual(self.starts(0), 0)

    def host_down_after_start(self, *options):
        process = self.start(f"-H localhost:1,other:1 --max-restarts 1 --wait-for-hosts 2 --rsh {self.folder}/agent "
                             + " ".join(options), "once", "9")
        self.wait_for_files("process.0", "process.1")
        self.write("other.down", "")
        os.kill(int((self.folder / "process.1").read_text()), signal.SIGKILL)
        return process, process.communicate(timeout=90)[1]

    def test_a_host_that_comes_late_is_waited_for(self):
        """And one that never comes ends the job, after the time that was given."""
        down = self.write("other.down", "")
        hosts = f"-H localhost:1,other:1 --rsh {self.folder / 'agent'} --wait-at-start"
        begin = time.monotonic()
        done = self.launch(f"{hosts} 2", "print")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertGreaterEqual(time.monotonic() - begin, 1)
        self.assertEqual(self.starts(0), 0)
        threading.Timer(1.5, down.unlink).start()
        done = self.launch(f"{hosts} 60", "print")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.starts(0), 1)

    @long_test
    def test_a_host_that_does_not_come_back_is_left_out(self):
        process, message = self.host_down_after_start("--min-workers", "1")
        self.assertEqual(process.returncode, 0, message)
        self.assertEqual((self.starts(0), self.starts(1)), (2, 1))
        self.assertEqual((self.folder / "size.2").read_text(), "1")
        self.assertRegex(message, r"\b2 s\b.*other \(ssh: connect")
        self.assertRegex(message, r"warning: .*1 of 2 workers.*other \(ssh: connect")

    def test_too_few_workers_remain(self):
        process, message = self.host_down_after_start()
        self.assertEqual(process.returncode, 3, message)
        self.assertEqual(self.starts(0), 1)
        self.assertRegex(message, r"verbund: .*other \(ssh: connect")
        self.assert_says(message, "--min-workers")

    def test_a_missing_program_is_not_started_again(self):
        self.environment["VERBUND_LAUNCH_PROGRAM"] = "/no/such/program"
        done = self.launch("-n 1 --max-restarts 5")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_says(done.stderr, "[mpirun] Executable: /no/such/program")
        self.assertNotIn(" of 5", done.stderr)

    def test_a_missing_mpirun_is_named(self):
        done = self.run_program("launch", "-n", "1", "--", "print",
                                env={**self.environment, "PATH": str(self.folder)}, timeout=20)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "verbund: .*mpirun")

    def test_wrong_calls(self):
        for arguments, parts in (
                (["-n", "5", "-H", "a:2,b:2", "--", "train"], ["-n 5", "4", "a (2), b (2)"]),
                (["-H", "a:2,b:x", "--", "train"], ['"b:x"', "HOST:WORKERS"]),
                (["-H", "a:1", "--hostfile", "x", "--", "train"], ["--hostfile"]),
                (["--", "train"], ["-n"]),
                (["-n", "2"], ["train"]),
                (["-n", "2", "--"], ["train"]),
                (["-n", "2", "--", "trian"], ["train?"]),
                (["-n", "2", "--", "prepare"], ["train", "doctor", "prepare", "mpirun"]),
                (["-n", "2", "train", "--config", "x"], ["--"]),
                (["-n", "0", "--", "train"], ["0"]),
                (["-n", "2", "--min-workers", "3", "--", "train"], ["--min-workers 3", "2"]),
                (["-n", "2", "--nic", "nosuch0", "--", "train"], ["nosuch0", "lo"]),
                (["-n", "2", "--nic", "fd00::/64", "--", "train"], ["IPv4"]),
                (["-n", "2", "--nic", "198.51.100.0/24", "--", "train"], ["198.51.100.0/24", "127.0.0.1 (lo)"]),
                (["-n", "2", "--nic", "10.0.0.0/99", "--", "train"], ["10.0.0.0/99"]),
                (["-n", "2", "--max-restart", "3", "--", "train"], ["--max-restarts?"])):
            with self.subTest(arguments=arguments):
                self.assert_says(self.refuse(2, "launch", *arguments), *parts)

    def test_the_command_can_be_seen(self):
        hosts = self.write("hosts", "# two\na slots=2\nb slots=1\n")
        program = pathlib.Path(self.command()[0]).resolve()
        done = self.succeed("launch", "--hostfile", hosts, "--nic", "lo", "--rsh", "ssh -p 22",
                            "--mpirun-args", "--mca x 1", "--dry-run", "--", "train", "--run", "my run",
                            env={"OMP_NUM_THREADS": "1"})
        self.assert_says(done.stdout, "mpirun -n 3 -H a:2,b:1 ", "--mca btl_tcp_if_include lo ",
                         "--mca plm_rsh_agent 'ssh -p 22' ", "-x OMP_NUM_THREADS ",
                         f" --mca x 1 {program} train --run 'my run'\n")
        self.assertEqual("--allow-run-as-root" in done.stdout, os.geteuid() == 0)


if __name__ == "__main__":
    run_tests()
