# SPDX-License-Identifier: Apache-2.0
"""A running `verbund serve`, and requests to it."""

import http.client
import json
import os
import re
import signal
import subprocess
import threading
import urllib.parse

from support.program import PROGRAM


class Serving:
    """A server on a free port, from the first line that says where it listens to its end."""

    def __init__(self, *arguments, environment=None):
        self.process = subprocess.Popen([PROGRAM, "serve", "--port", "0", *map(str, arguments)], text=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        env={**os.environ, **(environment or {})})
        self.log, self.url, self.connections = [], None, []
        for line in self.process.stderr:
            self.log.append(line)
            if found := re.search(r"http://(\S+):(\d+)", line):
                self.url, self.host, self.port = found[0], found[1], int(found[2])
                break
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True)
        self.reader.start()
        if self.url is None:
            raise RuntimeError(f"serve did not start: {''.join(self.log)}")

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        for connection in self.connections:
            connection.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()

    def stop(self, signal_number=signal.SIGTERM):
        """Its exit code."""
        self.process.send_signal(signal_number)
        return self.process.wait(timeout=60)

    def connect(self):
        self.connections.append(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120))
        return self.connections[-1]

    def ask(self, method, path, body=None, headers=None, connection=None):
        """Status, headers and body, which is parsed if it is JSON."""
        connection = connection or self.connect()
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        content = answer.read().decode()
        if answer.headers.get_content_type() == "application/json":
            content = json.loads(content)
        return answer.status, answer.headers, content

    def translate(self, q, connection=None, **fields):
        """Status and answer of a JSON request, en to de unless told otherwise."""
        body = json.dumps({"q": q, "source": "en", "target": "de", **fields})
        status, _, answer = self.ask("POST", "/translate", body, {"Content-Type": "application/json"}, connection)
        return status, answer

    def translate_form(self, **fields):
        body = urllib.parse.urlencode({"source": "en", "target": "de", **fields}, doseq=True)
        status, _, answer = self.ask("POST", "/translate", body, {"Content-Type": "application/x-www-form-urlencoded"})
        return status, answer
