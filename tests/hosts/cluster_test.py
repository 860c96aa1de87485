# SPDX-License-Identifier: Apache-2.0
"""docs/cluster.md, block by block, between two hosts with an sshd each: from a key to a trained model, with folders
that are not shared; beta's power is cut while they train, then alpha is restarted."""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

from hosts import CANNOT, SCRIPT, Hosts, leave_unless_possible

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import PROGRAM, SOURCE, long_test, run_tests  # noqa: E402
from support.training import SMALL, TrainingTest  # noqa: E402

USER, UID = "trainer", 42017  # an ordinary user, known on the hosts alone
STEPS = 300
SSHD = "/usr/sbin/sshd"
# What stands in for the preset demo: a small corpus, a small model, a loss that is soon noticed.
CONFIG = {**SMALL, "corpus.name": "demo", "corpus.generated_pairs": 1000, "subwords.vocabulary": 400,
          "subwords.character_coverage": 1, "train.max_steps": STEPS, "train.eval_every": 150,
          "checkpoint.save_every_steps": 10, "workers.deadline_seconds": 5, "workers.stall_warning_seconds": 2,
          "decode.beam": 1, "decode.max_extra": 5, "decode.max_ratio": 1}
NAMES = {"alpha": "host-a", "beta": "host-b"}


def blocks():
    """The commands of the guide in order: (where, how, text)."""
    text = (SOURCE / "docs" / "cluster.md").read_text()
    return re.findall(r"^```sh (\w+) ?([\w ]*)\n(.*?)^```$", text, re.M | re.S)


class Machine:
    """A host with a home folder, an /etc/passwd and an sshd of its own. Paths are the same on all, files are not."""

    def __init__(self, hosts, name, folder, shared):
        self.name, self._hosts, self._folder, self._shared = name, hosts, folder, shared
        self._sshd = None
        (folder / "home").mkdir(parents=True)
        os.chown(folder / "home", UID, UID)
        (folder / "passwd").write_text(pathlib.Path("/etc/passwd").read_text()
                                       + f"{USER}:x:{UID}:{UID}::{shared / 'home'}:/bin/bash\n")
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "host_key"], check=True)
        (folder / "sshd_config").write_text(f"HostKey {folder / 'host_key'}\nUsePAM no\nPidFile none\n"
                                            f"PasswordAuthentication no\nSetEnv PATH={shared / 'bin'}:/usr/bin:/bin\n")

    def power_on(self):
        script = (f"mount --bind {self._folder}/home {self._shared}/home && mount --bind {self._folder}/passwd "
                  f"/etc/passwd && exec {SSHD} -D -e -f {self._folder}/sshd_config")
        with open(self._folder / "sshd.log", "wb") as log:
            self._sshd = self._hosts.start(self.name, ["unshare", "--mount", "sh", "-c", script], stderr=log)

    def power_off(self):
        """Everything that runs on it is gone."""
        while pids := subprocess.run(["ip", "netns", "pids", f"{self._hosts.prefix}-{self.name[-1]}"],
                                     capture_output=True, text=True, check=True).stdout.split():
            for pid in pids:
                TrainingTest.kill(int(pid), signal.SIGKILL)
            self._sshd.poll()
        self._sshd.wait()
        shutil.rmtree(f"/tmp/ompi.{self.name}.{UID}", ignore_errors=True)  # mpirun was killed, too

    def listens(self):
        return "Server listening" in (self._folder / "sshd.log").read_text()

    def typed(self, text):
        """The command for what the user types at this machine."""
        environment = [f"HOME={self._shared / 'home'}", f"USER={USER}", f"PATH={self._shared / 'bin'}:/usr/bin:/bin"]
        return ["nsenter", "--target", str(self._sshd.pid), "--mount", "setpriv", f"--reuid={UID}", f"--regid={UID}",
                "--clear-groups", "env", "-i", *environment, "bash", "-euc", f"cd\n{text}"]

    def path(self, name):
        return self._folder / "home" / name


@long_test
class ClusterTest(TrainingTest):
    @classmethod
    def setUpClass(cls):
        pass  # the guide prepares its dataset

    def setUp(self):
        self.addCleanup(os.umask, os.umask(0o022))  # the user of the machines must get into all folders
        super().setUp()
        self.folder.chmod(0o755)
        (self.folder / "home").mkdir()
        (self.folder / "bin").mkdir()
        shutil.copy(PROGRAM, self.folder / "bin" / "verbund")  # as the package would
        self.config = self.folder / "demo.yaml"
        self.write_config()
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        self.hosts = Hosts(2)
        self.hosts.__enter__()
        self.addCleanup(self.hosts.__exit__)
        self.machines = {name: Machine(self.hosts, host, self.folder / host, self.folder) for name, host in NAMES.items()}
        for machine in self.machines.values():
            self.power_on(machine)
            self.addCleanup(machine.power_off)
        self.run_folder = self.machines["alpha"].path("verbund/runs/demo")

    def write_config(self):
        sections = {}
        for key, value in CONFIG.items():
            section, _, name = key.rpartition(".")
            sections.setdefault(section, []).append(f"{name}: {value}")
        lines = [line for section, entries in sections.items()
                 for line in ([f"{section}:"] + [f"  {entry}" for entry in entries] if section else entries)]
        self.config.write_text("\n".join(lines) + "\n")

    def here(self, text):
        """A block as it is typed on these hosts."""
        for name, host in NAMES.items():
            text = re.sub(rf"\b{name}\b", host, text)
        return text.replace("--show demo", f"--show {self.config}")

    def power_on(self, machine):
        machine.power_on()
        self.wait_for(machine.listens)

    def type(self, name, text):
        machine = self.machines[name]
        return self.start([SCRIPT, "exec", machine.name, *machine.typed(self.here(text))],
                          VERBUND_HOSTS_PREFIX=self.hosts.prefix)

    def type_to_the_end(self, name, text):
        job = self.type(name, text)
        self.assertEqual(job.wait(), 0, f"on {name}: {text}\n{job.said()}")
        return job.said()

    # What the guide leaves to hands

    def copy_key(self):
        key = self.machines["alpha"].path(".ssh/id_ed25519.pub").read_text().strip()
        self.type_to_the_end("beta", f"mkdir -p -m 700 ~/.ssh; echo {shlex.quote(key)} >> ~/.ssh/authorized_keys")

    def start_service(self):
        """What systemd runs for verbund-train@demo."""
        unit = (SOURCE / "packaging" / "verbund-train@.service").read_text()
        (command,) = re.findall(r"^ExecStart=(.*)$", unit, re.M)
        variables = re.findall(r"^(\w+)=(.*)$", self.machines["alpha"].path("verbund/demo.env").read_text(), re.M)
        for name, value in variables:
            command = command.replace(f"${name}", value)
        self.assertNotIn("$", command)
        return self.type("alpha", f"cd verbund; exec {command}")

    def train_as_a_service(self):
        """alpha is restarted while it trains; the service goes on where the run was, to its end."""
        begun = self.last_step(self.run_folder)
        job = self.start_service()
        self.wait_for(lambda: self.last_step(self.run_folder) >= begun + 10, job)
        self.machines["alpha"].power_off()
        job.wait()
        self.assert_none_left(self.folder)
        self.power_on(self.machines["alpha"])
        job = self.start_service()
        self.assertEqual(job.wait(), 0, job.said())
        self.assertEqual(self.checkpoints(self.run_folder)[-1], STEPS)
        finished = self.start_service()  # at the next boot
        self.assertEqual(finished.wait(), 0, finished.said())

    def train_until_beta_dies(self, name, text):
        job = self.type(name, text)
        self.wait_for(lambda: self.last_step(self.run_folder) >= 15, job)
        self.hosts.link("host-b", "down")  # a machine without power does not say good-bye
        self.machines["beta"].power_off()
        self.assertEqual(job.wait(), 3, job.said())
        self.assertIn("worker 1 on host-b", job.said())
        self.assertLess(self.checkpoints(self.run_folder)[-1], STEPS)
        self.assertFalse(self.machines["beta"].path("verbund/runs/demo").exists())  # nothing is shared
        self.hosts.link("host-b", "up")
        self.power_on(self.machines["beta"])

    def test_the_guide(self):
        by_hand = {"ssh-copy-id": self.copy_key, "loginctl": self.train_as_a_service}
        said = ""
        for where, how, text in blocks():
            if how == "by hand":
                by_hand.pop(text.split()[0])()
            elif how == "long":
                self.train_until_beta_dies(where, text)
            else:
                for name in NAMES if where == "both" else [where]:
                    said = self.type_to_the_end(name, text)
        self.assertEqual(by_hand, {})
        self.assertRegex(said, r"BLEU")
        beta = self.machines["beta"].path("verbund")
        self.assertTrue(self.checkpoints(beta / "runs" / "demo"), "the copy of the run")
        self.assertFalse((beta / "data" / "demo" / "work").exists())


if __name__ == "__main__":
    leave_unless_possible()
    for program, package in {SSHD: "openssh-server", "/usr/bin/rsync": "rsync"}.items():
        if not os.path.exists(program):
            print(f"skipped: there is no {program}: apt-get install {package}")
            sys.exit(CANNOT)
    run_tests()
