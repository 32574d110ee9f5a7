"""Several allocations of Slurm that the steps of a run share: filled, renewed, lost, and given back."""

import subprocess
import time

from support import Project, case, check, processes_with, settings_of, wait_for


def jobs(state):
    """The numbers of the jobs in a state, as Slurm knows them."""
    answer = subprocess.run(
        ["squeue", "--noheader", "--me", f"--states={state}", "--format=%A"],
        capture_output=True, text=True)
    return set(answer.stdout.split())


def are_gone():
    """Whether no job is left; one ends shortly after what it has run."""
    return wait_for("no job is left", lambda: not jobs("pending,running"), 5)


def used_by(project):
    return {line.split()[0] for line in project.effects()}


@case("slurm")
def several_allocations(kind):
    """Steps fill as many allocations as they need, and none is left when the run has ended."""
    steps = """
  - id: a
    foreach: { from: 1, to: 60 }
    run: "echo $SLURM_JOB_ID $REPRISE_STEP_ID >> effects; sleep 1"
"""
    settings = settings_of(kind, cpus=8, keep=3)
    with Project(kind, steps, "max-parallel: 100\n", settings=settings) as project:
        before = jobs("all")
        begin = time.monotonic()
        status = project.end_of(project.start("run", "w.yaml"), 120)
        duration = time.monotonic() - begin
        made = jobs("all") - before
        steps = [line.split()[1] for line in project.effects()]
        check(
            status == 0 and len(set(steps)) == len(steps) == 60 and len(made) == 3
            and used_by(project) == made and are_gone(),
            f"{kind}: 60 steps fill three allocations of eight ({status}, {made}, {duration:.1f} s)")


@case("slurm")
def allocation_lost(kind):
    """Steps of an allocation that ends early are lost with the reason, and retried in another one."""
    steps = """
  - id: a
    foreach: { from: 1, to: 4 }
    retry: { limit: 1, delay: 10ms }
    run: "echo $SLURM_JOB_ID $REPRISE_STEP_ID >> effects; [ $REPRISE_ATTEMPT -gt 1 ] || sleep 8"
"""
    settings = settings_of(kind, cpus=2, keep=2)
    with Project(kind, steps, settings=settings) as project:
        engine = project.start("run", "w.yaml")
        wait_for("the steps run", lambda: len(project.effects()) == 4)
        job = sorted(used_by(project))[0]
        subprocess.run(["scancel", job], check=True)
        status = project.end_of(engine, 120)
        lost = [line for line in project.effects() if line.startswith(job)]
        check(
            status == 0 and len(lost) == 2 and len(project.effects()) == 6
            and project.shows("CANCELLED"),
            f"{kind}: only the steps of a lost allocation run again ({status}, {project.effects()})")


@case("slurm")
def allocation_renewed(kind):
    """No step begins in an allocation that does not last for it: another one is there in time."""
    steps = """
  - id: a
    foreach: { from: 1, to: 4 }
    max-parallel: 1
    timeout: 40s
    run: "echo $SLURM_JOB_ID $REPRISE_STEP_ID >> effects; sleep 15"
"""
    settings = settings_of(kind, time="1m", keep=True)
    with Project(kind, steps, settings=settings) as project:
        status = project.end_of(project.start("run", "w.yaml"), 200)
        used = [line.split()[0] for line in project.effects()]
        check(
            status == 0 and len(used) == 4 and len(set(used)) == 2 and used[0] == used[1]
            and are_gone(),
            f"{kind}: an allocation is renewed before its time limit ({status}, {used})")


@case("slurm")
def several_allocations_adopted(kind):
    """The next engine adopts all allocations, with the steps in them."""
    steps = """
  - id: a
    foreach: { from: 1, to: 9 }
    run: "echo $SLURM_JOB_ID $REPRISE_STEP_ID >> effects; sleep 5"
"""
    settings = settings_of(kind, cpus=2, keep=3)
    with Project(kind, steps, settings=settings) as project:
        before = jobs("all")
        engine = project.start("run", "w.yaml")
        wait_for("steps run", lambda: len(project.effects()) == 6)
        run = project.run_id()
        project.kill(engine)
        status = project.end_of(project.start("resume", "@last"))
        made = jobs("all") - before
        steps = [line.split()[1] for line in project.effects()]
        check(
            status == 0 and sorted(steps) == sorted(set(steps)) and len(steps) == 9
            and len(made) == 3 and are_gone()
            and not processes_with(f"REPRISE_RUN_ID={run}"),
            f"{kind}: allocations are adopted with their steps ({status}, {made}, {steps})")


@case("slurm")
def idle_allocation_given_back(kind):
    """An allocation without steps is given back while the run goes on."""
    steps = """
  - { id: a, foreach: { from: 1, to: 4 }, run: "echo $SLURM_JOB_ID a >> effects; sleep 2" }
  - { id: b, runner: local, run: "sleep 25" }
  - { id: c, run: "echo $SLURM_JOB_ID c >> effects" }
"""
    settings = settings_of(kind, cpus=2, keep=2, orphan_after="10s")
    with Project(kind, steps, settings=settings) as project:
        engine = project.start("run", "w.yaml")
        wait_for("steps run", lambda: len(project.effects()) == 4)
        first = used_by(project)
        gone = wait_for("allocations are given back", lambda: not jobs("pending,running"), 30)
        is_running = engine.poll() is None
        status = project.end_of(engine)
        last = project.effects()[-1].split()[0] if project.effects() else None
        check(
            gone and is_running and status == 0 and len(first) == 2 and last not in first,
            f"{kind}: idle allocations are given back ({status}, {first}, {last})")
