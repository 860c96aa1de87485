# SPDX-License-Identifier: Apache-2.0
"""docs/configuration.md has what the program says of its keys."""

import os
import pathlib
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ["VERBUND_SOURCE"])


class ConfigurationPageTest(unittest.TestCase):
    def test_the_page_is_up_to_date(self):
        made = subprocess.run([sys.executable, SOURCE / "scripts" / "configuration_page.py", os.environ["VERBUND"]],
                              capture_output=True, text=True, check=True).stdout
        self.assertGreater(made.count("\n| `"), 100)
        self.assertEqual((SOURCE / "docs" / "configuration.md").read_text().splitlines(), made.splitlines(),
                         "run: scripts/configuration_page.py > docs/configuration.md")


if __name__ == "__main__":
    unittest.main()
