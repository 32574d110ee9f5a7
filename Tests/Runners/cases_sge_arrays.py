"""Items as arrays of Grid Engine: restarted, adopted, cancelled one by one, and submitted in parts."""

import signal

from cases_sge import Setting, ask, jobs, queued
from support import Project, case, check, processes_with, wait_for


def arrays():
    """The numbers of all arrays of more than one element that Grid Engine lists, or has accounts of."""
    numbers = [job.split(".")[0] for job in jobs()]
    return {number for number in numbers if numbers.count(number) > 1}


@case("sge")
def hundred_items_as_array_of_batch(kind):
    """A hundred items are one array, restarted in the middle, and adopted after the death of the engine.

    On a busy machine some begin later than others, so that there are a few arrays.
    """
    steps = """
  - id: a
    foreach: { from: 1, to: 100 }
    run: echo $REPRISE_STEP_ID-$REPRISE_GENERATION >> effects; sleep 1
"""
    ask("qmod", "-d", "main.q")
    try:
        with Project(kind, steps, "max-parallel: 100\n") as project:
            engine = project.start("run", "w.yaml")
            wait_for("all are queued", lambda: queued() == 100)
            submitted = arrays()
            ask("qmod", "-e", "main.q")
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
                and 1 <= len(submitted) <= 4 and not processes_with(f"REPRISE_RUN_ID={run}"),
                f"{kind}: 100 items are {len(submitted)} array(s); restarted and adopted, they run once "
                f"each (status {status}, {len(names)} effects)")
    finally:
        ask("qmod", "-e", "main.q")


@case("sge")
def item_of_batch_array_restarted(kind):
    """One item of an array is restarted while all wait, and another one while all run."""
    steps = """
  - id: a
    foreach: { from: 1, to: 8 }
    run: echo $REPRISE_STEP_ID-$REPRISE_GENERATION >> effects; while [ ! -e go ]; do sleep 0.1; done
"""
    ask("qmod", "-d", "main.q")
    try:
        with Project(kind, steps, "max-parallel: 100\n") as project:
            engine = project.start("run", "w.yaml")
            wait_for("all wait", lambda: queued() == 8)
            before = set(jobs())
            run = project.run_id()
            project.command("restart", run, "--from", "a[3]")
            alone = wait_for("it is submitted again, and has left the array", lambda: (
                len(before - set(jobs())) == 1 and len(set(jobs()) - before) == 1))
            ask("qmod", "-e", "main.q")
            wait_for("all run", lambda: len(project.effects()) >= 8)
            project.command("restart", run, "--from", "a[5]")
            wait_for("it runs again", lambda: len(project.effects()) >= 9)
            open(project.folder + "/go", "w").close()
            status = project.end_of(engine, 60)
            items = sorted(line.rsplit("-", 1)[0] for line in project.effects())
            check(
                status == 0 and bool(alone)
                and items == sorted([f"a[{n}]" for n in range(8)] + ["a[5]"]),
                f"{kind}: items of an array are restarted alone (status {status}, {project.effects()})")
    finally:
        ask("qmod", "-e", "main.q")


@case("sge")
def batch_array_cancelled(kind):
    """A run is cancelled while some items of its array run, and the others wait: none is left."""
    steps = '  - { id: a, foreach: { from: 1, to: 40 }, run: "echo ran >> effects; sleep 600" }\n'
    with Project(kind, steps, "max-parallel: 100\n") as project:
        engine = project.start("run", "w.yaml")
        wait_for("some run", lambda: len(project.effects()) >= 16)
        run = project.run_id()
        waiting = queued()
        engine.send_signal(signal.SIGTERM)
        status = project.end_of(engine, 60)
        gone = wait_for("none is left", lambda: queued() == 0, 20)
        check(
            status == 143 and waiting > 20 and bool(gone) and len(project.effects()) == 16
            and not processes_with(f"REPRISE_RUN_ID={run}"),
            f"{kind}: a cancel in the middle of an array leaves nothing (status {status})")


@case("sge")
def batch_array_size_limit(kind):
    """A cluster that takes small arrays only gets what it takes."""
    steps = '  - { id: a, foreach: { from: 1, to: 30 }, run: "echo $REPRISE_STEP_ID >> effects" }\n'
    for most in (10, 1):
        with Setting("max_aj_tasks", most), Project(kind, steps, "max-parallel: 100\n") as project:
            status = project.end_of(project.start("run", "w.yaml"), 120)
            effects = project.effects()
            check(
                status == 0 and len(effects) == 30 and len(set(effects)) == 30,
                f"{kind}: arrays of at most {most} items are kept to (status {status}, "
                f"{len(effects)} effects)")
