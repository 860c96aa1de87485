# SPDX-License-Identifier: Apache-2.0
"""Hosts on one machine are as good as hosts: an MPI job finds two names, passes its bytes over the link at the link's
rate, stands a link that is down for a while, and nothing is left of them afterwards. Skipped (exit code 77) where
hosts cannot be made."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

from hosts import CANNOT, INTERFACE, SCRIPT, Hosts, leave_unless_possible

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import long_test, run_tests  # noqa: E402

MEGABYTES = 64

# Prints one line of JSON: the ranks' host names, the seconds that one byte takes and those of some megabytes, from the
# first rank to the last, the seconds of an all-reduce of as many, and how many of its sums are wrong.
PROBE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int compare(const void* a, const void* b) {
  return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b);
}

int main(int count, char** words) {
  enum { kRounds = 501, kName = 64 };
  const int floats = atoi(words[1]) * (1000000 / sizeof(float));
  int rank, size;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  char name[kName] = {0};
  char* names = calloc(size, kName);
  gethostname(name, kName - 1);
  MPI_Gather(name, kName, MPI_CHAR, names, kName, MPI_CHAR, 0, MPI_COMM_WORLD);

  // The median: other processes want the processor too.
  double rounds[kRounds];
  char byte = 0;
  for (int i = 0; i < kRounds; ++i) {
    const double start = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(&byte, 1, MPI_CHAR, size - 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&byte, 1, MPI_CHAR, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == size - 1) {
      MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    rounds[i] = MPI_Wtime() - start;
  }
  qsort(rounds, kRounds, sizeof(double), compare);

  float* values = malloc(floats * sizeof(float));
  for (int i = 0; i < floats; ++i) values[i] = rank + 1;
  const double sending = MPI_Wtime();
  if (rank == 0) {
    MPI_Send(values, floats, MPI_FLOAT, size - 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&byte, 1, MPI_CHAR, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == size - 1) {
    float* received = malloc(floats * sizeof(float));
    MPI_Recv(received, floats, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
  const double reducing = MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, values, floats, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  const double end = MPI_Wtime();
  int wrong = 0;
  for (int i = 0; i < floats; ++i) wrong += values[i] != size * (size + 1) / 2;

  if (rank == 0) {
    printf("{\"hosts\": [");
    for (int i = 0; i < size; ++i) printf("%s\"%s\"", i > 0 ? ", " : "", names + i * kName);
    printf("], \"latency\": %g, \"sending\": %g, \"reducing\": %g, \"wrong\": %d}\n", rounds[kRounds / 2] / 2,
           reducing - sending, end - reducing, wrong);
  }
  MPI_Finalize();
  return wrong > 0;
}
"""


class HostsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if shutil.which("mpicc") is None or shutil.which("mpirun") is None:
            raise unittest.SkipTest("there is no Open MPI: apt-get install openmpi-bin libopenmpi-dev")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="verbund-test-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.probe = folder / "probe"
        (folder / "probe.c").write_text(PROBE)
        subprocess.run(["mpicc", "-O2", "-Wall", "-Werror", "-o", cls.probe, folder / "probe.c"], check=True)

    def make_hosts(self, *arguments, **options):
        hosts = Hosts(*arguments, **options)
        hosts.__enter__()
        self.addCleanup(hosts.__exit__)
        return hosts

    def start(self, hosts, megabytes=MEGABYTES, **options):
        return hosts.mpirun(self.probe, megabytes, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def measured(self, job):
        output, errors = job.communicate(timeout=120)
        self.assertEqual(job.returncode, 0, output + errors)
        return json.loads(output)

    @long_test
    def test_all_bytes_of_a_job_pass_the_link_at_its_rate(self):
        hosts = self.make_hosts(2, rate="1gbit")
        before = [hosts.bytes_sent(name) for name in hosts.names]
        found = self.measured(self.start(hosts))
        sent = [hosts.bytes_sent(name) - count for name, count in zip(hosts.names, before)]
        self.assertEqual(found["hosts"], ["host-a", "host-b"])
        self.assertLess(found["latency"], 5e-3)  # some microseconds, if nobody else is at work
        # Of two ranks in an all-reduce each sends 2 (n - 1) / n = 1 times the buffer; the first has sent one before.
        for count, buffers in zip(sent, (2, 1)):
            self.assertGreater(count, buffers * MEGABYTES * 1e6)
            self.assertLess(count, buffers * MEGABYTES * 1e6 * 1.05)
        # 1 Gbit is 125 MB/s, less the headers of packets, more the burst that goes ahead; less on a busy machine.
        rate = MEGABYTES / found["sending"]
        self.assertGreater(rate, 60)
        self.assertLess(rate, 130)
        self.assertLess(MEGABYTES / found["reducing"], 130)
        print(f"{rate:.1f} MB/s, all-reduce {MEGABYTES / found['reducing']:.1f} MB/s, latency "
              f"{found['latency'] * 1e6:.0f} us, sent {sent}", flush=True)

    @long_test
    def test_the_rate_is_the_one_asked_for(self):
        rate = MEGABYTES / self.measured(self.start(self.make_hosts(2, rate="400mbit")))["sending"]
        self.assertGreater(rate, 25)
        self.assertLess(rate, 52)

    @long_test
    def test_ranks_of_one_host_do_not_use_the_link(self):
        hosts = self.make_hosts(2, rate="1gbit")
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", 2, self.probe, MEGABYTES]
        job = hosts.start("host-a", command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(self.measured(job)["hosts"], ["host-a", "host-a"])
        self.assertLess(hosts.bytes_sent("host-a"), 1e5)

    @long_test
    def test_hosts_may_have_ipv6_alone(self):
        hosts = self.make_hosts(2, ip="6")
        self.assertNotIn("10.231.", hosts.run("host-a", ["ip", "address"]))
        found = self.measured(self.start(hosts, megabytes=8))
        self.assertEqual(found["hosts"], ["host-a", "host-b"])
        self.assertGreater(hosts.bytes_sent("host-b"), 8e6)

    @long_test
    def test_more_than_two_are_joined_by_a_switch(self):
        hosts = self.make_hosts(3, rate="1gbit")
        found = self.measured(self.start(hosts, megabytes=8))
        self.assertEqual(found["hosts"], ["host-a", "host-b", "host-c"])
        for name in hosts.names:
            self.assertGreater(hosts.bytes_sent(name), 8e6)
        hosts.link("host-b", "down")
        self.assertFalse(self.reaches(hosts, "host-a", "host-b"))
        self.assertFalse(self.reaches(hosts, "host-b", "host-c"))
        self.assertTrue(self.reaches(hosts, "host-a", "host-c"))

    def reaches(self, hosts, host, other):
        job = hosts.start(host, [SCRIPT, "agent", other, "hostname"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
        output, errors = job.communicate(timeout=30)
        if job.returncode == 0:
            self.assertEqual(output.strip(), other)
        else:
            self.assertEqual(job.returncode, 255)
            self.assertIn(f"{other} cannot be reached from {host}", errors)
        return job.returncode == 0

    @long_test
    def test_a_job_waits_for_a_link_that_comes_back(self):
        hosts = self.make_hosts(2, rate="200mbit")  # 64 MB take 2.7 s; cut after a quarter of them
        job = self.start(hosts)
        while hosts.bytes_sent("host-a") < MEGABYTES / 4 * 1e6:
            time.sleep(0.05)
        hosts.link("host-b", "down")
        before = hosts.bytes_sent("host-a")
        time.sleep(2)
        self.assertEqual(hosts.bytes_sent("host-a"), before)
        hosts.link("host-b", "up")
        self.assertGreater(self.measured(job)["sending"], 4.5)
        self.assertTrue(self.reaches(hosts, "host-a", "host-b"))

    def test_the_agent_gives_no_more_than_ssh_would(self):
        hosts = self.make_hosts(2)
        remote = [SCRIPT, "agent", "host-b", "pwd;", "echo $VERBUND_TEST_MARK $(hostname)"]
        with unittest.mock.patch.dict(os.environ, VERBUND_TEST_MARK="seen"):
            self.assertEqual(hosts.run("host-b", ["sh", "-c", "echo $VERBUND_TEST_MARK"]), "seen\n")
            self.assertEqual(hosts.run("host-a", remote), f"{os.environ['HOME']}\nhost-b\n")

    def test_hosts_have_cores_of_their_own(self):
        hosts = self.make_hosts(2)
        counts = [int(hosts.run(name, ["nproc"])) for name in hosts.names]
        lists = [hosts.run(name, ["grep", "Cpus_allowed_list", "/proc/self/status"]) for name in hosts.names]
        if len(os.sched_getaffinity(0)) == 1:
            self.assertEqual(lists[0], lists[1])
        else:
            self.assertNotEqual(lists[0], lists[1])
            self.assertEqual(sum(counts), len(os.sched_getaffinity(0)))

    @long_test
    def test_nothing_is_left(self):
        before = self.traces()
        with Hosts(3) as hosts:
            sleepers = [hosts.start(name, ["sleep", "600"]) for name in hosts.names]
            with Hosts(2) as others:  # do not get in the way of the first
                self.assertEqual(others.run("host-b", ["hostname"]), "host-b\n")
            self.assertEqual(hosts.run("host-b", ["hostname"]), "host-b\n")
            self.assertNotEqual(self.traces(), before)
        for sleeper in sleepers:
            self.assertEqual(sleeper.wait(timeout=30), -9)
        self.assertEqual(self.traces(), before)

    @long_test
    def test_nothing_is_left_of_hosts_that_could_not_be_made(self):
        before = self.traces()
        with self.assertRaisesRegex(RuntimeError, "could not be made"):
            with Hosts(2, rate="fast"):
                pass
        self.assertEqual(self.traces(), before)

    def traces(self):
        """What of the machine's other users may come and go is not looked at."""
        ours = f"verbund-{os.getpid()}-"
        links = subprocess.run(["ip", "-oneline", "link"], check=True, capture_output=True, text=True).stdout
        return [sorted(str(path) for folder in ("/run/netns", "/etc/netns") if os.path.isdir(folder)
                       for path in pathlib.Path(folder).iterdir() if path.name.startswith(ours)),
                [line for line in links.splitlines() if INTERFACE in line]]

    def test_who_is_not_root_is_told_so(self):
        with open(SCRIPT) as script:  # by its text: that user may have no way into this folder
            done = subprocess.run(["bash", "-s", "up"], stdin=script, cwd="/", user=65534, capture_output=True, text=True)
        self.assertEqual(done.returncode, CANNOT)
        self.assertIn("need root", done.stderr)

    def test_a_machine_without_iproute2_is_told_so(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(shutil.which("bash"), f"{folder}/bash")
            done = subprocess.run([f"{folder}/bash", SCRIPT, "up"], env={"PATH": folder}, capture_output=True,
                                  text=True)
        self.assertEqual(done.returncode, CANNOT)
        self.assertIn("apt-get install iproute2", done.stderr)

    def test_wrong_calls_are_named(self):
        for words, message in ((["up", "1"], "2 to 26 hosts, not '1'"), (["left"], "not 'left'"),
                               (["exec", "host-a"], "needs a host"), (["exec", "host-q", "true"], "no 'host-q'")):
            done = subprocess.run([SCRIPT, *words], capture_output=True, text=True)
            self.assertIn(done.returncode, (2, 255))
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    leave_unless_possible()
    run_tests()
