# SPDX-License-Identifier: Apache-2.0
"""verbund prepare --corpus: from a server's archives to a dataset, against a real HTTP server
on this machine that serves small archives of WMT16's layout."""

import hashlib
import http.server
import io
import json
import os
import pathlib
import sys
import tarfile
import threading
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import SOURCE, ProgramTest, run_tests  # noqa: E402


def tgz(members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in members.items():
            data = text.encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def sgm(kind, lines):
    segments = "".join(f'<seg id="{i + 1}">{line}</seg>\n' for i, line in enumerate(lines))
    return f'<{kind} setid="t" srclang="any">\n<doc docid="d">\n{segments}</doc>\n</{kind}>\n'


class Server(http.server.ThreadingHTTPServer):
    """Serves `files`; the first request of a path in `broken` ends after so many bytes."""

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = files
        self.broken = {}
        self.requests = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        byte_range = self.headers.get("Range")
        self.server.requests.append((self.path, byte_range))
        content = self.server.files.get(self.path)
        if content is None:
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        start = int(byte_range.split("=")[1].split("-")[0]) if byte_range else 0
        self.send_response(206 if byte_range else 200)
        self.send_header("ETag", '"one"')
        if byte_range:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        limit = self.server.broken.pop(self.path, None)
        self.wfile.write(content[start:] if limit is None else content[start:start + limit])
        self.close_connection = True


class FetchTest(ProgramTest):
    def setUp(self):
        super().setUp()
        direct = unittest.mock.patch.dict(os.environ, no_proxy="127.0.0.1")
        direct.start()
        self.addCleanup(direct.stop)
        english = [f"The house number {i} is {'very ' * (i % 5)}old ." for i in range(600)]
        german = [f"Das Haus Nummer {i} ist {'sehr ' * (i % 5)}alt ." for i in range(600)]
        dev = ["A &quot;small&quot; test", "Second &amp; last"]
        lines = lambda text: "\n".join(text) + "\n"  # noqa: E731
        self.server = Server({
            "/europarl.tgz": tgz({"europarl-v7.de-en.en": lines(english[:300]), "europarl-v7.de-en.de": lines(german[:300])}),
            "/nc.tgz": tgz({"training-parallel-nc-v11/news-commentary-v11.de-en.en": lines(english[300:]),
                            "training-parallel-nc-v11/news-commentary-v11.de-en.de": lines(german[300:])}),
            "/dev.tgz": tgz({"dev/newstest2013-src.en.sgm": sgm("srcset", dev),
                             "dev/newstest2013-ref.de.sgm": sgm("refset", dev)}),
        })
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.out = self.folder / "out"

    def manifest(self, **changes):
        sha256 = hashlib.sha256(self.server.files["/europarl.tgz"]).hexdigest()
        text = f"""
name: small-wmt
source_language: en
target_language: de
dev_name: wmt13-en-de
archives:
  - {{name: europarl.tgz, url: "{self.server.address}/{changes.get('path', 'europarl.tgz')}", sha256: {changes.get('sha256', sha256)}}}
  - {{name: nc.tgz, url: "{self.server.address}/nc.tgz"}}
  - {{name: dev.tgz, url: "{self.server.address}/dev.tgz"}}
train:
  - source: {{archive: europarl.tgz, member: europarl-v7.de-en.en}}
    target: {{archive: europarl.tgz, member: europarl-v7.de-en.de}}
  - source: {{archive: nc.tgz, member: training-parallel-nc-v11/news-commentary-v11.de-en.en}}
    target: {{archive: nc.tgz, member: training-parallel-nc-v11/news-commentary-v11.de-en.de}}
dev:
  - source: {{archive: dev.tgz, member: dev/newstest2013-src.en.sgm}}
    target: {{archive: dev.tgz, member: dev/newstest2013-ref.de.sgm}}
"""
        return self.write("small-wmt.yaml", text)

    def arguments(self, manifest):
        return ["prepare", "--corpus", manifest, "--out", self.out, "--set", f"corpus.cache={self.folder}/cache",
                "--set", "subwords.vocabulary=120"]

    def test_from_server_to_dataset(self):
        self.succeed(*self.arguments(self.manifest()), "--export-text")
        manifest = json.loads((self.out / "dataset.json").read_text())
        self.assertEqual(manifest["splits"], {"train": 600, "dev": 2})
        self.assertEqual((self.out / "dev.source.txt").read_text(), 'A "small" test\nSecond & last\n')
        self.assertTrue((self.out / "export" / "wmt13-en-de.src.BPE_common.120.tok").exists())
        fetched = len(self.server.requests)
        self.succeed(*self.arguments(self.manifest()), "--export-text")
        self.assertEqual(len(self.server.requests), fetched, "what is there is not fetched again")

    def test_a_broken_transfer_goes_on_where_it_broke(self):
        self.server.broken["/europarl.tgz"] = 1000
        self.succeed(*self.arguments(self.manifest()))
        ranges = [r for path, r in self.server.requests if path == "/europarl.tgz"]
        self.assertEqual(ranges, [None, "bytes=1000-"])

    def test_wrong_checksum(self):
        message = self.refuse(1, *self.arguments(self.manifest(sha256="0" * 64)))
        right = hashlib.sha256(self.server.files["/europarl.tgz"]).hexdigest()
        self.assert_says(message, "europarl.tgz", "0" * 64, right)
        self.assertFalse((self.out / "dataset.json").exists())

    def test_not_found(self):
        message = self.refuse(1, *self.arguments(self.manifest(path="gone.tgz")))
        self.assert_says(message, "404", f"{self.server.address}/gone.tgz")
        self.assertFalse((self.out / "dataset.json").exists())

    def test_built_in_manifests_can_be_listed_and_printed(self):
        self.assert_says(self.succeed("prepare", "--list-corpora").stdout, "wmt16-en-de", "multi30k-en-de", "demo")
        shown = self.succeed("prepare", "--show-corpus", "wmt16-en-de").stdout
        self.assertEqual(shown, (SOURCE / "corpora" / "wmt16-en-de.yaml").read_text())


if __name__ == "__main__":
    run_tests()
