# SPDX-License-Identifier: Apache-2.0
"""Jobs for Kubernetes against the schemas of the operators themselves: mpi-operator's MPIJob (v2beta1) and the TrainJob and
TrainingRuntime of Kubeflow's trainer (v1alpha1), whose schemas cover pods to the last field. Kubernetes drops a field that
a schema does not know, so here every such field is an error.

Skipped (exit code 77) where jsonschema or PyYAML, or the schemas (../shared/data/kubernetes), are missing.
"""
import copy
import gzip
import re
import subprocess
import sys
import unittest
from pathlib import Path

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"skipped: {error}; install jsonschema and pyyaml to run this test")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import kubernetes  # noqa: E402
from support.program import DATA, PROGRAM, SOURCE  # noqa: E402

SCHEMAS = DATA / "kubernetes"
if not SCHEMAS.exists():
    print(f"skipped: there is no {SCHEMAS}")
    sys.exit(77)
DEPLOY = SOURCE / "deploy" / "kubernetes"


def strict(schema):
    """The schema without fields that it does not name."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: strict(value) if key not in ("default", "enum") else value for key, value in schema.items()}
    if "properties" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
        schema.setdefault("additionalProperties", False)
    if schema.get("x-kubernetes-int-or-string"):
        schema.pop("type", None)
    return schema


def schema_of(name, version):
    documents = yaml.safe_load_all(gzip.open(SCHEMAS / f"{name}.crd.yaml.gz"))
    (definition,) = [document for document in documents if document]
    (found,) = [item for item in definition["spec"]["versions"] if item["name"] == version]
    schema = strict(found["schema"]["openAPIV3Schema"])
    schema["properties"]["metadata"] = {}  # Kubernetes' own
    return schema


MPIJOB = schema_of("mpijobs", "v2beta1")
SCHEMA_OF = {"MPIJob": MPIJOB, "TrainJob": schema_of("trainjobs", "v1alpha1"),
             "TrainingRuntime": schema_of("trainingruntimes", "v1alpha1")}
POD = MPIJOB["properties"]["spec"]["properties"]["mpiReplicaSpecs"]["additionalProperties"]["properties"]["template"]
JOB = SCHEMA_OF["TrainingRuntime"]["properties"]["spec"]["properties"]["template"]["properties"]["spec"]["properties"][
    "replicatedJobs"]["items"]["properties"]["template"]["properties"]["spec"]


def faults(document, schema=None):
    validator = jsonschema.Draft4Validator(schema or SCHEMA_OF[document["kind"]])
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in validator.iter_errors(document)]


def printed(*arguments):
    done = subprocess.run([PROGRAM, "launch", *map(str, arguments)], capture_output=True, text=True, check=True)
    return yaml.safe_load(done.stdout)


class SchemaTest(unittest.TestCase):
    def assert_valid(self, document):
        self.assertEqual(faults(document), [])

    def test_printed_jobs(self):
        for more in ([], ["--gpus", 2, "--cpu", "500m", "--memory", "0.5Gi", "--namespace", "nmt"],
                     ["--min-workers", 2, "--nic", "eth0", "--claim", "a.b"]):
            self.assert_valid(printed("--print-mpijob", "demo", "-n", 4, "--slots", 2, *more, "--", "train", "--data", "x"))

    def test_given_jobs(self):
        kinds = set()
        for folder in ("mpijob", "mpijob-gpu", "trainjob", "trainjob-gpu"):
            for document in kubernetes.kustomized(DEPLOY / folder):
                self.assert_valid(document)
                kinds.add(document["kind"])
        self.assertEqual(kinds, set(SCHEMA_OF))

    def test_volume_and_preparation(self):
        """Objects of Kubernetes itself, of which the operators' schemas contain the parts."""
        claim, job = kubernetes.kustomized(DEPLOY / "data")
        self.assertEqual((claim["kind"], job["kind"]), ("PersistentVolumeClaim", "Job"))
        self.assertEqual(faults(job["spec"], JOB), [])
        claims = POD["properties"]["spec"]["properties"]["volumes"]["items"]["properties"]["ephemeral"]["properties"][
            "volumeClaimTemplate"]["properties"]["spec"]
        self.assertEqual(faults(claim["spec"], claims), [])

    def test_operators_rules_beyond_their_schemas(self):
        for folder in ("mpijob", "mpijob-gpu"):
            (job,) = kubernetes.kustomized(DEPLOY / folder)
            replicas = job["spec"]["mpiReplicaSpecs"]
            self.assertEqual(replicas["Launcher"]["replicas"], 1)
            self.assertLessEqual({replica["restartPolicy"] for replica in replicas.values()}, {"Never", "OnFailure"})
            self.assertIn(job["spec"]["runPolicy"]["cleanPodPolicy"], {"None", "Running", "All"})
        runtime, job = kubernetes.kustomized(DEPLOY / "trainjob")
        (rule, length) = SCHEMA_OF["TrainJob"]["x-kubernetes-validations"]
        pattern = re.search(r"matches\('(.*)'\)", rule["rule"])[1]
        self.assertRegex(job["metadata"]["name"], pattern)
        self.assertEqual(job["spec"]["runtimeRef"]["name"], runtime["metadata"]["name"])
        launcher = runtime["spec"]["template"]["spec"]["replicatedJobs"][1]["template"]
        self.assertEqual(launcher["metadata"]["labels"], {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"})
        self.assertEqual(launcher["spec"]["template"]["spec"]["restartPolicy"], "Never", "podFailurePolicy requires it")

    def test_a_fault_is_found(self):
        """In every part: the check is none if it finds nothing."""
        good = printed("--print-mpijob", "demo", "-n", 2, "--", "train")
        worker = ("spec", "mpiReplicaSpecs", "Worker", "template", "spec")
        for path, value in ((("spec", "slotsPerWorker"), "two"), (("spec", "mpiImplementation"), "LAM"),
                            (("spec", "slotsPerworker"), 2), ((*worker, "containers", 0, "comand"), []),
                            ((*worker, "containers", 0, "args"), [1]), ((*worker, "securityContext", "runAsUser"), "x"),
                            ((*worker, "containers", 0, "resources", "limits", "memory"), "4GB"),
                            ((*worker, "containers", 0, "securityContext", "privilege"), False),
                            ((*worker, "volumes", 0, "persistentVolumeClaim", "claim"), "x")):
            bad = copy.deepcopy(good)
            place = bad
            for part in path[:-1]:
                place = place[part]
            place[path[-1]] = value
            self.assertEqual(len(faults(bad)), 1, path)


if __name__ == "__main__":
    unittest.main(verbosity=2)
