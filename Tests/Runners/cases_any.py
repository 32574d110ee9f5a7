"""Failures that any runner must survive: engines and hosts are killed, tokens are used twice."""

import os
import random
import signal
import subprocess
import sys
import time

from support import (
    DETACHING, KEEPING, KEYS, KILLS, PROGRAM, SEED, Project, case, check, lines, parent_of,
    processes_with, processes_with_command, running, settings_of, signal_all, wait_for)


STEPS = """
  - { id: one, run: "echo one >> effects; sleep 0.3" }
  - parallel:
      - { id: two, run: "echo two >> effects; sleep 0.4; echo v=2 > $REPRISE_OUTPUT" }
      - { id: three, run: "sleep 0.2; echo three >> effects" }
      - { id: four, run: "echo four >> effects; sleep 0.1" }
  - { id: five, env: { V: "${{ steps.two.outputs.v }}" }, run: "test \\"$V\\" = 2; echo five >> effects" }
"""


@case("survive", "sandbox", "ssh", "container", "docker", "slurm", "sge")
def engine_killed(kind):
    """Engines are killed at random points; adopted attempts run once, and side effects are counted."""
    survives = kind != "sandbox"
    print(f"{kind}: the engine is killed {KILLS} times (seed {SEED})", flush=True)
    dice = random.Random(SEED)
    kills = 0
    while kills < KILLS:
        project = Project(kind, STEPS)
        engine = project.start("run", "w.yaml")
        run = None
        for _ in range(30):
            try:
                engine.wait(dice.uniform(0.02, 1.2))
                break
            except subprocess.TimeoutExpired:
                pass
            if kills >= KILLS:
                engine.wait(120)
                break
            project.kill(engine)
            kills += 1
            run = run or project.run_id()
            if run is None:
                # Killed before the run was recorded: nothing has begun.
                engine = project.start("run", "w.yaml")
                continue
            left = [] if survives else processes_with(f"REPRISE_RUN_ID={run}")
            if left:
                check(False, f"{kind}: nothing is left of a killed engine: {left}")
            engine = project.start("resume", run)
        try:
            status = engine.wait(180)
        except subprocess.TimeoutExpired:
            status = None
        effects = lines(project.folder + "/effects")
        run = run or project.run_id()
        # The engine may have been killed right after the end of the run was recorded.
        if status == 2 and "has succeeded: there is nothing to resume" in "\n".join(
                lines(project.folder + "/engine.log")[-2:]):
            status = 0
        if survives:
            exact = sorted(effects) == sorted(["one", "two", "three", "four", "five"])
            fine = status == 0 and exact
        else:
            # Steps that die with their engine run again; each at least once, and none twice at once.
            fine = status == 0 and set(effects) == {"one", "two", "three", "four", "five"}
        if not fine or (run and processes_with(f"REPRISE_RUN_ID={run}")):
            check(False, f"{kind}: status {status}, effects {effects}, run {run}, {project.folder}")
            print("\n".join(lines(project.folder + "/engine.log")[-30:]))
            return
        project.remove()
    check(True, f"{kind}: {kills} kills, each success with exactly its side effects")


@case("survive", "sandbox", "ssh", "container", "docker", "slurm", "sge")
def side_by_side(kind):
    """A step that outlives every timer goes on while steps of every other runner end beside it."""
    for keep in [False] + [True] * (kind in KEEPING):
        others = ["local"]
        named = ""
        # Where jobs of AWS run, only what is in one folder is there.
        for other in [other for other in sys.argv[2:] if other != "aws"]:
            for more in [{}] + [{"keep": True}] * (other in KEEPING):
                others.append(f"r{len(others)}")
                named += f"  {others[-1]}: {{ {KEYS.get(other, other)}: {settings_of(other, **more)} }}\n"
        steps = '  - { id: long, run: "echo begun >> effects; sleep 8; echo ended >> effects" }\n'
        # The step after the local one shows whether something has ended with that.
        for number, other in enumerate(others):
            needs = f"o{number - 1}" if number else ""
            steps += f"  - {{ id: o{number}, needs: [{needs}], runner: {other}, run: sleep 0.5 }}\n"
        far = settings_of(kind, keep=True) if keep else None
        with Project(kind, steps, settings=far, others=named) as project:
            status = project.end_of(project.start("run", "w.yaml"))
            check(
                status == 0 and project.effects() == ["begun", "ended"],
                f"{kind}{' kept' if keep else ''}: a step of 8 s goes on beside {len(others)} others "
                f"(status {status}, {project.effects()})")


@case("survive", "ssh", "container", "docker", "slurm", "sge")
def adoption(kind):
    """A long step goes on without its engine, and its result is collected later."""
    project = Project(kind, """
  - { id: long, run: "echo begun >> effects; sleep 2; echo ended >> effects; echo v=1 > $REPRISE_OUTPUT" }
  - { id: next, env: { V: "${{ steps.long.outputs.v }}" }, run: "test \\"$V\\" = 1" }
""")
    try:
        for moment in ("while it runs", "after its end"):
            for name in ("effects",):
                if os.path.exists(f"{project.folder}/{name}"):
                    os.remove(f"{project.folder}/{name}")
            engine = project.start("run", "w.yaml")
            wait_for("the step begins", lambda: lines(project.folder + "/effects"))
            project.kill(engine)
            run = project.run_id()
            if moment == "after its end":
                wait_for("the step ends", lambda: len(lines(project.folder + "/effects")) == 2)
            status = project.start("resume", run).wait(60)
            check(
                status == 0 and lines(project.folder + "/effects") == ["begun", "ended"],
                f"{kind}: a step is adopted {moment}, and runs once")
    finally:
        project.remove()


@case("survive", "container", "docker", "slurm", "sge")
def host_killed(kind):
    """The host of an attempt is killed: its guardian ends the rest, and the attempt is lost."""
    project = Project(kind, DETACHING)
    try:
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", lambda: lines(project.folder + "/effects"))
        run = project.run_id()
        hosts = [
            process for process in processes_with_command("host", run)
            if parent_is_host(process, run)]
        signal_all(hosts, signal.SIGKILL)
        try:
            status = engine.wait(60)
        except subprocess.TimeoutExpired:
            status = None
        log = "\n".join(lines(project.folder + "/engine.log"))
        check(
            bool(hosts) and status == 1 and "was lost" in log
            and not processes_with(f"REPRISE_RUN_ID={run}"),
            f"{kind}: a killed host leaves nothing, and its step is lost (status {status})")
    finally:
        project.remove()


@case("survive", "sandbox", "ssh", "container", "docker", "slurm", "sge")
def cancelled(kind):
    """A cancelled run ends when nothing is left of a step that ignores SIGTERM and detaches."""
    with running(kind, """
  - id: a
    run: "trap '' TERM; (setsid sh -c \\"trap '' TERM; sleep 600\\" &); echo up >> effects; sleep 600"
""", head="grace: 1s\n") as (project, engine, entry):
        before = len(processes_with(entry))
        engine.send_signal(signal.SIGTERM)
        status = project.end_of(engine)
        left = processes_with(entry)
        check(
            before >= 2 and status == 143 and not left,
            f"{kind}: a cancelled run ends when nothing is left (status {status}, {left})")


@case("survive")
def suspended(kind):
    """All processes of an attempt are stopped, and resumed one by one, the first one first."""
    with Project(kind, """
  - { id: a, run: "for i in $(seq 1 20); do echo tick $i; sleep 0.1; done; echo done >> effects" }
""") as project:
        engine = project.start("run", "w.yaml")
        wait_for("output arrives", lambda: project.shows("tick 2"))
        token = os.listdir(project.folder + "/.reprise/attempts")[0]
        mine = processes_with(f"REPRISE_HOST={token}")
        mine += processes_with(f"REPRISE_RUN_ID={project.run_id()}")
        # Parents first: the guardian, the host, the step.
        mine = sorted(set(mine), key=lambda process: (depth(process), process))
        signal_all(mine, signal.SIGSTOP)
        for process in mine:
            signal_all([process], signal.SIGCONT)
            time.sleep(0.2)
        status = project.end_of(engine, 20)
        signal_all(mine, signal.SIGCONT)
        check(
            len(mine) >= 3 and status == 0 and project.effects() == ["done"],
            f"{kind}: an attempt that is stopped and resumed process by process ends "
            f"(status {status})")


@case("sandbox")
def sandbox_killed(kind):
    """The program that holds a sandbox is killed: all in it is gone, and the step has failed."""
    with running(kind, DETACHING) as (project, engine, entry):
        holders = [
            process for process in processes_with(entry) if parent_of(process) == engine_of(engine)]
        signal_all(holders, signal.SIGKILL)
        status = project.end_of(engine, 30)
        left = processes_with(entry)
        check(
            bool(holders) and status == 1 and not left,
            f"{kind}: nothing is left of a killed sandbox, and its step fails (status {status}, {left})")


@case("ssh")
def pool_killed(kind):
    """The far side of a connection is killed: its guardian ends the rest, and steps are lost."""
    with running(kind, DETACHING) as (project, engine, entry):
        step = [process for process in processes_with(entry) if "--pool" in line_of(parent_of(process))]
        pools = {parent_of(process) for process in step}
        signal_all(pools, signal.SIGKILL)
        status = project.end_of(engine, 60)
        left = processes_with(entry)
        check(
            len(pools) == 1 and status == 1 and project.shows("was lost") and not left,
            f"{kind}: nothing is left of a killed pool, and its step is lost (status {status}, {left})")


def engine_of(engine):
    """The process of an engine, whose parent is its guardian."""
    children = subprocess.run(
        ["pgrep", "-P", str(engine.pid)], capture_output=True, text=True).stdout.split()
    return int(children[0]) if children else None


def line_of(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def depth(process):
    """The number of processes above one."""
    count = 0
    while process and process > 1:
        process, count = parent_of(process), count + 1
    return count


def parent_is_host(process, run):
    """Whether a process is the host itself, whose parent is its guardian."""
    try:
        with open(f"/proc/{process}/stat") as file:
            parent = int(file.read().rsplit(")", 1)[1].split()[1])
        with open(f"/proc/{parent}/cmdline", "rb") as file:
            return b"host" in file.read() and run.encode() in open(
                f"/proc/{process}/cmdline", "rb").read()
    except (OSError, IndexError):
        return False


@case("survive", "container", "docker")
def submitted_twice(kind):
    """A second host of an attempt finds it claimed, and does nothing."""
    project = Project(kind, '  - { id: a, run: "echo up >> effects; sleep 1" }\n')
    try:
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", lambda: lines(project.folder + "/effects"))
        attempts = project.folder + "/.reprise/attempts"
        token = os.listdir(attempts)[0]
        again = subprocess.run(
            [PROGRAM, "host", token, "--folder", f"{attempts}/{token}"], capture_output=True)
        status = engine.wait(60)
        check(
            again.returncode == 75 and status == 0
            and lines(project.folder + "/effects") == ["up"],
            f"{kind}: a second launch of a token exits 75 (status {again.returncode})")
    finally:
        project.remove()
