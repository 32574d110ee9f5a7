"""Several allocations that the steps of a run share: filled, renewed, lost, and given back."""

import subprocess
import time

from support import Project, case, check, processes_with, settings_of, wait_for


def jobs(kind):
    """The numbers of the jobs that wait or run, as the scheduler knows them."""
    if kind == "slurm":
        words = ["squeue", "--noheader", "--me", "--states=pending,running", "--format=%A"]
        return set(subprocess.run(words, capture_output=True, text=True).stdout.split())
    answer = subprocess.run(["qstat", "-u", "*"], capture_output=True, text=True)
    return {line.split()[0] for line in answer.stdout.splitlines()[2:]}


def keeping(kind, nodes, slots, **more):
    if kind == "slurm":
        return settings_of(kind, keep=nodes, cpus=slots, **more)
    return settings_of(kind, keep={"nodes": nodes, "slots": slots}, **more)


def are_gone(kind):
    """Whether no job is left; one ends shortly after what it has run."""
    return wait_for("no job is left", lambda: not jobs(kind), 20)


def used_by(project):
    return {line.split()[0] for line in project.effects()}


@case("slurm", "sge")
def several_allocations(kind):
    """Steps fill as many allocations as they need, and none is left when the run has ended."""
    steps = """
  - id: a
    foreach: { from: 1, to: 60 }
    run: "echo ${SLURM_JOB_ID:-$JOB_ID} $REPRISE_STEP_ID >> effects; sleep 1"
"""
    settings = keeping(kind, 3, 8)
    with Project(kind, steps, "max-parallel: 100\n", settings=settings) as project:
        begin = time.monotonic()
        status = project.end_of(project.start("run", "w.yaml"), 120)
        duration = time.monotonic() - begin
        made = used_by(project)
        steps = [line.split()[1] for line in project.effects()]
        check(
            status == 0 and len(set(steps)) == len(steps) == 60 and len(made) == 3
            and are_gone(kind),
            f"{kind}: 60 steps fill three allocations of eight ({status}, {made}, {duration:.1f} s)")


@case("slurm", "sge")
def allocation_lost(kind):
    """Steps of an allocation that ends early are lost with the reason, and retried in another one."""
    steps = """
  - id: a
    foreach: { from: 1, to: 4 }
    retry: { limit: 1, delay: 10ms }
    run: "echo ${SLURM_JOB_ID:-$JOB_ID} $REPRISE_STEP_ID >> effects; [ $REPRISE_ATTEMPT -gt 1 ] || sleep 8"
"""
    settings = keeping(kind, 2, 2)
    with Project(kind, steps, settings=settings) as project:
        engine = project.start("run", "w.yaml")
        wait_for("the steps run", lambda: len(project.effects()) == 4)
        job = sorted(used_by(project))[0]
        subprocess.run(["scancel" if kind == "slurm" else "qdel", job], check=True, capture_output=True)
        status = project.end_of(engine, 120)
        lost = [line for line in project.effects() if line.startswith(job)]
        check(
            status == 0 and len(lost) == 2 and len(project.effects()) == 6
            and project.shows("CANCELLED" if kind == "slurm" else "lost"),
            f"{kind}: only the steps of a lost allocation run again ({status}, {project.effects()})")


@case("slurm")
def allocation_renewed(kind):
    """No step begins in an allocation that does not last for it: another one is there in time."""
    steps = """
  - id: a
    foreach: { from: 1, to: 4 }
    max-parallel: 1
    timeout: 40s
    run: "echo ${SLURM_JOB_ID:-$JOB_ID} $REPRISE_STEP_ID >> effects; sleep 15"
"""
    settings = settings_of(kind, time="1m", keep=True)
    with Project(kind, steps, settings=settings) as project:
        status = project.end_of(project.start("run", "w.yaml"), 200)
        used = [line.split()[0] for line in project.effects()]
        check(
            status == 0 and len(used) == 4 and len(set(used)) == 2 and used[0] == used[1]
            and are_gone(kind),
            f"{kind}: an allocation is renewed before its time limit ({status}, {used})")


@case("slurm", "sge")
def several_allocations_adopted(kind):
    """The next engine adopts all allocations, with the steps in them."""
    steps = """
  - id: a
    foreach: { from: 1, to: 9 }
    run: "echo ${SLURM_JOB_ID:-$JOB_ID} $REPRISE_STEP_ID >> effects; sleep 5"
"""
    settings = keeping(kind, 3, 2)
    with Project(kind, steps, settings=settings) as project:
        engine = project.start("run", "w.yaml")
        wait_for("steps run", lambda: len(project.effects()) == 6)
        run = project.run_id()
        project.kill(engine)
        status = project.end_of(project.start("resume", "@last"))
        made = used_by(project)
        steps = [line.split()[1] for line in project.effects()]
        check(
            status == 0 and sorted(steps) == sorted(set(steps)) and len(steps) == 9
            and len(made) == 3 and are_gone(kind)
            and not processes_with(f"REPRISE_RUN_ID={run}"),
            f"{kind}: allocations are adopted with their steps ({status}, {made}, {steps})")


@case("slurm", "sge")
def idle_allocation_given_back(kind):
    """An allocation without steps is given back while the run goes on."""
    steps = """
  - { id: a, foreach: { from: 1, to: 4 }, run: "echo ${SLURM_JOB_ID:-$JOB_ID} a >> effects; sleep 2" }
  - { id: b, runner: local, run: "sleep 25" }
  - { id: c, run: "echo ${SLURM_JOB_ID:-$JOB_ID} c >> effects" }
"""
    settings = keeping(kind, 2, 2, orphan_after="10s")
    with Project(kind, steps, settings=settings) as project:
        engine = project.start("run", "w.yaml")
        wait_for("steps run", lambda: len(project.effects()) == 4)
        first = used_by(project)
        gone = wait_for("allocations are given back", lambda: not jobs(kind), 40)
        is_running = engine.poll() is None
        status = project.end_of(engine)
        last = project.effects()[-1].split()[0] if project.effects() else None
        check(
            gone and is_running and status == 0 and len(first) == 2 and last not in first,
            f"{kind}: idle allocations are given back ({status}, {first}, {last})")
