"""What only a Grid Engine can do to jobs: queues that are closed, limits, broken jobs, dead nodes."""

import os
import signal
import subprocess

from support import (
    Project, case, check, lines, parent_of, processes_with, processes_with_command, settings_of,
    signal_all, wait_for)


def ask(*words, text=None):
    return subprocess.run(words, capture_output=True, text=True, input=text)


def jobs():
    """The numbers of the jobs that Grid Engine lists, such as 7.1; None if it does not answer."""
    answer = ask("qstat", "-g", "d", "-u", "*")
    if answer.returncode != 0:
        return None
    return [f"{line[0]}.{line[-1]}" for line in map(str.split, answer.stdout.splitlines()[2:])]


def queued():
    """Their number; -1 if it does not answer."""
    found = jobs()
    return -1 if found is None else len(found)


class Setting:
    """Another value of a setting of the cluster, while this is a context."""

    def __init__(self, name, value):
        self.name, self.value = name, value

    def set(self, value):
        """Returns the value until now."""
        # The name of the file is that of the configuration.
        path = os.environ["SGE_ROOT"] + "/limit/global"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        known = ask("qconf", "-sconf").stdout.splitlines()
        with open(path, "w") as file:
            for line in known:
                file.write((f"{self.name} {value}" if line.startswith(self.name) else line) + "\n")
        ask("qconf", "-Mconf", path)
        return next(line.split()[1] for line in known if line.startswith(self.name))

    def __enter__(self):
        self.before = self.set(self.value)

    def __exit__(self, *_):
        self.set(self.before)


@case("sge")
def hundred_steps_of_batch(kind):
    """A hundred steps are restarted in the middle, and the engine is killed."""
    steps = """
  - id: a
    foreach: { from: 1, to: 100 }
    run: echo $REPRISE_STEP_ID-$REPRISE_GENERATION >> effects; sleep 1
"""
    with Project(kind, steps, "max-parallel: 100\n") as project:
        engine = project.start("run", "w.yaml")
        wait_for("steps begin", lambda: len(project.effects()) >= 20)
        run = project.run_id()
        project.command("restart", run)
        wait_for("the second generation runs", lambda: sum(
            line.endswith("-2") for line in project.effects()) >= 20)
        project.kill(engine)
        status = project.end_of(project.start("resume", run), 240)
        names = [line.rsplit("-", 1)[0] for line in project.effects() if not line.endswith("-1")]
        check(
            status == 0 and len(names) == 100 and len(set(names)) == 100
            and not processes_with(f"REPRISE_RUN_ID={run}"),
            f"{kind}: 100 steps, restarted and adopted, run once each (status {status}, {len(names)} effects)")


@case("sge")
def batch_queue_cancelled(kind):
    """A cancel of 200 queued jobs leaves none of them in the queue."""
    steps = '  - { id: a, foreach: { from: 1, to: 200 }, run: "echo ran >> effects" }\n'
    try:
        ask("qmod", "-d", "main.q")
        with Project(kind, steps, "max-parallel: 2000\n") as project:
            engine = project.start("run", "w.yaml")
            wait_for("most jobs are queued", lambda: queued() >= 160, 120)
            shown = wait_for("it is shown why they wait", lambda: project.shows(": qw"), 20)
            check(bool(shown), f"{kind}: the state of a job that waits is shown")
            engine.send_signal(signal.SIGTERM)
            status = project.end_of(engine, 120)
            left = queued()
            check(
                status == 143 and left == 0 and project.effects() == [],
                f"{kind}: a cancel of 200 queued jobs leaves none (status {status}, {left} left)")
    finally:
        ask("qmod", "-e", "main.q")


@case("sge")
def batch_limit(kind):
    """A limit of the jobs of a user is waited for, and nothing is lost by it."""
    # An array counts as one job, so these are no items.
    steps = "  - parallel:\n" + "".join(
        f'      - {{ id: s{n}, run: "sleep 0.5; echo $REPRISE_STEP_ID >> effects" }}\n' for n in range(14))
    with Setting("max_u_jobs", 5), Project(kind, steps, "max-parallel: 50\n") as project:
        status = project.end_of(project.start("run", "w.yaml"), 120)
        effects = project.effects()
        check(
            status == 0 and len(effects) == 14 and len(set(effects)) == 14
            and project.shows("only 5 jobs are allowed per user"),
            f"{kind}: a limit of jobs is waited for (status {status}, {len(effects)} effects)")


@case("sge")
def batch_refused(kind):
    """What the scheduler refuses fails the step in its words, at once."""
    settings = settings_of(kind, options=["-l", "nothing=1"])
    with Project(kind, '  - { id: a, run: "true" }\n', settings=settings) as project:
        status = project.end_of(project.start("run", "w.yaml"), 30)
        check(
            status == 1 and project.shows('unknown resource "nothing"') and queued() == 0,
            f"{kind}: a job that is refused fails its step (status {status})")


@case("sge")
def batch_limit_of_time(kind):
    """A job that Grid Engine ends at a limit gets more in its next attempt."""
    settings = settings_of(kind, options=["-l", "h_rt=${{ attempt * attempt * 6 }}"])
    steps = """
  - { id: a, retry: { limit: 1, delay: 10ms, for: [limit] }, run: "echo ran >> effects; exec sleep 12" }
"""
    with Project(kind, steps, settings=settings) as project:
        status = project.end_of(project.start("run", "w.yaml"), 180)
        check(
            status == 0 and project.effects() == ["ran", "ran"]
            and project.shows("qmaster enforced h_rt"),
            f"{kind}: the next attempt after a limit gets more (status {status})")


@case("sge")
def batch_broken_job(kind):
    """A job in the state of an error never runs: its step is lost, and the job is removed."""
    settings = settings_of(kind, options=["-S", "/nowhere/sh"])
    with Project(kind, '  - { id: a, run: "echo ran >> effects" }\n', settings=settings) as project:
        status = project.end_of(project.start("run", "w.yaml"), 60)
        gone = wait_for("the job is removed", lambda: queued() == 0, 20)
        check(
            status == 1 and project.shows("Eqw") and bool(gone) and project.effects() == [],
            f"{kind}: a job that cannot run is lost and removed (status {status})")


@case("sge")
def batch_node_killed(kind):
    """A node dies with its step, and comes back: the step is lost, and its next attempt runs."""
    steps = '  - { id: a, retry: 1, run: "echo ran >> effects; [ $REPRISE_ATTEMPT -gt 1 ] || sleep 600" }\n'
    with Project(kind, steps) as project:
        engine = project.start("run", "w.yaml")
        wait_for("the step runs", lambda: len(project.effects()) == 1)
        run = project.run_id()
        folder = os.path.dirname(os.environ["SGE_ROOT"])
        daemon = int(lines(folder + "/execd/localhost/execd.pid")[0])
        shepherds = [p for p in processes_with_command("sge_shepherd") if parent_of(p) == daemon]
        hosts = processes_with_command("host", run)
        signal_all([daemon] + shepherds + hosts, signal.SIGKILL)
        signal_all(processes_with(f"REPRISE_RUN_ID={run}"), signal.SIGKILL)
        ask("Scripts/grid-engine", "start-node", folder)
        status = project.end_of(engine, 180)
        check(
            status == 0 and len(project.effects()) == 2,
            f"{kind}: a step on a node that dies is lost, and tried again "
            f"(status {status}, {project.effects()})")
