# SPDX-License-Identifier: Apache-2.0
"""A cluster of Slurm on one machine, for the length of a with statement: Debian's slurmctld, two slurmd and munged, on
hosts made by tests/hosts. Everything that it writes is in one folder, and none of its processes stays.

    with SlurmCluster(folder) as cluster:
        job = cluster.sbatch("train.sbatch", ...)
        state = cluster.wait(job)
"""

import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from hosts.hosts import SCRIPT, Hosts  # noqa: E402

PROGRAMS = {"slurmctld": "slurmctld", "slurmd": "slurmd", "munged": "munge", "sbatch": "slurm-client"}
CANNOT = 77
PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"

CONFIGURATION = """
ClusterName=test
SlurmctldHost=host-a
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
TmpFS={folder}/tmp/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
KillWait=30
SchedulerParameters=bf_interval=1,sched_interval=1,sched_min_interval=100000
SlurmdParameters=config_overrides
NodeName=host-a,host-b CPUs={cores} State=UNKNOWN
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=main Nodes=ALL Default=YES PriorityTier=1 GraceTime=60
PartitionName=urgent Nodes=ALL PriorityTier=2 PreemptMode=OFF
"""

ACCOUNTING_PROGRAMS = ["slurmdbd", "mariadbd", "mariadb-install-db"]
ACCOUNTING = """
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=host-a
AccountingStoragePass={folder}/munge.socket
"""
DATABASE_PORT = 23306
DATABASE_DAEMON = """
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost=host-a
SlurmUser=root
PidFile={folder}/slurmdbd.pid
LogFile={folder}/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={port}
StorageUser=slurm
StoragePass=slurm
"""

FINISHED = {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "OUT_OF_MEMORY"}


def has_accounting():
    return all(shutil.which(program, path=PATH) for program in ACCOUNTING_PROGRAMS)


def leave_unless_possible():
    """CTest takes the exit code for skipped."""
    missing = [package for program, package in PROGRAMS.items() if not shutil.which(program, path=PATH)]
    if missing:
        print(f"skipped: there is no Slurm here: apt-get install {' '.join(missing)}", file=sys.stderr)
        sys.exit(CANNOT)
    if subprocess.run([SCRIPT, "check"]).returncode == CANNOT:
        sys.exit(CANNOT)


class SlurmCluster:
    """With `accounting`, jobs are kept in a database, for sacct."""

    def __init__(self, folder, cores=6, accounting=False):
        self.folder = pathlib.Path(folder)
        self._cores = cores
        self._accounting = accounting
        self._hosts = Hosts(2)
        self._daemons = []
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"),
                            "PATH": PATH}

    def __enter__(self):
        self.folder.mkdir(parents=True)
        self._hosts.__enter__()
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        """Daemons first, so that none starts anything; what they had started is in the hosts, which go with it."""
        for daemon in self._daemons:
            daemon.send_signal(signal.SIGTERM)
        for daemon in self._daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self._hosts.__exit__()

    def _start(self):
        folder = self.folder
        for name in ("state", "spool/host-a", "spool/host-b", "tmp/host-a", "tmp/host-b"):
            (folder / name).mkdir(parents=True)
        configuration = CONFIGURATION + (ACCOUNTING if self._accounting else "")
        (folder / "slurm.conf").write_text(configuration.format(folder=folder, cores=self._cores))
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")  # the hosts have no cgroups
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        self._daemons.append(subprocess.Popen(
            ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
             f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log",
             f"--seed-file={folder}/munged.seed"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        self.until(lambda: (folder / "munge.socket").exists(), 20, "munged has started")
        if self._accounting:
            self._start_accounting()
        self._daemon("host-a", "slurmctld", "-D", "-i")
        for host in self._hosts.names:
            self._daemon(host, "slurmd", "-D")
        self.until(lambda: self.run("sinfo", "--noheader", "--format=%D %T", check=False).strip() == "2 idle", 60,
                   "both nodes are idle")

    def _start_accounting(self):
        data, socket = self.folder / "database", self.folder / "database.socket"
        self.run("mariadb-install-db", f"--datadir={data}", "--user=root", "--auth-root-authentication-method=normal")
        self._daemon("host-a", "mariadbd", "--no-defaults", f"--datadir={data}", "--user=root", f"--socket={socket}",
                     "--bind-address=127.0.0.1", f"--port={DATABASE_PORT}", f"--pid-file={self.folder}/mariadbd.pid")
        self.until(socket.exists, 60, "mariadbd has started")
        self.run("mariadb", "--no-defaults", f"--socket={socket}", "--execute",
                 "CREATE USER slurm@localhost IDENTIFIED BY 'slurm'; GRANT ALL ON *.* TO slurm@localhost")
        settings = self.folder / "slurmdbd.conf"
        settings.write_text(DATABASE_DAEMON.format(folder=self.folder, port=DATABASE_PORT))
        settings.chmod(0o600)
        self._daemon("host-a", "slurmdbd", "-D")
        self.until(lambda: "started" in read_or_nothing(self.folder / "slurmdbd.log"), 60, "slurmdbd has started")
        self.run("sacctmgr", "--immediate", "add", "cluster", "test", check=False)

    def _daemon(self, host, *command):
        with open(self.folder / f"{command[0]}-{host}.out", "wb") as output:
            self._daemons.append(self._hosts.start(host, command, env=self.environment, stdout=output,
                                                   stderr=subprocess.STDOUT))

    def run(self, *command, check=True, timeout=120, **environment):
        """On host-a; returns what it printed."""
        with self._hosts.start("host-a", command, env={**self.environment, **environment}, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, cwd=self.folder) as process:
            try:
                output, _ = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        if check and process.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, command))} ended with {process.returncode}: {output}")
        return output

    def sbatch(self, *arguments, **environment):
        """The id of the job."""
        return self.run("sbatch", "--parsable", *arguments, **environment).split(";")[0].strip()

    def job(self, job):
        """What scontrol shows of a job, as a dictionary."""
        shown = self.run("scontrol", "--oneliner", "show", "job", job)
        return dict(word.split("=", 1) for word in shown.split() if "=" in word)

    def wait(self, job, seconds=300):
        """Waits for the end of the job; returns what scontrol shows of it."""
        self.until(lambda: self.job(job)["JobState"] in FINISHED, seconds, f"job {job} ends")
        return self.job(job)

    def until(self, condition, seconds, what):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {what}{self.logs()}")
            time.sleep(0.2)

    def logs(self):
        return "".join(f"\n{log}:\n{log.read_text(errors='replace')[-2000:]}"
                       for log in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out")))


def read_or_nothing(path):
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
