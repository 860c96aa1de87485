# SPDX-License-Identifier: Apache-2.0
"""The folders of src/ in the order of the data: CMakeLists.txt lists them with what each may use, and each uses
only folders listed before it, and includes only what it says it uses. docs/architecture.md shows the same order."""

import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["VERBUND_SOURCE"])


def declared():
    """Folder -> folders it may use, in the order of CMakeLists.txt."""
    text = (SOURCE / "CMakeLists.txt").read_text()
    return {folder: used.split() for folder, used in re.findall(r"^ *verbund_library\((\w+)([^)$]*)\)", text, re.M)}


class OrderOfFoldersTest(unittest.TestCase):
    def test_every_folder_is_declared(self):
        folders = {path.name for path in (SOURCE / "src").iterdir() if path.is_dir()}
        self.assertEqual(folders, set(declared()))

    def test_folders_use_only_those_before_them(self):
        before = []
        for folder, used in declared().items():
            for other in used:
                self.assertIn(other, before, f"{folder} uses {other}, which is declared after it or not at all")
            before.append(folder)

    def test_files_include_only_what_their_folder_declares(self):
        folders = declared()
        for folder, used in folders.items():
            files = [path for path in (SOURCE / "src" / folder).rglob("*") if path.suffix in (".h", ".cpp")]
            self.assertTrue(files, folder)
            for path in files:
                for other in re.findall(r'^#include "(\w+)/', path.read_text(), re.M):
                    self.assertIn(other, [folder, *used],
                                  f"{path.relative_to(SOURCE)} includes {other}/: declare it in CMakeLists.txt "
                                  f"(verbund_library({folder} ...)) if {folder} may depend on it")

    def test_the_map_in_the_docs_is_the_same(self):
        text = (SOURCE / "docs" / "architecture.md").read_text()
        shown = re.findall(r"^    ( *core -> .*\n.*)$", text, re.M)[0]
        self.assertEqual(re.findall(r"\w+", shown), [*declared(), "main"])


if __name__ == "__main__":
    unittest.main()
