# SPDX-License-Identifier: Apache-2.0
"""verbund launch --copy: hosts get the program and the dataset that they lack. A host is a mount namespace here, in which
the folder SITE is another one; the workers are a small script."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import fixtures  # noqa: E402
from support.program import ProgramTest, long_test, run_tests  # noqa: E402

WORKER = """#!/bin/sh
cat data/* | sha256sum
"""

# Runs a command on a host: FOLDER/hosts/HOST is mounted over FOLDER/site. What is sent to the host passes through the
# command in FOLDER/HOST.way, if there is one, and FOLDER/HOST.mount has options of the mount.
AGENT = """#!/bin/sh
folder=$(dirname "$0")
host=$1
shift
if [ -e "$folder/$host.down" ]; then
  echo "ssh: connect to host $host port 22: No route to host" >&2
  exit 255
fi
way=cat
case "$*" in *"cat >>"*) [ -e "$folder/$host.way" ] && way=$(cat "$folder/$host.way") ;; esac
mount="mount --bind $folder/hosts/$host $folder/site"
[ -e "$folder/$host.mount" ] && mount=$(cat "$folder/$host.mount")
[ "$way" = cat ] && exec unshare -m sh -c "$mount && cd / && exec sh -c \\"\\$0\\"" "$*"
cd "$folder" && sh -c "$way" | unshare -m sh -c "$mount && cd / && exec sh -c \\"\\$0\\"" "$*"
"""


def can_mount():
    return os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


@unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
@unittest.skipUnless(can_mount(), "mount namespaces need root")
class CopyTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.site = self.folder / "site"
        self.site.mkdir()
        shutil.copytree(fixtures.dataset(), self.site / "data", ignore=shutil.ignore_patterns("work"))
        for name, content in (("site/worker", WORKER), ("agent", AGENT)):
            self.write(name, content).chmod(0o755)
        for host in ("b", "c"):
            (self.folder / "hosts" / host).mkdir(parents=True)
        self.names = {path.name for path in (self.site / "data").iterdir()}

    def launch(self, *hosts, command=("--config", "demo")):
        return self.run_program("launch", "--copy", *(hosts or ["-H", "localhost:1,b:1"]), "--rsh",
                                self.folder / "agent", "--", "--data", "data", *command, cwd=self.site,
                                env={"VERBUND_LAUNCH_PROGRAM": str(self.site / "worker")})

    def digest(self):
        """What a worker prints."""
        files = sorted((self.site / "data").iterdir())
        return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()

    def assert_copied(self, host):
        there = self.folder / "hosts" / host
        self.assertEqual(self.files_below(there), self.files_below(self.site))
        for name in self.files_below(self.site):
            self.assertEqual((there / name).read_bytes(), (self.site / name).read_bytes(), name)

    def test_a_host_gets_what_it_lacks(self):
        done = self.launch()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_copied("b")
        self.assertEqual((done.stdout + done.stderr).count(self.digest()), 2)  # both workers read the same

        changed = self.folder / "hosts" / "b" / "data" / "dev.ids"
        changed.write_bytes(bytes(len(changed.read_bytes())))
        times = {path: path.stat().st_mtime_ns for path in changed.parent.iterdir()}
        done = self.launch()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_copied("b")
        # The manifest is not there while a file of its dataset is incomplete.
        self.assertCountEqual([path.name for path in times if path.stat().st_mtime_ns != times[path]],
                              ["dev.ids", "dataset.json"])

    def test_the_dataset_of_replay_comes_too(self):
        shutil.copytree(self.site / "data", self.site / "old")
        model = fixtures.copy_of_model(self.folder / "model")
        record = json.loads((model / "run.json").read_text())
        record["dataset"]["path"] = str(self.site / "old")
        (model / "run.json").write_text(json.dumps(record))
        done = self.launch(command=["--finetune", model, "--replay", "0.2", "--run", "run"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_copied("b")
        shutil.rmtree(self.site / "old")
        done = self.launch(command=["--finetune", model, "--replay", "0.2", "--run", "run"])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_says(done.stderr, self.site / "old")

    def test_a_copy_that_was_broken_off_is_continued(self):
        self.write("b.way", "head -c 5000")
        done = self.launch()
        self.assertEqual(done.returncode, 3, done.stderr)
        parts = [path for path in (self.folder / "hosts" / "b").rglob("*.partial")]
        self.assertEqual([part.stat().st_size for part in parts], [5000])
        self.assertFalse((self.folder / "hosts" / "b" / "data" / "dataset.json").exists())
        self.write("b.way", "tee -a sent")
        done = self.launch()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_copied("b")
        before = sum((self.site / "data" / name).stat().st_size for name in self.names) + len(WORKER)
        sent = (self.folder / "sent").stat().st_size
        self.assertLess(sent, before - 5000 + 1)

    def test_damage_on_the_way_is_found(self):
        self.write("b.way", "tr a b")
        done = self.launch()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_says(done.stderr, "SHA-256")
        self.assertEqual(self.files_below(self.folder / "hosts" / "b"), [])

    def test_why_a_host_cannot_be_written_to_is_told(self):
        for mount, parts in ((f"mount -t tmpfs -o size=100k none {self.site}", ["No space left on device"]),
                             (f"mount -t tmpfs -o ro none {self.site}", ["Read-only file system"])):
            with self.subTest(mount=mount):
                self.write("b.mount", mount)
                done = self.launch()
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assert_says(done.stderr, "b (", *parts)

    @long_test
    def test_hosts_are_supplied_at_the_same_time_and_one_that_fails_does_not_hinder_the_others(self):
        # Each waits for the other's first file.
        for own, other in (("b", "c"), ("c", "b")):
            self.write(f"{own}.way", f"touch {own}.came; for i in $(seq 200); do [ -e {other}.came ] && break; sleep 0.1; "
                                     f"done; [ -e {other}.came ] && {'head -c 10' if own == 'c' else 'cat'}")
        done = self.launch("-H", "localhost:1,b:1,c:1")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assert_copied("b")
        self.assert_says(done.stderr, "c (")

    @long_test
    def test_a_host_that_joins_at_a_restart_gets_what_it_lacks(self):
        self.write("hosts.txt", "localhost:1\n")
        self.write("site/worker", "#!/bin/sh\n"
                                  "[ -e ../lost ] || { touch ../lost; echo b:1 >> ../hosts.txt; kill -9 $$; }\n"
                                  "cat data/* | sha256sum\n")
        done = self.launch("--hosts-from", self.folder / "hosts.txt", "--max-restarts", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_copied("b")
        self.assertEqual((done.stdout + done.stderr).count(self.digest()), 2)

    def test_a_missing_dataset_is_named(self):
        shutil.rmtree(self.site / "data")
        done = self.launch()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_says(done.stderr, "data")


if __name__ == "__main__":
    run_tests()
