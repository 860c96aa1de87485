# SPDX-License-Identifier: Apache-2.0
"""A program on a terminal of its own, which can be closed under it."""

import os
import pty
import select
import signal
import threading
import time


class Terminal:
    def __init__(self, command, environment=None):
        self.process, self._screen = pty.fork()
        if self.process == 0:
            os.execvpe(str(command[0]), [str(word) for word in command], {**os.environ, **(environment or {})})
        self._code = None
        self._open = True
        self._said = bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        """Somebody must, or the program waits when the terminal's buffer is full."""
        while self._open:
            if not select.select([self._screen], [], [], 0.05)[0]:
                continue
            try:
                self._said += os.read(self._screen, 65536)
            except OSError:
                return  # the program has ended

    def said(self):
        return self._said.decode(errors="replace")

    def close(self):
        """As a window that is closed, or a connection that breaks."""
        self._open = False
        self._reader.join()
        os.close(self._screen)

    def wait(self, seconds=60):
        """The exit code as a shell gives it."""
        end = time.monotonic() + seconds
        while self._code is None:
            ended, status = os.waitpid(self.process, os.WNOHANG)
            if ended:
                self._code = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            elif time.monotonic() > end:
                raise AssertionError(f"still at work after {seconds} s:\n{self.said()}")
            else:
                time.sleep(0.005)
        return self._code

    def kill(self):
        if self._code is None:
            os.kill(self.process, signal.SIGKILL)
            self.wait()
        if self._open:
            self.close()
