# SPDX-License-Identifier: Apache-2.0
"""The control channel over a network: it speaks IPv4 and IPv6, worker 0 listens only where the others come from and
only until they have come, and strangers at its ports, during the start and after it, change nothing."""

import ipaddress
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

from hosts import INTERFACE, SCRIPT, Hosts, leave_unless_possible

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import long_test, run_tests  # noqa: E402
from support.training import TrainingTest  # noqa: E402

STRANGERS = pathlib.Path(__file__).with_name("strangers.py")
VALUES = {"train.max_steps": 60, "workers.check_every": 10}
ADDRESS = {"4": "10.231.0.1", "6": "fd00:231::1"}  # of host-a
# Where host-a lets programs listen that do not care: so few that strangers can call each several times a second.
PORTS, PORTS_OF_MPIRUN, PORTS_OF_MPI = "40000-40199", "41000-41199", "1024-1063"
# Whom they call. Open MPI's own ports can be scanned; but it waits for whoever calls there and then says nothing.
CALLED = {"scan": f"{PORTS},{PORTS_OF_MPIRUN},{PORTS_OF_MPI}", "hold": PORTS}

# Worker 1 calls whom it calls on other machines a moment later: so there is time to see where worker 0 waits for it.
LATE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int connect(int descriptor, const struct sockaddr* place, socklen_t size) {
  int (*call)(int, const struct sockaddr*, socklen_t) = dlsym(RTLD_NEXT, "connect");
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank != NULL && atoi(rank) == 1 && place->sa_family != AF_UNIX) usleep(1500 * 1000);
  return call(descriptor, place, size);
}
"""


def listening(process):
    """{(address, port)} at which a process listens."""
    try:
        sockets = {os.readlink(path) for path in pathlib.Path(f"/proc/{process}/fd").iterdir()}
        lines = [line.split() for name in ("tcp", "tcp6")
                 for line in pathlib.Path(f"/proc/{process}/net/{name}").read_text().splitlines()[1:]]
    except OSError:
        return set()  # it has just ended, or begun
    found = set()
    for words in lines:
        address, port = words[1].split(":")
        if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
            parts = [bytes.fromhex(address[i:i + 8])[::-1] for i in range(0, len(address), 8)]  # words of this machine
            found.add((str(ipaddress.ip_address(b"".join(parts))), int(port, 16)))
    return found


@long_test
@unittest.skipUnless(shutil.which("cc"), "there is no compiler")
class ControlHostsTest(TrainingTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.late = cls.shared.folder / "late.so"
        source = cls.shared.write("late.c", LATE)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", cls.late, source, "-ldl"], check=True)
        case = cls("test_strangers_change_nothing")
        case.folder, run = cls.shared.folder, cls.shared.folder / "straight"
        case.train(2, run, VALUES)
        case.doCleanups()
        cls.straight = case.weights(run)

    def make_hosts(self, count, ip):
        hosts = Hosts(count, ip=ip)
        hosts.__enter__()
        self.addCleanup(hosts.__exit__)
        self.give_ports(hosts, PORTS_OF_MPIRUN)
        return hosts

    @staticmethod
    def give_ports(hosts, ports):
        hosts.run("host-a", ["sh", "-c", f"echo {ports.replace('-', ' ')} > /proc/sys/net/ipv4/ip_local_port_range"])

    def launch(self, hosts, where="host-a:1,host-b:1", *options):
        return self.start([SCRIPT, "exec", "host-a", *self.command(
            "launch", "-H", where, "--rsh", f"{SCRIPT} agent",
            f"--mpirun-args=-x LD_PRELOAD={self.late} --mca pml ob1", *options, "--",
            *self.arguments(self.run_folder, VALUES))], **hosts.environment)

    def watch_ports(self, hosts, job):
        """Waits for the end in peace. Returns where worker 0 has listened at the start alone, and for how long."""
        seen, later = {}, set()  # seen: {place: [when, and when last]}

        def look():
            while job.process.poll() is None:
                places = listening(self.processes(self.run_folder).get(0))
                if self.last_step(self.run_folder) > 0:
                    later.update(places)
                for place in places:
                    seen.setdefault(place, [time.monotonic(), 0])[1] = time.monotonic()
                time.sleep(0.05)

        self.wait_for(lambda: 0 in self.processes(self.run_folder), job)
        self.give_ports(hosts, PORTS)
        looking = threading.Thread(target=look)
        looking.start()
        code = job.wait()
        looking.join()
        self.assertEqual(code, 0, job.said())
        self.assertTrue(seen and self.last_step(self.run_folder) == VALUES["train.max_steps"], job.said())
        return {place: last - first for place, (first, last) in seen.items() if place not in later}

    def start_strangers(self, hosts, mode, address):
        process = hosts.start("host-c", [sys.executable, STRANGERS, mode, address, CALLED[mode], 90],
                              stdout=subprocess.PIPE, text=True)
        for cleanup in (process.wait, process.stdout.close, process.kill):  # the last one first
            self.addCleanup(cleanup)
        return process

    def test_strangers_change_nothing(self):
        """They call from a third host before the workers start, and until these have ended."""
        for ip, address in ADDRESS.items():
            with self.subTest(ip=ip):
                self.run_folder = self.folder / f"run-{ip}"
                hosts = self.make_hosts(3, ip)
                strangers = {mode: self.start_strangers(hosts, mode, address) for mode in ("scan", "hold")}
                job = self.launch(hosts, "host-a:1,host-b:1", "--nic", INTERFACE)
                at_start = self.watch_ports(hosts, job)
                calls = {}
                for mode, process in strangers.items():
                    process.send_signal(signal.SIGTERM)
                    calls[mode] = {int(port): count for port, count in json.loads(process.communicate()[0]).items()}
                self.assertEqual([place for place, _ in at_start], [address], at_start)
                ((_, port), waited), = at_start.items()
                at_port, at_all = ([count(calls[mode]) for mode in ("scan", "hold")] for count in
                                   (lambda of: of.get(port, 0), lambda of: sum(of.values())))
                print(f"IPv{ip}: worker 0 listened at {address} port {port} for {waited:.1f} s, where a scanner called "
                      f"{at_port[0]} times and a holder {at_port[1]} times; at all ports {at_all}", flush=True)
                self.assertLess(waited, 10)  # 1.5 s, as worker 1 is late, and some more on a busy machine
                for mode in calls:
                    self.assertGreater(calls[mode].get(port, 0), 3, f"{mode} came too late: {calls}")
                self.assertEqual(json.loads((self.run_folder / "run.json").read_text())["start_count"], 1)
                self.assertEqual(self.weights(self.run_folder), self.straight)
                hosts.__exit__()

    def test_without_a_choice_it_listens_where_the_others_come_from(self):
        for ip, expected in (("6", {"6"}), ("both", {"4", "6"})):
            with self.subTest(ip=ip):
                self.run_folder = self.folder / f"run-{ip}"
                hosts = self.make_hosts(2, ip)
                at_start = self.watch_ports(hosts, self.launch(hosts))
                self.assertEqual({place for place, _ in at_start}, {ADDRESS[version] for version in expected})
                self.assertEqual(self.weights(self.run_folder), self.straight)
                hosts.__exit__()

    def test_workers_of_its_own_host_come_the_same_way(self):
        hosts = self.make_hosts(2, "6")
        at_start = self.watch_ports(hosts, self.launch(hosts, "host-a:2,host-b:1", "--nic", INTERFACE))
        self.assertEqual({place for place, _ in at_start}, {ADDRESS["6"]})

    def test_a_run_of_one_host_listens_at_the_loopback_alone(self):
        hosts = self.make_hosts(2, "both")
        at_start = self.watch_ports(hosts, self.launch(hosts, "host-a:2"))
        self.assertEqual({place for place, _ in at_start}, {"127.0.0.1", "::1"})
        self.assertEqual(self.weights(self.run_folder), self.straight)


if __name__ == "__main__":
    leave_unless_possible()
    run_tests()
