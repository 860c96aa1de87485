# SPDX-License-Identifier: Apache-2.0
"""One prepared dataset and one trained model that test files share. CTest makes them before the tests that need them; a
test file that is run by hand makes what is missing. Tests only read them: who changes something copies it first.

    python3 tests/support/fixtures.py    # makes both
"""

import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import PROGRAM  # noqa: E402

FOLDER = pathlib.Path(os.environ.get("VERBUND_FIXTURES", pathlib.Path(PROGRAM).resolve().parent / "fixtures"))

# A small demo corpus.
VOCABULARY = 400
CORPUS = ["--corpus", "demo", "--set", "corpus.generated_pairs=1000", "--set", f"subwords.vocabulary={VOCABULARY}",
          "--set", "subwords.character_coverage=1"]

# A tiny model that has been saved and evaluated three times; a step takes some milliseconds.
STEPS, EVERY = 150, 50
MODEL = {"model.d_model": 32, "model.heads": 2, "model.d_ff": 64, "model.encoder_layers": 1, "model.decoder_layers": 1,
         "batch.tokens": 600, "schedule.learning_rate": 1, "schedule.warmup_steps": 50, "threads": 1,
         "train.log_every": 5, "train.eval_every": EVERY, "evaluate.sentences": 8, "decode.max_extra": 5,
         "checkpoint.save_every_steps": EVERY}


def settings(values):
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]


def training(run, steps=STEPS, data=None, **more):
    """The command line that trains the model; keys of `more` have __ for a dot."""
    values = {**MODEL, "train.max_steps": steps, **{key.replace("__", "."): value for key, value in more.items()}}
    return ["train", "--data", data or dataset(), "--run", run, *settings(values)]


def dataset():
    """The folder of the dataset."""
    return made("dataset", lambda folder: ["prepare", *CORPUS, "--out", folder])


def model():
    """The folder of the run."""
    return made("model", lambda folder: training(folder))


def copy_of_model(folder):
    return shutil.copytree(model(), folder, symlinks=True)


def made(name, command):
    """FOLDER/NAME, made again if the program or the command has changed since. NAME.json, written last, says so."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    folder, note = FOLDER / name, FOLDER / f"{name}.json"
    arguments = [str(word) for word in command(folder)]
    program = os.stat(PROGRAM)
    state = {"program": [program.st_size, program.st_mtime_ns], "arguments": arguments}
    with locked(FOLDER / f"{name}.lock"):
        if note.exists() and json.loads(note.read_text()) == state:
            return folder
        note.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
            raise RuntimeError(f"the fixture {name} cannot be made: {done.stderr}")
        partial = note.with_suffix(".partial")
        partial.write_text(json.dumps(state))
        partial.rename(note)
    return folder


@contextlib.contextmanager
def locked(path):
    """Two test files that are run by hand at the same time make it once."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    print(dataset(), model(), sep="\n")
