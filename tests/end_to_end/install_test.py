# SPDX-License-Identifier: Apache-2.0
"""What is installed beside the program: manual pages and completion made from its own help, presets, documents."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import PROGRAM, SOURCE, ProgramTest, run_tests  # noqa: E402

UNITS = ("verbund-train@.service", "verbund-serve@.service", "verbund-board.service")


class InstallTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.commands = re.findall(r"^  (?!verbund)([a-z-]+) ", subprocess.run(
            [PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout, re.M)

    def make_manual(self):
        subprocess.run([sys.executable, SOURCE / "packaging" / "manual.py", PROGRAM, self.folder], check=True)

    def flags(self, command):
        options = self.succeed(command, "--help").stdout.partition("Options:")[2].partition("Examples:")[0]
        return re.findall(r"^  (?:-\w,)?(--[\w-]+)", options, re.M)

    def complete(self, *words):
        """What the completion offers for the last word."""
        script = (f'source "{self.folder}/completions/verbund"; compopt() {{ :; }}; COMP_WORDS=("$@"); '
                  'COMP_CWORD=$(($# - 1)); _verbund; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", "verbund", *words], capture_output=True, text=True,
                              cwd=SOURCE, check=True)
        return done.stdout.split()

    def test_every_command_has_a_page_with_every_flag(self):
        self.make_manual()
        pages = {path.name: gzip.decompress(path.read_bytes()).decode() for path in (self.folder / "man1").iterdir()}
        self.assertEqual(set(pages), {"verbund.1.gz", *(f"verbund-{command}.1.gz" for command in self.commands)})
        for command in self.commands:
            page = pages[f"verbund-{command}.1.gz"].replace("\\-", "-")
            self.assert_says(page, f"verbund-{command} - ", "EXAMPLES", f"verbund {command} ")
            flags = self.flags(command)
            self.assertIn("--help", flags)
            for flag in flags:
                self.assertRegex(page, rf"\n\.TP\n\.B (-\w, )?{flag}\b.*\n[\w\\]", f"{command} {flag}")
            self.assertNotRegex(page, r"\n\.(?!TH|SH|TP|B|nf|fi)")  # no text taken for a command of troff

    def test_completion(self):
        self.make_manual()
        self.assertEqual(self.complete("tra"), ["train", "translate"])
        self.assertEqual(self.complete("train", "--da"), ["--data"])
        self.assertEqual(self.complete("launch", "-n", "2", "--", "ins"), ["inspect"])
        self.assertEqual(self.complete("launch", "-n", "2", "--", "train", "--bench"), ["--benchmark"])
        self.assertEqual(self.complete("train", "--set", "train.max_st"), ["train.max_steps="])
        self.assertEqual(self.complete("train", "--set", "see"), ["seed="])
        self.assertEqual(self.complete("train", "--data", "corp"), ["corpora"])
        self.assertEqual(self.complete("config", "--show", "configs/d"), ["configs/demo.yaml"])
        self.assertEqual(self.complete("train", "--config", "transformer-b"), ["transformer-base", "transformer-big"])
        for command in self.commands:
            self.assertEqual(sorted(self.complete(command, "--")), sorted(self.flags(command)), command)

    def test_what_is_installed(self):
        build = pathlib.Path(PROGRAM).resolve().parent
        subprocess.run(["cmake", "--install", build, "--prefix", self.folder], check=True, stdout=subprocess.DEVNULL)
        for name in ("share/verbund/configs/demo.yaml", "share/verbund/corpora/wmt16-en-de.yaml",
                     "share/doc/verbund/README.md", "share/doc/verbund/docs/launch.md", "share/doc/verbund/copyright",
                     "share/man/man1/verbund-train.1.gz", "share/bash-completion/completions/verbund",
                     "share/man/man1/verbund-serve.1.gz", "share/man/man1/verbund-board.1.gz",
                     "share/doc/verbund/docs/grafana-dashboard.json", "share/doc/verbund/docs/board-desktop.png",
                     *(f"lib/systemd/user/{unit}" for unit in UNITS)):
            self.assertTrue((self.folder / name).is_file(), name)
        said = subprocess.run([self.folder / "bin/verbund", "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(said.stdout, self.succeed("--version").stdout)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze")
    def test_the_units_are_understood_by_systemd(self):
        for name in UNITS:
            unit = (SOURCE / "packaging" / name).read_text()
            path = self.folder / name
            # The program and its manual need not be installed here.
            path.write_text(re.sub("Documentation=.*", "", unit).replace("ExecStart=verbund", f"ExecStart={PROGRAM}"))
            done = subprocess.run(["systemd-analyze", "verify", "--user", path], capture_output=True, text=True,
                                  env={**os.environ, "XDG_RUNTIME_DIR": str(self.folder)})
            complaints = [line for line in done.stderr.splitlines() if path.name in line]  # other units are not ours
            self.assertEqual((done.returncode, complaints), (0, []), done.stderr)


if __name__ == "__main__":
    run_tests()
