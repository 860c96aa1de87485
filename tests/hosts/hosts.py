# SPDX-License-Identifier: Apache-2.0
"""Several hosts on one machine, as hosts.sh makes them, for the length of a with statement:

    with Hosts(2, rate="1gbit") as hosts:
        job = hosts.mpirun("verbund", "train", ..., stderr=subprocess.PIPE, text=True)
        hosts.link("host-b", "down")
        code = job.wait(timeout=60)
"""

import itertools
import os
import pathlib
import string
import subprocess
import sys
import unittest

SCRIPT = pathlib.Path(__file__).resolve().with_name("hosts.sh")
INTERFACE = "veth0"  # of each host
CANNOT = 77  # exit code of the script on a machine where hosts cannot be made

MPIRUN = ["mpirun", "--allow-run-as-root", "--bind-to", "none", "--mca", "plm_rsh_agent", f"{SCRIPT} agent",
          # UCX, if it is there, would be preferred, and finds shared memory between the hosts.
          "--mca", "pml", "ob1",
          "--mca", "btl_tcp_if_include", INTERFACE, "--mca", "oob_tcp_if_include", INTERFACE]


def leave_unless_possible():
    """For a file of tests that all need hosts: CTest takes the exit code for skipped."""
    if subprocess.run([SCRIPT, "check"]).returncode == CANNOT:
        sys.exit(CANNOT)


class Hosts:
    """host-a, host-b, ...; the test that makes them is skipped where that is not possible."""

    _networks = itertools.count()

    def __init__(self, count=2, rate="1gbit", ip="4"):
        self.names = [f"host-{letter}" for letter in string.ascii_lowercase[:count]]
        self.prefix = f"verbund-{os.getpid()}-{next(self._networks)}"
        self._rate = rate
        self.environment = {"VERBUND_HOSTS_PREFIX": self.prefix, "VERBUND_HOSTS_IP": ip}

    def __enter__(self):
        made = self._script("up", len(self.names), self._rate, check=False)
        if made.returncode == CANNOT:
            raise unittest.SkipTest(made.stderr.strip())
        if made.returncode != 0:
            raise RuntimeError(made.stderr)
        return self

    def __exit__(self, *_):
        self._script("down")

    def start(self, host, command, **options):
        """A Popen of the command itself, so that signals reach it; options are those of Popen."""
        options["env"] = {**options.get("env", os.environ), **self.environment}
        return subprocess.Popen([SCRIPT, "exec", host, *map(str, command)], **options)

    def run(self, host, command, timeout=60):
        """Runs a command to its successful end and returns what it printed."""
        with self.start(host, command, stdout=subprocess.PIPE, text=True) as process:
            try:
                output, _ = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, command, output)
        return output

    def mpirun(self, *arguments, slots=1, **options):
        """Starts a job from host-a, with this many ranks on each host; arguments are mpirun's, then the program."""
        where = ",".join(f"{name}:{slots}" for name in self.names)
        return self.start(self.names[0], [*MPIRUN, "-H", where, *arguments], **options)

    def bytes_sent(self, host):
        """By the host over its link, with all headers but those of packets that the kernel sends as one large one."""
        return int(self.run(host, ["cat", f"/sys/class/net/{INTERFACE}/statistics/tx_bytes"]))

    def link(self, host, state):
        """Down: all packets are lost, both ways. Two hosts share one link."""
        self._script("link", host, state)

    def _script(self, *arguments, check=True):
        done = subprocess.run([SCRIPT, *map(str, arguments)], env={**os.environ, **self.environment},
                              capture_output=True, text=True)
        if check and done.returncode != 0:
            raise RuntimeError(f"hosts.sh {' '.join(map(str, arguments))}: {done.stderr}")
        return done
