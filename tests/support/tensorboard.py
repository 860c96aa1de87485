# SPDX-License-Identifier: Apache-2.0
"""Runs the real TensorBoard on a folder and asks it what it shows."""

import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

# Far more than any test has; 0, which its loaders take for "all", makes its page show nothing.
SAMPLES = "scalars=1000000,text=1000000"


class TensorBoard:
    """With the loader in Rust (`fast`), which is its default, or the one in Python. A context manager."""

    def __init__(self, folder, fast):
        self._folder, self._fast = folder, fast

    def __enter__(self):
        self._said = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tensorboard.main", "--logdir", str(self._folder), "--host", "127.0.0.1", "--port", "0",
             "--reload_interval", "1", f"--load_fast={str(self._fast).lower()}", f"--samples_per_plugin={SAMPLES}"],
            stdout=self._said, stderr=subprocess.STDOUT)
        try:
            self.address = self.wait_for(self._announced)
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(30)
        self._said.close()

    def _output(self):
        self._said.seek(0)
        return self._said.read()

    def _announced(self):
        found = re.search(r"http://127\.0\.0\.1:\d+", self._output())
        return found and found[0]

    def wait_for(self, ask, seconds=90):
        """The first answer that is not empty."""
        end = time.monotonic() + seconds
        while True:
            answer = ask()
            if answer:
                return answer
            if time.monotonic() > end or self._process.poll() is not None:
                raise AssertionError(f"TensorBoard did not get so far:\n{self._output()}")
            time.sleep(0.2)

    def get(self, path, **query):
        address = f"{self.address}/data/{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
        with urllib.request.urlopen(address, timeout=60) as answer:
            return json.load(answer)

    def post(self, path, body):
        request = urllib.request.Request(f"{self.address}/data/{path}", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def tags(self, run):
        return sorted(self.get("plugin/scalars/tags").get(run, {}))

    def curve(self, run, tag):
        """[(step, value)]; NaN is a text."""
        try:
            points = self.get("plugin/scalars/scalars", run=run, tag=tag)
        except urllib.error.HTTPError:  # not read yet
            return []
        return [(step, value) for _, step, value in points]
