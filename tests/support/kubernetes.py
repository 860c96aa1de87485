# SPDX-License-Identifier: Apache-2.0
"""Pods of deploy/kubernetes on hosts that are network namespaces: what Kubeflow's operators add to a job's pods (host
file, ssh key, variables, names in DNS), and containers with their own mounts, processes, user and capabilities, as the
pod's security context says. The image is this machine with the files of docker/."""

import os
import pathlib
import re
import shlex
import subprocess

import yaml

from support.program import PROGRAM, SOURCE

HOME = "/home/trainer"
IMAGE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def expanded(text, variables):
    """$(NAME) as Kubernetes replaces it in commands; $$ is a $."""
    return re.sub(r"\$\$|\$\((\w+)\)", lambda found: variables.get(found[1], found[0]) if found[1] else "$", text)


def patched(document, operations):
    """A JSON patch with additions alone, as in the overlays."""
    for operation in operations:
        assert operation["op"] == "add", operation
        *parents, last = [part.replace("~1", "/") for part in operation["path"].split("/")[1:]]
        place = document
        for part in parents:
            place = place[int(part)] if isinstance(place, list) else place[part]
        if last == "-":
            place.append(operation["value"])
        else:
            place[last] = operation["value"]
    return document


def kustomized(folder):
    """The documents of a folder of deploy/kubernetes, with the patches of its kustomization."""
    folder = pathlib.Path(folder)
    if folder.is_file():
        return [document for document in yaml.safe_load_all(folder.read_text()) if document]
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    documents = [document for name in kustomization["resources"] for document in kustomized(folder / name)]
    for patch in kustomization.get("patches", []):
        targets = [document for document in documents if document["kind"] == patch["target"]["kind"]]
        assert targets, patch
        for document in targets:
            patched(document, yaml.safe_load(patch["patch"]))
    return documents


class Pod:
    def __init__(self, name, domain, spec, key_folder, slots):
        self.name, self.address, self.spec, self.key_folder = name, f"{name}.{domain}", spec, key_folder
        self.container = spec["containers"][0]
        self.environment = {"K_MPI_JOB_ROLE": "worker"}
        self.config = {}  # files in /etc/mpi
        self.slots = slots

    def lead(self, workers):
        """Makes it the launcher of these pods."""
        self.environment = {"K_MPI_JOB_ROLE": "launcher", "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
                            "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
                            "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
                            "OMPI_MCA_orte_set_default_slots": str(self.slots),
                            "NVIDIA_VISIBLE_DEVICES": "", "NVIDIA_DRIVER_CAPABILITIES": ""}
        self.config = {"hostfile": "".join(f"{pod.address} slots={pod.slots}\n" for pod in workers)}
        return self

    def command(self):
        variables = {**{item["name"]: item["value"] for item in self.container.get("env", [])}, **self.environment}
        words = self.container.get("command", ["/usr/local/bin/entrypoint.sh"]) + self.container.get("args", [])
        return variables, [expanded(word, variables) for word in words]


def pods_of_mpijob(job, space="default"):
    """As mpi-operator makes them: the launcher and the workers."""
    name, spec = job["metadata"]["name"], job["spec"]
    domain, key = f"{name}.{job['metadata'].get('namespace', space)}.svc", spec["sshAuthMountPath"]
    roles = {role: replica["template"]["spec"] for role, replica in spec["mpiReplicaSpecs"].items()}
    assert "command" in roles["Worker"]["containers"][0], "the operator would run sshd -De"
    workers = [Pod(f"{name}-worker-{i}", domain, roles["Worker"], key, spec["slotsPerWorker"])
               for i in range(spec["mpiReplicaSpecs"]["Worker"]["replicas"])]
    return Pod(f"{name}-launcher", domain, roles["Launcher"], key, spec["slotsPerWorker"]).lead(workers), workers


def pods_of_trainjob(runtime, job):
    """As Kubeflow's trainer makes them."""
    name, trainer, mpi = job["metadata"]["name"], job["spec"]["trainer"], runtime["spec"]["mlPolicy"]["mpi"]
    jobs = {item["name"]: item["template"]["spec"]["template"]["spec"]
            for item in runtime["spec"]["template"]["spec"]["replicatedJobs"]}
    jobs["launcher"]["containers"][0]["args"] = trainer["args"]
    slots = trainer["numProcPerNode"]
    workers = [Pod(f"{name}-node-0-{i}", name, jobs["node"], mpi["sshAuthMountPath"], slots)
               for i in range(trainer["numNodes"])]
    return Pod(f"{name}-launcher-0-0", name, jobs["launcher"], mpi["sshAuthMountPath"], slots).lead(workers), workers


class Cluster:
    """Hosts as nodes, with one pod each; `folder` has what they share."""

    def __init__(self, hosts, folder):
        self._hosts, self._folder = hosts, folder
        self.claim = folder / "claim"  # the volume
        self._names = folder / "names"  # /etc/hosts of all pods: their DNS
        self._names.write_text("127.0.0.1 localhost\n")
        self._places = {}
        for name in ("data", "runs"):
            (self.claim / name).mkdir(parents=True)
        subprocess.run(["chown", "-R", "1000:1000", self.claim], check=True)
        self._key = folder / "secret"
        self._key.mkdir()
        subprocess.run(["ssh-keygen", "-q", "-t", "ecdsa", "-b", "521", "-m", "PEM", "-N", "", "-f", self._key / "id_rsa"],
                       check=True)
        public = (self._key / "id_rsa.pub").read_text()
        (self._key / "authorized_keys").write_text(public)
        for file in self._key.iterdir():
            file.chmod(0o644)  # as a Secret is mounted

    def start(self, pod):
        """Starts its container, the first time or again, and returns a Popen of it; its output is in FOLDER/POD.log."""
        if pod.name not in self._places:
            self._places[pod.name] = self._hosts.names[len(self._places)]
        host = self._places[pod.name]
        if pod.address not in self._names.read_text():
            address = self._hosts.run(host, ["hostname", "-I"]).split()[0]
            with open(self._names, "a") as file:
                file.write(f"{address} {pod.address} {pod.name}\n")
        with open(self._folder / f"{pod.name}.log", "ab") as log:
            return self._hosts.start(host, ["unshare", "--mount", "--pid", "--uts", "--fork", "sh", "-euc",
                                            self._script(pod)], stdout=log, stderr=log)

    @staticmethod
    def signal(container, number):
        """To its first process: SIGTERM is what a deleted pod gets, and SIGKILL takes all its processes along."""
        for first in pathlib.Path(f"/proc/{container.pid}/task/{container.pid}/children").read_text().split():
            os.kill(int(first), number)

    def log(self, pod):
        return (self._folder / f"{pod.name}.log").read_text(errors="replace")

    def _script(self, pod):
        files = SOURCE.resolve() / "docker"
        config = self._folder / f"{pod.name}.config"
        config.mkdir(exist_ok=True)
        for name, text in pod.config.items():
            (config / name).write_text(text)
        mounts = {pod.key_folder: f"--bind {self._key}", "/etc/mpi": f"--bind {config}"}
        volumes = {volume["name"]: volume for volume in pod.spec.get("volumes", [])}
        for mount in pod.container.get("volumeMounts", []):
            is_claim = "persistentVolumeClaim" in volumes[mount["name"]]
            mounts[mount["mountPath"]] = f"--bind {self.claim}" if is_claim else "-t tmpfs tmpfs"
        passwd = f"trainer:x:1000:1000::{HOME}:/bin/bash"
        lines = [f"hostname {pod.name}", "mount -t proc proc /proc",
                 # Mount points may be made in here, and files changed.
                 "mount -t tmpfs tmpfs /mnt", "cp -a /etc /mnt/", "mount --bind /mnt/etc /etc",
                 f"rm /etc/hosts; touch /etc/hosts; mount --bind {self._names} /etc/hosts",
                 f"grep -v ':1000:' /etc/passwd > /mnt/passwd || true; echo {passwd} >> /mnt/passwd; cp /mnt/passwd /etc/passwd",
                 f"mount -t tmpfs tmpfs /usr/local/bin; install -m 755 {files}/entrypoint.sh /usr/local/bin/",
                 f"touch /usr/local/bin/verbund; mount --bind {pathlib.Path(PROGRAM).resolve()} /usr/local/bin/verbund",
                 "mount -t tmpfs -o mode=755 tmpfs /home",
                 # As docker/install.sh does.
                 f"install -d -o 1000 -g 1000 {HOME} {HOME}/verbund; install -d -o 1000 -g 1000 -m 700 {HOME}/.ssh",
                 f"install -o 1000 -g 1000 -m 600 {files}/sshd_config {HOME}/.ssh/sshd_config",
                 f"install -o 1000 -g 1000 -m 600 {files}/ssh_config {HOME}/.ssh/config"]
        lines += [f"mkdir -p {path}; mount {source} {path}" for path, source in mounts.items()]
        security, container = pod.spec["securityContext"], pod.container["securityContext"]
        assert security["runAsNonRoot"] and container["capabilities"]["drop"] == ["ALL"]
        assert not container["allowPrivilegeEscalation"]
        variables, command = pod.command()
        variables = {"PATH": IMAGE_PATH, "HOME": HOME, "HOSTNAME": pod.name, **variables}
        words = ["setpriv", f"--reuid={security['runAsUser']}", f"--regid={security['runAsGroup']}",
                 f"--groups={security['fsGroup']}", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "env", "-i",
                 *(f"{name}={value}" for name, value in variables.items()), *command]
        return "\n".join([*lines, f"cd {HOME}/verbund", f"exec {shlex.join(words)}"])
