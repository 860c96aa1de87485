# SPDX-License-Identifier: Apache-2.0
"""The manners that all commands share."""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import PROGRAM, SOURCE, ProgramTest, run_tests  # noqa: E402

COMMANDS = ["prepare", "train", "launch", "doctor", "plan", "report", "evaluate", "translate", "serve", "average", "score-pairs", "export", "score", "import", "inspect", "config"]


class CommandsTest(ProgramTest):
    def test_help_of_every_command_has_an_example(self):
        overview = self.succeed("--help").stdout
        for command in COMMANDS:
            self.assertIn(command, overview)
            self.assert_says(self.succeed(command, "--help").stdout, "Examples:", f"verbund {command}")

    def test_every_flag_that_is_hinted_at_exists(self):
        known = {flag for command in COMMANDS for flag in re.findall(r"--[a-z-]+", self.succeed(command, "--help").stdout)}
        table = (SOURCE / "src/config/hints.cpp").read_text()
        hinted = set(re.findall(r'\{"\w+", "(--[a-z-]+)"', table))
        self.assertGreater(len(hinted), 10)
        self.assertEqual(hinted - known, set())

    def test_version_names_the_parts(self):
        version = self.succeed("--version").stdout
        self.assert_says(version, "verbund", "commit", "Open MPI v", "Unicode 1", "SentencePiece", "fmt", "ICU", "libcurl",
                         "kernels: baseline, avx2, avx512, avx512bf16\n", "on this machine: ")
        self.assertNotRegex(version, r"torch|[ (]\d*[,)\n]$")  # every part has a version
        self.assertLessEqual(max(map(len, version.splitlines())), 100)

    def test_the_program_is_linked_without_what_only_tests_need(self):
        linked = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assert_says(linked, "libmpi", "libsentencepiece")
        self.assertNotRegex(linked, "torch|gtest|gmock|python")

    def test_wrong_calls(self):
        self.refuse(2)
        self.assert_says(self.refuse(2, "prepar"), "prepare?")
        self.assert_says(self.refuse(2, "config", "--explian"), "--explain?")

    def test_log_levels(self):
        for command in COMMANDS:
            self.assertIn("--log-level", self.succeed(command, "--help").stdout, command)
        config = self.write("some.yaml", "seed: 7\n")
        shown = {level: self.succeed("config", "--show", config, "--log-level", level)
                 for level in ["debug", "info", "warning", "error"]}
        self.assertIn(str(config), shown["debug"].stderr)
        self.assertGreater(len(shown["debug"].stderr), len(shown["info"].stderr))
        for level in ["warning", "error"]:
            self.assertEqual(shown[level].stderr, "", level)
        self.assertEqual(len({done.stdout for done in shown.values()}), 1, "results are the same at every level")

    def test_log_level_of_the_environment(self):
        config = self.write("some.yaml", "seed: 7\n")
        call = ["config", "--show", config]
        self.assertIn(str(config), self.succeed(*call, env={"VERBUND_LOG_LEVEL": "debug"}).stderr)
        self.assertNotIn("debug", self.succeed(*call, "--log-level", "info", env={"VERBUND_LOG_LEVEL": "debug"}).stderr)

    def test_log_levels_that_do_not_exist(self):
        for refused in [self.refuse(2, "config", "--list", "--log-level", "loud"),
                        self.refuse(2, "config", "--list", env={"VERBUND_LOG_LEVEL": "loud"})]:
            self.assert_says(refused, "loud", "debug", "info", "warning", "error")
        self.refuse(2, "config", "--list", "--quiet", "--log-level", "info")

    def test_an_inspection_without_faults_is_silent_at_the_level_error(self):
        data = self.folder / "data"
        self.succeed("prepare", "--corpus", "reversal", "--out", data, "--set", "corpus.generated_pairs=500")
        inspected = self.succeed("inspect", data, "--log-level", "error")
        self.assertEqual(inspected.stderr, "")
        self.assertNotEqual(inspected.stdout, "")

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run(self.command("config", "--explain"), stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("verbund: ", done.stderr)

    def test_config_explained_is_a_config(self):
        path = self.write("all.yaml", self.succeed("config", "--explain").stdout)
        shown = self.succeed("config", "--show", path, "--set", "clean.max_words=7").stdout
        self.assert_says(shown, "max_words: 7", "vocabulary: 32768")

    def test_config_errors(self):
        path = self.write("bad.yaml", "clean:\n  max_words: lots\n")
        self.assert_says(self.refuse(2, "config", "--show", path), "bad.yaml:2", "lots")


if __name__ == "__main__":
    run_tests()
