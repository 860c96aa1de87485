# SPDX-License-Identifier: Apache-2.0
"""Runs the program on a pseudo-terminal and reads what it draws there as a terminal would."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unicodedata

SEQUENCE = re.compile(r"\r|\n|\x1b\[(\d*)([AJKm])|[^\r\n\x1b]+|\x1b")


def width(text):
    """Columns on a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Screen:
    """The lines that a terminal shows, each as long as it was written: when the terminal becomes narrower, a line
    stands on several rows, as terminals do it that reflow."""

    def __init__(self, columns):
        self.columns = columns
        self.lines = []      # ended by a newline, for good
        self.line = ""       # the last one
        self.column = 0
        self.drawn = []      # (line, columns of the terminal) whenever a status line was replaced
        self.unknown = []

    def feed(self, text):
        for match in SEQUENCE.finditer(text):
            piece = match[0]
            if piece == "\r":
                self.column = 0
            elif piece == "\n":
                self.lines.append(self.line)
                self.line, self.column = "", 0
            elif match[2] == "A":  # within a line that stands on several rows
                rows_above = max(0, width(self.line) - 1) // self.columns
                if int(match[1] or 1) > rows_above:
                    self.unknown.append(f"{piece!r} leaves the line {self.line!r} at {self.columns} columns")
            elif match[2] in ("K", "J"):
                if self.line:
                    self.drawn.append((self.line, self.columns))
                self.line = self.line[:self.column]
            elif match[2] == "m":
                pass
            elif piece == "\x1b":
                self.unknown.append("an escape that is not known")
            else:
                self.line = self.line[:self.column] + piece + self.line[self.column + len(piece):]
                self.column += len(piece)


class TerminalRun:
    """A program at a terminal of its own, from its start to its end. `on` maps a text, or a condition of this run, to
    what is done once that has been drawn: a number of columns that the terminal gets, or a signal for the program."""

    def __init__(self, command, columns=80, on=None, seconds=120, **environment):
        self.screen = Screen(columns)
        self.raw = ""
        on = dict(on or {})
        master, slave = pty.openpty()
        self._set_width(slave, columns)
        variables = {**os.environ, "TERM": "xterm", "COLUMNS": "", "NO_COLOR": None, "VERBUND_TERMINAL": None, **environment}
        variables = {name: value for name, value in variables.items() if value is not None}
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                                   env=variables, start_new_session=True)
        try:
            pending, end = b"", time.monotonic() + seconds
            while True:
                ready, _, _ = select.select([master], [], [], 0.1)
                if time.monotonic() > end:
                    raise AssertionError(f"still at work after {seconds} s:\n{self.raw}")
                if not ready:
                    if process.poll() is not None:
                        break
                    continue
                pending += os.read(master, 65536)
                text, pending = self._decode(pending)
                self.raw += text
                self.screen.feed(text)
                for mark in [mark for mark in on if (mark(self) if callable(mark) else mark in self.raw)]:
                    action = on.pop(mark)
                    if isinstance(action, signal.Signals):
                        process.send_signal(action)
                    else:
                        self.screen.columns = action
                        self._set_width(slave, action)
        finally:
            if process.poll() is None:
                process.kill()
            self.code = process.wait()
            os.close(master)
            os.close(slave)

    @staticmethod
    def _set_width(descriptor, columns):
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))

    @staticmethod
    def _decode(data):
        """What is whole of it, and the rest: a character or an escape sequence may have come in part."""
        cut = len(data)
        escape = data.rfind(b"\x1b", max(0, len(data) - 8))
        if escape >= 0 and not re.match(rb"\x1b\[\d*[A-Za-z]", data[escape:]):
            cut = escape
        for back in range(4):
            try:
                return data[:cut - back].decode().replace("\r\n", "\n"), data[cut - back:]
            except UnicodeDecodeError:
                continue
        raise AssertionError(f"not UTF-8: {data!r}")

    @property
    def lines(self):
        return self.screen.lines

    def statuses(self, mark=""):
        """All that was drawn on the status line and has this text in it."""
        return [line for line, _ in self.screen.drawn if mark in line]
