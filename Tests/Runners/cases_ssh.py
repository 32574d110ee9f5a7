"""Failures of a connection by ssh: processes, daemons and the network fail while a step runs."""

import json
import os
import signal
import subprocess
import time

from support import (
    DETACHING, FOLDER, Link, Project, case, check, lines, processes_with, running, settings_of,
    wait_for)

TICKS = """
  - { id: a, run: "for i in $(seq 1 COUNT); do echo tick $i; sleep 0.1; done; echo done >> effects" }
"""

# A connection is given up after 5 to 10 seconds without an answer, and another is tried for 5.
IMPATIENT = ["-o", "ServerAliveInterval=3", "-o", "ServerAliveCountMax=1", "-o", "ConnectTimeout=5"]


def is_whole(log, count):
    """Whether each line of the output was shown once."""
    text = "\n".join(lines(log)) + "\n"
    return all(text.count(f"│ tick {number}\n") == 1 for number in range(1, count + 1))


def settings_options():
    return json.loads(settings_of("ssh"))["options"]


# A port where nothing listens.
CLOSED_PORT = 9


def served_connections():
    """The processes of sshd that serve a connection, and not the one that listens."""
    with open(FOLDER + "/ssh/sshd.pid") as file:
        listener = file.read().strip()
    served = subprocess.run(["pgrep", "-P", listener], capture_output=True, text=True).stdout
    return int(listener), [int(process) for process in served.split()]


@case("ssh")
def never_reached(kind):
    """No connection is ever made: a time limit, a cancel, and a policy of ssh end the step."""
    for what, more, run in [
        ("its timeout", {"port": CLOSED_PORT}, "timeout: 3s, "),
        ("the timeout of the run", {"port": CLOSED_PORT}, ""),
        ("an unknown host key", {"options": settings_options() + ["-o", "StrictHostKeyChecking=yes",
                                 "-o", "UserKnownHostsFile=/dev/null"]}, ""),
    ]:
        head = "timeout: 5s\n" if what == "the timeout of the run" else ""
        steps = f'  - {{ id: a, {run}run: "echo ran >> effects" }}\n'
        tail = 'finally: [{ id: f, runner: local, run: "echo finally >> after" }]\n'
        with Project(kind, steps + tail, head, settings=settings_of("ssh", **more)) as project:
            begin = time.monotonic()
            status = project.end_of(project.start("run", "w.yaml"), 60)
            queued = sum("queued" in line for line in lines(project.log))
            check(
                status in (1, 3) and time.monotonic() - begin < 20 and queued <= 1
                and project.effects() == [] and lines(project.folder + "/after") == ["finally"],
                f"{kind}: a step on a machine that is never reached is ended by {what} "
                f"(status {status}, {queued} lines)")
    with Project(kind, '  - { id: a, run: "true" }\n', settings=settings_of("ssh", port=CLOSED_PORT)) as project:
        engine = project.start("run", "w.yaml")
        wait_for("it says so", lambda: project.shows("queued on far"))
        engine.send_signal(signal.SIGTERM)
        status = project.end_of(engine, 15)
        check(status == 143, f"{kind}: one signal ends it (status {status})")


@case("ssh")
def gone_for_good(kind):
    """The machine is gone after the engine has died: `cancel` ends the run in bounded time."""
    with Project(kind, TICKS.replace("COUNT", "600"), settings=impatient("6s")) as project:
        engine = project.start("run", "w.yaml")
        wait_for("output arrives", lambda: project.shows("tick 3"))
        run = project.run_id()
        project.kill(engine)
        listener, served = served_connections()
        for process in [listener, *served]:
            os.kill(process, signal.SIGKILL)
        try:
            begin = time.monotonic()
            answer = project.command("cancel", run)
            check(
                answer.returncode == 0 and time.monotonic() - begin < 60
                and not processes_with(f"REPRISE_RUN_ID={run}"),
                f"{kind}: a run whose machine is gone can be cancelled (status {answer.returncode})")
        finally:
            subprocess.run(["sh", FOLDER + "/ssh/start"], check=True)


@case("ssh")
def connection_cut(kind):
    """The connection breaks: the step goes on, is found again, and its output is whole."""
    with Project(kind, TICKS.replace("COUNT", "40")) as project:
        engine = project.start("run", "w.yaml")
        wait_for("output arrives", lambda: project.shows("tick 3"))
        _, served = served_connections()
        for process in served:
            os.kill(process, signal.SIGKILL)
        status = project.end_of(engine)
        check(
            bool(served) and status == 0 and project.shows("out of sight")
            and project.effects() == ["done"] and is_whole(project.log, 40),
            f"{kind}: a step whose connection is cut goes on, and is found again (status {status})")


@case("ssh")
def daemon_killed(kind):
    """sshd is killed with all connections, and comes back after some seconds."""
    with Project(kind, TICKS.replace("COUNT", "80")) as project:
        engine = project.start("run", "w.yaml")
        wait_for("output arrives", lambda: project.shows("tick 3"))
        listener, served = served_connections()
        for process in [listener, *served]:
            os.kill(process, signal.SIGKILL)
        wait_for("the run says so", lambda: project.shows("out of sight"))
        time.sleep(3)
        waits = engine.poll() is None
        subprocess.run(["sh", FOLDER + "/ssh/start"], check=True)
        status = project.end_of(engine)
        check(
            bool(served) and waits and status == 0 and project.effects() == ["done"]
            and is_whole(project.log, 80),
            f"{kind}: without sshd the run waits, and finds its step again (status {status})")


@case("ssh")
def orphaned(kind):
    """The engine is killed and no other comes: the far side stops the step after its patience."""
    with Project(kind, '  - { id: a, run: "echo up >> effects; sleep 600" }\n') as project:
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", project.effects)
        run = project.run_id()
        project.kill(engine)
        check(
            bool(processes_with(f"REPRISE_RUN_ID={run}")),
            f"{kind}: right after the death of its engine the step goes on")
        wait_for(
            "the far side stops it", lambda: not processes_with(f"REPRISE_RUN_ID={run}"), 40)
        check(
            not processes_with(f"REPRISE_RUN_ID={run}"),
            f"{kind}: without an engine the far side stops the step")


def impatient(orphan_after):
    """Settings for a connection that is soon given up."""
    options = json.loads(settings_of("ssh"))["options"]
    return settings_of("ssh", orphan_after=orphan_after, options=IMPATIENT + options)


@case("ssh")
def network_partition(kind):
    """No packet passes for a while: the run says so and waits, and the result counts once."""
    link = Link.far()
    if link is None:
        return
    steps = TICKS.replace("COUNT", "150")
    with Project(kind, steps, settings=impatient("60s")) as project:
        engine = project.start("run", "w.yaml")
        wait_for("output arrives", lambda: project.shows("tick 3"))
        with link:
            said = wait_for("the run says so", lambda: project.shows("out of sight"))
            wait_for("the step ends there", project.effects)
            time.sleep(1)
            waits = engine.poll() is None and not project.shows("a succeeded")
        status = project.end_of(engine)
        check(
            bool(said) and waits and status == 0 and project.effects() == ["done"]
            and project.shows("in sight") and is_whole(project.log, 150),
            f"{kind}: the run waits while the network is cut; the result counts once "
            f"(status {status})")


@case("ssh")
def network_partition_too_long(kind):
    """The network is cut for longer than `orphan-after`: the far side ends the step."""
    link = Link.far()
    if link is None:
        return
    with running(kind, DETACHING, settings=impatient("6s")) as (project, engine, entry):
        with link:
            wait_for("the far side ends it", lambda: not processes_with(entry), 40)
            said = wait_for("the run says so", lambda: project.shows("out of sight"))
            waits = engine.poll() is None
        status = project.end_of(engine)
        check(
            bool(said) and waits and status == 1 and project.shows("was lost")
            and project.effects() == ["up"] and not processes_with(entry),
            f"{kind}: a host without an engine for orphan-after ends its step, which is lost "
            f"(status {status})")
