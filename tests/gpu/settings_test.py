# SPDX-License-Identifier: Apache-2.0
"""The tests of `make test-races` run on the emulated GPU that checks for races: on the other one they would pass as well."""

import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import PROGRAM, run_tests  # noqa: E402

BUILD = pathlib.Path(PROGRAM).resolve().parent


class SettingsTest(unittest.TestCase):
    def test_races_are_looked_for(self):
        said = subprocess.run(["ctest", "--test-dir", BUILD, "-L", "^races$", "--show-only=json-v1"], capture_output=True,
                              text=True, check=True).stdout
        tests = json.loads(said)["tests"]
        self.assertGreater(len(tests), 4)
        for test in tests:
            properties = {row["name"]: row["value"] for row in test["properties"]}
            self.assertIn(f"VERBUND_CUDA_PATH={BUILD / 'emulated-checked'}", properties["ENVIRONMENT"], test["name"])


if __name__ == "__main__":
    run_tests()
