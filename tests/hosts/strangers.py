# SPDX-License-Identifier: Apache-2.0
"""Strangers at the ports of a host, for tests: they call every port of some ranges again and again, for some seconds
at most, or until SIGTERM. Then they print how often each port has answered, as JSON.

    strangers.py scan|hold ADDRESS FIRST-LAST,FIRST-LAST... SECONDS

`scan` hangs up at once, or says what makes no sense and hangs up. `hold` stays on the line as long as it is let: it
says nothing, half of something, or too much."""

import collections
import errno
import json
import select
import signal
import socket
import sys
import time

MOST_HELD = 300
WORDS = {"scan": (b"", b"GET / HTTP/1.0\r\n\r\n", bytes(range(256)) * 4),
         "hold": (b"", b"\0" * 20, b"\x5a" * 100_000)}
PAUSE = 0.03  # between two rounds: others want the processor, too


def call(address, port):
    caller = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    caller.setblocking(False)
    if caller.connect_ex((address, port)) not in (0, errno.EINPROGRESS):
        caller.close()
        return None
    return caller


def answered(callers, milliseconds):
    """Those of {port: socket} that have been connected; the others are closed."""
    poll = select.poll()
    ports = {caller.fileno(): port for port, caller in callers.items()}
    for number in ports:
        poll.register(number, select.POLLOUT)
    end = time.monotonic() + milliseconds / 1000
    there, waiting = {}, dict(callers)
    while waiting and time.monotonic() < end:
        for number, _ in poll.poll(milliseconds):
            poll.unregister(number)
            caller = waiting.pop(ports[number])
            if caller.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                there[ports[number]] = caller
            else:
                caller.close()
    for caller in waiting.values():
        caller.close()
    return there


def say(caller, words):
    try:
        caller.send(words)
    except OSError:
        pass  # the other side has hung up, or does not listen


def main():
    mode, address, ranges, seconds = sys.argv[1:5]
    ports = [port for part in ranges.split(",") for first, last in [map(int, part.split("-"))]
             for port in range(first, last + 1)]
    leaving = []
    signal.signal(signal.SIGTERM, lambda *_: leaving.append(True))
    end, counts, held = time.monotonic() + float(seconds), collections.Counter(), collections.deque()
    while not leaving and time.monotonic() < end:
        callers = {port: caller for port in ports if (caller := call(address, port))}
        for port, caller in answered(callers, 200).items():
            counts[port] += 1
            say(caller, WORDS[mode][counts[port] % len(WORDS[mode])])
            held.append(caller)
        while len(held) > (MOST_HELD if mode == "hold" else 0):
            held.popleft().close()
        time.sleep(PAUSE)
    print(json.dumps(counts), flush=True)


if __name__ == "__main__":
    main()
