"""Runs the real executable, for the end-to-end tests."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("VERBUND", "build/verbund")
SOURCE = pathlib.Path(os.environ.get("VERBUND_SOURCE", "."))
DATA = SOURCE / ".." / "shared" / "data"

CASES = os.environ.get("VERBUND_TEST_CASES", "all")


def long_test(case):
    """Marks a class or a method for `make test-all`; CTest runs the marked and the unmarked cases of a file apart."""
    case.is_long_test = True
    return case


def load_tests(loader, tests, pattern):
    """Keeps the cases that are asked for; a test file takes it over with `from support.program import load_tests`."""
    kept = unittest.TestSuite()
    for case in all_cases(tests):
        method = getattr(type(case), case._testMethodName)
        is_long = getattr(method, "is_long_test", False) or getattr(type(case), "is_long_test", False)
        if CASES == "all" or is_long == (CASES == "long"):
            kept.addTest(case)
    return kept


def all_cases(tests):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from all_cases(test)
        else:
            yield test


signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it would be ignored, here and in all that is started


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="verbund-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def command(self, *arguments):
        return [PROGRAM, *map(str, arguments)]

    def run_program(self, *arguments, **options):
        """Runs to the end and returns the finished process, with text output."""
        options.setdefault("timeout", 300)
        if isinstance(options.get("input"), bytes):
            options.update(input=options["input"].decode(errors="surrogateescape"), errors="surrogateescape")
        environment = {**os.environ, "HOME": str(self.folder), **options.pop("env", {})}
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, env=environment, **options)

    def succeed(self, *arguments, **options):
        done = self.run_program(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refuse(self, code, *arguments, **options):
        """Expects this exit code and one message on stderr, which is returned."""
        done = self.run_program(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn("verbund: ", done.stderr)
        return done.stderr[done.stderr.index("verbund: "):]

    def assert_says(self, message, *parts):
        for part in parts:
            self.assertIn(str(part), message)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def files_below(self, folder):
        return sorted(str(p.relative_to(folder)) for p in pathlib.Path(folder).rglob("*") if p.is_file())
