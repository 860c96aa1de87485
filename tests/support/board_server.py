# SPDX-License-Identifier: Apache-2.0
"""verbund board at work, for the tests of the live page."""

import json
import re
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from support.program import PROGRAM


class BoardServer:
    def __init__(self, runs, *arguments):
        self.process = subprocess.Popen([PROGRAM, "board", "--runs", str(runs), "--port", "0", *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said = ""
        while "Ctrl-C" not in self.said:
            line = self.process.stdout.readline()
            self.said += line
            if not line:
                raise RuntimeError("the board has ended: " + self.said)
        self.url = re.search(r"http://[\w.:]+", self.said)[0]
        self.port = int(self.url.rsplit(":", 1)[1])

    def request(self, path, headers=None, body=None):
        """Status, headers and body."""
        request = urllib.request.Request(self.url + path, data=body, headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()

    def ask(self, what, *parameters, **named):
        """The JSON of /api/WHAT; an error if it is refused."""
        query = urllib.parse.urlencode([*parameters, *named.items()])
        status, _, body = self.request(f"/api/{what}?{query}")
        if status != 200:
            raise RuntimeError(f"{what}: {status} {body}")
        return json.loads(body)

    def end(self):
        """Its exit code after SIGTERM."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
