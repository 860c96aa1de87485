# SPDX-License-Identifier: Apache-2.0
"""Prometheus' promtool parses what the dashboard for Grafana asks for.

Skipped (exit code 77) where promtool is not installed (Debian: prometheus).
"""
import json
import pathlib
import shutil
import subprocess
import sys

if shutil.which("promtool") is None:
    print("skipped: there is no promtool; apt-get install prometheus to run this test")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import dashboard  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402


class DashboardOracleTest(ProgramTest):
    def check(self, queries):
        rules = [{"record": f"query:{i}", "expr": query} for i, query in enumerate(queries)]
        file = self.folder / "rules.yaml"
        file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))  # JSON is YAML, too
        return subprocess.run(["promtool", "check", "rules", str(file)], capture_output=True, text=True)

    def test_every_query_is_promql(self):
        queries = [query for query, _ in dashboard.queries()]
        checked = self.check(queries)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertIn(f"{len(queries)} rules found", checked.stdout)

    def test_one_that_is_not_is_found(self):
        self.assertNotEqual(self.check(["sum by (run (verbund_run_step)"]).returncode, 0)


if __name__ == "__main__":
    run_tests()
