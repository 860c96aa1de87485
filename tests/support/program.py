# SPDX-License-Identifier: Apache-2.0
"""Runs the real executable, for the end-to-end tests."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("VERBUND", "build/verbund")
SOURCE = pathlib.Path(os.environ.get("VERBUND_SOURCE", "."))
DATA = SOURCE / ".." / "shared" / "data"

# The emulated GPU of the build folder: libraries with the names of NVIDIA's.
EMULATED = pathlib.Path(PROGRAM).resolve().parent / "emulated"
HAS_EMULATED_GPU = (EMULATED / "libcuda.so.1").exists()

# quick: the cases of `make test`; long: those marked @long_test; all: what a test file runs by hand.
CASES = os.environ.get("VERBUND_TEST_CASES", "all")


def long_test(case):
    """Marks a class or a method for `make test-all`; CTest runs the marked and the unmarked cases of a file apart."""
    case.is_long_test = True
    return case


class SelectedCases(unittest.TestLoader):
    """Loads the cases of a module that VERBUND_TEST_CASES asks for; cases named on the command line are all loaded."""

    def loadTestsFromModule(self, module, *arguments, **options):
        loaded = super().loadTestsFromModule(module, *arguments, **options)
        return self.suiteClass(case for case in all_cases(loaded) if CASES == "all" or is_long(case) == (CASES == "long"))


def all_cases(tests):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from all_cases(test)
        else:
            yield test


def is_long(case):
    method = getattr(case, case._testMethodName)
    return getattr(method, "is_long_test", False) or getattr(case, "is_long_test", False)


def run_tests():
    """The end of every test file. A file without cases of the kind that was asked for passes."""
    done = unittest.main(verbosity=2, exit=False, testLoader=SelectedCases())
    sys.exit(0 if done.result.wasSuccessful() else 1)


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
