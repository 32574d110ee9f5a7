"""Commands of Slurm that lie, and a controller that is away while jobs wait."""

import os
import shutil
import signal
import tempfile
import time

from cases_slurm import Slurm
from support import Project, case, check, wait_for

BEFORE = os.environ["PATH"]


class Fakes:
    """Scripts that are found before the commands of Slurm, while this is a context."""

    def __init__(self, text):
        self.folder = tempfile.mkdtemp(prefix="reprise-fakes-")
        real = {name: shutil.which(name) for name in ("sbatch", "squeue", "scancel")}
        for name in real:
            with open(f"{self.folder}/{name}", "w") as file:
                file.write(HEAD.replace("{real!r}", repr(real)) + text)
                file.write("os.execv(real, [real, *sys.argv[1:]])\n")
            os.chmod(f"{self.folder}/{name}", 0o755)

    def __enter__(self):
        os.environ["PATH"] = self.folder + ":" + BEFORE

    def __exit__(self, *_):
        os.environ["PATH"] = BEFORE
        shutil.rmtree(self.folder)


HEAD = """#!/usr/bin/env python3
import os, random, subprocess, sys, time
name = os.path.basename(sys.argv[0])
real = {real!r}[name]
dice = random.Random(int.from_bytes(os.urandom(4), "big"))
lie = dice.random()
"""

LIES = """
if name == "sbatch":
    if lie < 0.25:
        subprocess.run([real, *sys.argv[1:]], capture_output=True)
        sys.stderr.write("sbatch: error: Unable to contact slurm controller (connect failure)\\n")
        sys.exit(1)
    if lie < 0.5:
        subprocess.run([real, *sys.argv[1:]], capture_output=True)
    elif lie < 0.6:
        sys.stderr.write("sbatch: error: Socket timed out on send/recv operation\\n")
        sys.exit(1)
elif name == "squeue":
    if lie < 0.2:
        sys.exit(0)
    if lie < 0.3:
        time.sleep(2)
        sys.stderr.write("slurm_load_jobs error: Unable to contact slurm controller\\n")
        sys.exit(1)
elif lie < 0.5:
    sys.exit(0)
"""

FORGETS = """
if name == "squeue":
    sys.exit(0)
"""


# A list that knows a job two seconds after its submission, and a removal that does not either.
LATE = """
path = os.path.dirname(sys.argv[0]) + "/times"
def times():
    try:
        return [line.split() for line in open(path)]
    except FileNotFoundError:
        return []
if name == "sbatch":
    said = subprocess.run([real, *sys.argv[1:]], capture_output=True, text=True)
    with open(path, "a") as file:
        for job in said.stdout.split():
            file.write(f"{job} {time.time()}\\n")
    sys.stdout.write(said.stdout)
    sys.stderr.write(said.stderr)
    sys.exit(said.returncode)
young = {job for job, begun in times() if time.time() - float(begun) < 1.5}
if name == "squeue":
    said = subprocess.run([real, *sys.argv[1:]], capture_output=True, text=True)
    for line in said.stdout.splitlines():
        if not young & {word.split("_")[0] for word in line.split("|")}:
            print(line)
    sys.exit(said.returncode)
sys.argv[1:] = [word for word in sys.argv[1:] if word.split("_")[0] not in young]
if len(sys.argv) == 1:
    sys.exit(0)
"""


@case("slurm")
def cancelled_at_once(kind):
    """A run is cancelled when its jobs have just been submitted, and Slurm does not list them yet."""
    steps = '  - { id: a, foreach: { from: 1, to: 3 }, run: "echo ran >> effects" }\n'
    try:
        Slurm.set_partition("down")
        left = []
        for _ in range(5):
            with Fakes(LATE), Project(kind, steps, "max-parallel: 9\n") as project:
                engine = project.start("run", "w.yaml")
                wait_for("jobs are submitted", lambda: Slurm.queued() >= 3)
                engine.send_signal(signal.SIGTERM)
                status = project.end_of(engine, 60)
                left.append((status, Slurm.queued(), project.effects()))
        check(
            left == [(143, 0, [])] * 5,
            f"{kind}: a run that is cancelled at once leaves nothing in the queue ({left})")
    finally:
        Slurm.set_partition("up")


@case("slurm")
def lying_commands(kind):
    """sbatch that submits twice or answers late, squeue that forgets, scancel that does nothing."""
    steps = """
  - { id: a, foreach: { from: 1, to: 12 }, run: "echo $REPRISE_STEP_ID >> effects; sleep 0.5" }
"""
    try:
        # Jobs that wait exist only by what squeue says.
        Slurm.set_partition("down")
        with Fakes(LIES), Project(kind, steps) as project:
            engine = project.start("run", "w.yaml")
            wait_for("jobs wait", lambda: project.shows("PartitionDown"))
            time.sleep(8)
            Slurm.set_partition("up")
            status = project.end_of(engine, 240)
            effects = sorted(project.effects())
            check(
                status == 0 and effects == sorted(f"a[{n}]" for n in range(12)),
                f"{kind}: with commands that lie, each of 12 steps runs once (status {status}, "
                f"{len(effects)} effects)")
    finally:
        Slurm.set_partition("up")


@case("slurm")
def queue_forgets(kind):
    """squeue denies jobs that wait: their step is lost, and they never begin, not even later."""
    # The second step keeps the run going, and with it the folder of the first one.
    steps = """
  - { id: a, run: "echo ran >> effects" }
  - { id: b, needs: [], runner: local, run: "while [ ! -e go ]; do sleep 0.1; done" }
"""
    try:
        Slurm.set_partition("down")
        with Fakes(FORGETS), Project(kind, steps) as project:
            engine = project.start("run", "w.yaml")
            wait_for("the step is lost", lambda: project.shows("was lost"))
            Slurm.set_partition("up")
            Slurm.wait_until_idle()
            time.sleep(2)
            open(project.folder + "/go", "w").close()
            status = project.end_of(engine)
            check(
                status == 1 and project.shows("does not know its job")
                and project.effects() == [],
                f"{kind}: a job that squeue has forgotten never runs, when its step is lost "
                f"(status {status}, {project.effects()})")
    finally:
        Slurm.set_partition("up")


@case("slurm")
def queued_without_controller(kind):
    """slurmctld is away while a job waits: the run waits, too, and the job runs once."""
    try:
        Slurm.set_partition("down")
        with Project(kind, '  - { id: a, run: "echo ran >> effects" }\n') as project:
            engine = project.start("run", "w.yaml")
            wait_for("the job waits", lambda: project.shows("PartitionDown"))
            # Until then slurmctld may really forget it, and the step is lost.
            queued = time.time()
            wait_for("Slurm has saved it", lambda: Slurm.saved_at() > queued)
            Slurm.kill("slurmctld")
            said = wait_for("the run says so", lambda: project.shows("Unable to contact"))
            Slurm.start_controller()
            waits = engine.poll() is None
            wait_for("slurmctld answers", lambda: Slurm.set_partition("up"), 30)
            status = project.end_of(engine)
            check(
                bool(said) and waits and status == 0 and project.effects() == ["ran"],
                f"{kind}: a job waits for slurmctld, and runs once (status {status})")
    finally:
        Slurm.set_partition("up")
