# SPDX-License-Identifier: Apache-2.0
"""Programs of others understand `verbund serve`: LibreTranslate's own client from PyPI, unmodified, translates with it,
and Prometheus' promtool accepts its figures.

Skipped (exit code 77) where the modules libretranslatepy and prometheus_client are not installed; one case where promtool
is not (Debian: prometheus).
"""
import pathlib
import shutil
import subprocess
import sys
import unittest
import urllib.error

try:
    from libretranslatepy import LibreTranslateAPI
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
except ImportError as error:
    print(f"skipped: {error}; install libretranslatepy and prometheus-client to run this test")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, run_tests  # noqa: E402
from support.serving import Serving  # noqa: E402


class ServeOracleTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.lines = (fixtures.dataset() / "test.source.txt").read_text().splitlines()[:20]
        self.best = self.succeed("translate", "-m", fixtures.model(),
                                 input="\n".join(self.lines) + "\n").stdout.splitlines()

    def test_the_client_of_libretranslate(self):
        with Serving("-m", fixtures.model()) as server:
            client = LibreTranslateAPI(server.url)
            self.assertEqual([client.translate(line, "en", "de") for line in self.lines], self.best)
            self.assertEqual(client.translate("\n".join(self.lines), "auto", "de"), "\n".join(self.best))
            self.assertEqual({each["code"]: each["name"] for each in client.languages()},
                             {"en": "English", "de": "German"})
            self.assertEqual(client.detect("This is the house of the man who was here with us.")[0]["language"], "en")
            with self.assertRaises(urllib.error.HTTPError) as refused:
                client.translate("a", "en", "xx")
            self.assertEqual(refused.exception.code, 400)

    def test_its_key(self):
        with Serving("-m", fixtures.model(), environment={"VERBUND_API_KEY": "k 1"}) as server:
            self.assertEqual(LibreTranslateAPI(server.url, "k 1").translate(self.lines[0], "en", "de"), self.best[0])
            with self.assertRaises(urllib.error.HTTPError) as refused:
                LibreTranslateAPI(server.url, "k 2").translate(self.lines[0], "en", "de")
            self.assertEqual(refused.exception.code, 403)

    @unittest.skipUnless(shutil.which("promtool"), "there is no promtool")
    def test_prometheus_accepts_the_figures(self):
        with Serving("-m", fixtures.model()) as server:
            server.translate(self.lines)
            server.translate("a", target="xx")
            figures = server.ask("GET", "/metrics")[2]
            checked = subprocess.run(["promtool", "check", "metrics"], input=figures, capture_output=True, text=True)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""), figures)

    def test_they_are_openmetrics(self):
        """By the parser of Prometheus' Python client, which is strict; promtool reads the older format alone."""
        with Serving("-m", fixtures.model()) as server:
            server.translate(self.lines)
            figures = server.ask("GET", "/metrics", headers={"Accept": "application/openmetrics-text"})[2]
            families = {family.name: family for family in text_string_to_metric_families(figures)}
            self.assertEqual(families["verbund_serve_sentences"].samples[0].value, len(self.lines))
            self.assertEqual(families["verbund_serve_translate_seconds"].type, "histogram")


if __name__ == "__main__":
    run_tests()
