# SPDX-License-Identifier: Apache-2.0
"""A name of a type means one thing: two types of one name in the namespace are two definitions of it, which the linker
takes for the same."""

import collections
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["VERBUND_SOURCE"])


class NamesTest(unittest.TestCase):
    def test_every_type_is_defined_once(self):
        places = collections.defaultdict(set)
        for path in (SOURCE / "src").rglob("*.h"):
            text = path.read_text()
            namespaces = re.findall(r"^namespace ([\w:]+) \{", text, re.M)
            for name in re.findall(r"^(?:struct|class|enum class|enum) (\w+)[^;\n]*\{", text, re.M):
                places["::".join([*namespaces[:1], name])].add(str(path.relative_to(SOURCE)))
        self.assertGreater(len(places), 200)
        self.assertEqual({name: where for name, where in places.items() if len(where) > 1}, {})


if __name__ == "__main__":
    unittest.main()
