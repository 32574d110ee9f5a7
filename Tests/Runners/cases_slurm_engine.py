"""The engine itself as a job of Slurm, or of Grid Engine: `--submit`."""

import json
import os
import subprocess

from cases_slurm import Slurm
from support import KEYS, Project, case, check, lines, processes_with, settings_of, wait_for


class Submitted:
    """A project whose engine is a job on n3; its steps are jobs elsewhere, or run beside it."""

    def __init__(self, kind, steps, **settings):
        extra = kind == "slurm"
        engine = settings_of(kind, **({"extra": ["--nodelist=n3"]} if extra else {}), **settings)
        others = settings_of(kind, **({"extra": ["--exclude=n3"]} if extra else {}))
        self.project = Project(
            kind, steps, settings=others,
            others=f"  engine: {{ {KEYS.get(kind, kind)}: {engine} }}\n")
        self.run = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.project.remove()

    def submit(self, *words):
        answer = self.project.command(*(words or ("run", "w.yaml")), "--submit", "engine")
        self.run = answer.stdout.strip()
        return answer

    def status(self):
        answer = self.project.command("runs", "--json")
        runs = [json.loads(line) for line in answer.stdout.splitlines()]
        return next((run["status"] for run in runs if run["id"] == self.run), "")

    def ends(self, status, seconds=60):
        return wait_for(f"the run is {status}", lambda: self.status() == status, seconds)

    def log(self):
        return lines(f"{self.project.folder}/.reprise/runs/{self.run}/engine.log")

    def is_gone(self):
        """Nothing of the run is left, in the queue or as a process."""
        listed = queued if self.project.kind == "slurm" else grid_queued
        return wait_for("nothing is left", lambda: listed() == [] and not processes_with(
            f"REPRISE_RUN_ID={self.run}"), 30)


def queued(*options):
    answer = subprocess.run(["squeue", "-h", "--me", "-o", "%A", *options],
                            capture_output=True, text=True)
    return answer.stdout.split()


def grid_queued():
    answer = subprocess.run(["qstat", "-u", "*"], capture_output=True, text=True)
    return [line.split()[0] for line in answer.stdout.splitlines()[2:]]


STEPS = """
  - id: near
    needs: []
    runner: local
    run: "echo near $SLURMD_NODENAME >> effects; while [ ! -e go ]; do sleep 0.1; done"
  - id: far
    needs: []
    run: "echo far $SLURMD_NODENAME >> effects; while [ ! -e go ]; do sleep 0.1; done; echo ended >> effects"
"""


@case("slurm")
def engine_submitted(kind):
    """The engine is a job; a step beside it, and one that is a job of its own, run once."""
    with Submitted(kind, STEPS) as submitted:
        answer = submitted.submit()
        effects = submitted.project.effects
        wait_for("both steps begin", lambda: len(effects()) == 2)
        open(submitted.project.folder + "/go", "w").close()
        fine = submitted.ends("succeeded") and submitted.is_gone()
        nodes = dict(line.split() for line in effects()[:2])
        check(
            answer.returncode == 0 and fine and nodes["near"] == "n3" and nodes["far"] != "n3",
            f"{kind}: the engine runs as a job, and its steps are jobs of their own ({nodes})")


@case("slurm")
def engine_submitted_and_ended(kind):
    """Slurm ends the job of the engine: the steps that are jobs go on, and the next engine adopts them."""
    with Submitted(kind, STEPS) as submitted:
        submitted.submit()
        effects = submitted.project.effects
        wait_for("both steps begin", lambda: len(effects()) == 2)
        subprocess.run(["scancel", *queued("-w", "n3")], check=True)
        submitted.ends("interrupted")
        goes_on = len(queued()) == 1
        open(submitted.project.folder + "/go", "w").close()
        run = submitted.run
        answer = submitted.submit("resume", run)
        fine = submitted.ends("succeeded") and submitted.is_gone()
        names = sorted(line.split()[0] for line in effects())
        check(
            goes_on and answer.returncode == 0 and submitted.run == run and fine
            and names == ["ended", "far", "near", "near"],
            f"{kind}: when Slurm ends the engine, another job resumes the run ({names})")


@case("slurm")
def engine_submitted_time_limit(kind):
    """The time limit of the job of the engine: the run is interrupted, whatever its steps do then."""
    with Submitted(kind, STEPS, time="1m") as submitted:
        submitted.submit()
        wait_for("both steps begin", lambda: len(submitted.project.effects()) == 2)
        interrupted = submitted.ends("interrupted", 240)
        # The job of the engine completes a moment after its process has ended.
        goes_on = wait_for("its step goes on alone", lambda: len(queued()) == 1)
        answer = submitted.project.command("cancel", submitted.run)
        check(
            bool(interrupted) and goes_on and answer.returncode == 0 and submitted.is_gone()
            and submitted.status() == "cancelled",
            f"{kind}: at its time limit, the engine leaves a run that can be resumed or cancelled")


@case("slurm")
def engine_submitted_and_waiting(kind):
    """A cancel while the job of the engine waits leaves nothing in the queue."""
    try:
        Slurm.set_partition("down")
        with Submitted(kind, STEPS) as submitted:
            submitted.submit()
            shown = submitted.project.command("show", submitted.run)
            answer = submitted.project.command("cancel", submitted.run)
            left = queued()
            check(
                "has not started" in shown.stderr and answer.returncode == 0 and left == [],
                f"{kind}: an engine that waits in the queue is cancelled ({left})")
    finally:
        Slurm.set_partition("up")


@case("slurm")
def engine_submitted_and_cancelled(kind):
    """A cancel from a machine that cannot reach the socket of the engine, ten times at any moment."""
    for number in range(10):
        with Submitted(kind, STEPS) as submitted:
            submitted.submit()
            wait_for("the run begins", lambda: submitted.status() == "running")
            if number % 2:
                wait_for("both steps begin", lambda: len(submitted.project.effects()) == 2)
            os.remove(f"{submitted.project.folder}/.reprise/live/{submitted.run}.sock")
            answer = submitted.project.command("cancel", submitted.run)
            status = submitted.status()
            if not check(
                    answer.returncode == 0 and status == "cancelled" and submitted.is_gone(),
                    f"{kind}: an engine on another machine is cancelled ({status})"):
                print("\n".join(["          " + line for line in submitted.log()]))
                break


@case("slurm")
def engine_submitted_and_killed(kind):
    """The host of the engine and all that it has started are killed: the run can be resumed."""
    with Submitted(kind, STEPS) as submitted:
        submitted.submit()
        wait_for("both steps begin", lambda: len(submitted.project.effects()) == 2)
        subprocess.run(["scancel", "--signal=KILL", "--full", *queued("-w", "n3")], check=True)
        submitted.ends("interrupted")
        open(submitted.project.folder + "/go", "w").close()
        status = submitted.project.start("resume", submitted.run).wait(60)
        names = sorted(line.split()[0] for line in submitted.project.effects())
        check(
            status == 0 and submitted.is_gone() and names == ["ended", "far", "near", "near"],
            f"{kind}: a killed engine in a job leaves a run that is resumed here ({names})")


@case("sge")
def engine_submitted_to_grid(kind):
    """On Grid Engine: qdel kills the engine, and another job of it goes on with what its steps do."""
    with Submitted(kind, STEPS) as submitted:
        submitted.submit()
        effects = submitted.project.effects
        wait_for("both steps begin", lambda: len(effects()) == 2)
        job = json.load(open(
            f"{submitted.project.folder}/.reprise/runs/{submitted.run}/engine.job/job.json"))["job"]
        subprocess.run(["qdel", job], check=True, capture_output=True)
        submitted.ends("interrupted")
        goes_on = wait_for("the job of the step is left", lambda: len(grid_queued()) == 1, 20)
        open(submitted.project.folder + "/go", "w").close()
        answer = submitted.submit("resume", submitted.run)
        fine = submitted.ends("succeeded") and submitted.is_gone()
        names = sorted(line.split()[0] for line in effects())
        check(
            bool(goes_on) and answer.returncode == 0 and fine
            and names == ["ended", "far", "near", "near"],
            f"{kind}: when Grid Engine ends the engine, another job resumes the run ({names})")


@case("sge")
def engine_submitted_to_closed_queue(kind):
    """A cancel while the job of the engine waits on Grid Engine leaves nothing in the queue."""
    try:
        subprocess.run(["qmod", "-d", "main.q"], capture_output=True)
        with Submitted(kind, STEPS) as submitted:
            submitted.submit()
            answer = submitted.project.command("cancel", submitted.run)
            left = wait_for("the queue is empty", lambda: grid_queued() == [], 20)
            check(
                answer.returncode == 0 and bool(left),
                f"{kind}: an engine that waits in the queue is cancelled")
    finally:
        subprocess.run(["qmod", "-e", "main.q"], capture_output=True)
