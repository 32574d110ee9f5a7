"""Failures of a Slurm cluster: daemons, nodes, the network, and commands that lie."""

import contextlib
import os
import signal
import subprocess
import time

from support import (
    FOLDER, Link, Project, case, check, lines, processes_with, processes_with_command,
    settings_of, signal_all, wait_for)


class Slurm:
    """The cluster that Scripts/slurm-cluster has started."""

    folder = FOLDER + "/slurm"

    @classmethod
    def process(cls, name):
        with open(f"{cls.folder}/run/{name}.pid") as file:
            return int(file.read())

    @classmethod
    def kill(cls, name):
        os.kill(cls.process(name), signal.SIGKILL)

    @classmethod
    def start_controller(cls):
        subprocess.run(
            ["slurmctld", "-f", cls.folder + "/slurm.conf"], check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("slurmctld answers", lambda: subprocess.run(
            ["sinfo"], capture_output=True).returncode == 0, 30)

    @classmethod
    def start_node(cls, node):
        subprocess.run(
            ["Scripts/slurm-cluster", "start-node", cls.folder, node], check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @classmethod
    def wait_until_idle(cls):
        """The nodes are back, so that the next case begins with a whole cluster."""
        def states():
            answer = subprocess.run(
                ["sinfo", "-h", "-N", "-o", "%T"], capture_output=True, text=True)
            return answer.stdout.split()
        def is_idle():
            if any(not state.startswith(("idle", "mixed", "alloc")) for state in states()):
                subprocess.run(["scontrol", "update", "nodename=n[1-3]", "state=resume"],
                               capture_output=True)
                return False
            return all(state == "idle" for state in states())
        wait_for("all nodes are idle", is_idle, 90)

    @classmethod
    def link(cls, name):
        """The link of a node or of the engine, and its namespace."""
        for line in lines(cls.folder + "/links"):
            known, link, space = line.split()
            if known == name:
                return Link(link), space
        print("  SKIPPED  no network namespaces here")
        return None, None

    @classmethod
    def saved_at(cls):
        """When slurmctld has last saved its jobs."""
        try:
            return os.stat(cls.folder + "/state/job_state").st_mtime
        except FileNotFoundError:
            return 0

    @classmethod
    def queued(cls, condition=lambda number: True):
        """The number of jobs in the queue, elements of arrays included; -1 if there is no answer."""
        answer = subprocess.run(
            ["squeue", "-h", "-r", "--me", "-o", "%i"], capture_output=True, text=True)
        return sum(map(condition, answer.stdout.splitlines())) if answer.returncode == 0 else -1

    @classmethod
    def arrays(cls):
        """The numbers of all arrays that Slurm remembers."""
        answer = subprocess.run(
            ["squeue", "-h", "-r", "--me", "--states=all", "-o", "%i"], capture_output=True, text=True)
        return {job.split("_")[0] for job in answer.stdout.split() if "_" in job}

    @classmethod
    @contextlib.contextmanager
    def setting(cls, name, value):
        """Another setting of the cluster while this is a context: it starts with that."""
        path = cls.folder + "/slurm.conf"
        with open(path) as file:
            text = file.read()
        try:
            cls.restart_controller(path, text + f"{name}={value}\n")
            yield
        finally:
            cls.restart_controller(path, text)

    @classmethod
    def restart_controller(cls, path, text):
        with open(path, "w") as file:
            file.write(text)
        process = cls.process("slurmctld")
        os.kill(process, signal.SIGTERM)
        wait_for("slurmctld ends", lambda: not os.path.exists(f"/proc/{process}"), 30)
        cls.start_controller()

    @classmethod
    def set_partition(cls, state):
        return subprocess.run(
            ["scontrol", "update", "partitionname=main", f"state={state}"],
            capture_output=True).returncode == 0


@case("slurm")
def queued_reason(kind):
    """Slurm's reason for a wait is shown."""
    project = Project("slurm", '  - { id: a, run: "true" }\n')
    try:
        Slurm.set_partition("down")
        engine = project.start("run", "w.yaml")
        log = project.folder + "/engine.log"
        seen = wait_for("the reason", lambda: any(
            "queued on far (job " in line and ": PartitionDown" in line for line in lines(log)), 20)
        Slurm.set_partition("up")
        status = engine.wait(60)
        check(bool(seen) and status == 0, "slurm: the reason for a wait is shown, with the number of the job")
    finally:
        project.remove()


@case("slurm")
def hundred_items_as_array(kind):
    """A hundred items are one array, restarted in the middle, and adopted after the death of the engine.

    On a busy machine some begin later than others, so that there are a few arrays.
    """
    steps = """
  - id: a
    foreach: { from: 1, to: 100 }
    run: echo $REPRISE_STEP_ID-$REPRISE_GENERATION >> effects; sleep 1
"""
    with Project(kind, steps, "max-parallel: 100\n") as project:
        first = Slurm.arrays()
        engine = project.start("run", "w.yaml")
        wait_for("steps begin", lambda: len(project.effects()) >= 20)
        arrays = Slurm.arrays() - first
        run = project.run_id()
        project.command("restart", run)
        wait_for("the second generation runs", lambda: sum(
            line.endswith("-2") for line in project.effects()) >= 20)
        project.kill(engine)
        status = project.end_of(project.start("resume", run), 240)
        names = [line.rsplit("-", 1)[0] for line in project.effects() if not line.endswith("-1")]
        check(
            status == 0 and len(names) == 100 and len(set(names)) == 100 and 1 <= len(arrays) <= 4
            and not processes_with(f"REPRISE_RUN_ID={run}"),
            f"{kind}: 100 items are {len(arrays)} array(s); restarted and adopted, they run once each "
            f"(status {status}, {len(names)} effects)")


@case("slurm")
def item_of_array_restarted(kind):
    """One item of an array is restarted while all wait, and another one while all run."""
    steps = """
  - id: a
    foreach: { from: 1, to: 8 }
    run: echo $REPRISE_STEP_ID-$REPRISE_GENERATION >> effects; while [ ! -e go ]; do sleep 0.1; done
"""
    try:
        Slurm.set_partition("down")
        with Project(kind, steps, "max-parallel: 100\n") as project:
            engine = project.start("run", "w.yaml")
            wait_for("all wait", lambda: Slurm.queued() == 8)
            run = project.run_id()
            project.command("restart", run, "--from", "a[3]")
            alone = wait_for("it is submitted alone", lambda: Slurm.queued(lambda job: "_" not in job) == 1)
            left = wait_for("it has left the array", lambda: Slurm.queued(lambda job: "_" in job) == 7)
            Slurm.set_partition("up")
            wait_for("all run", lambda: len(project.effects()) >= 8)
            project.command("restart", run, "--from", "a[5]")
            wait_for("it runs again", lambda: len(project.effects()) >= 9)
            open(project.folder + "/go", "w").close()
            status = project.end_of(engine, 60)
            items = sorted(line.rsplit("-", 1)[0] for line in project.effects())
            check(
                status == 0 and bool(alone) and bool(left)
                and items == sorted([f"a[{n}]" for n in range(8)] + ["a[5]"]),
                f"{kind}: items of an array are restarted alone (status {status}, {project.effects()})")
    finally:
        Slurm.set_partition("up")


@case("slurm")
def array_size_limit(kind):
    """A cluster that takes small arrays only, or none, gets what it takes."""
    steps = '  - { id: a, foreach: { from: 1, to: 30 }, run: "echo $REPRISE_STEP_ID >> effects" }\n'
    for size, most in ((11, 10), (1, 0)):
        with Slurm.setting("MaxArraySize", size):
            with Project(kind, steps, "max-parallel: 100\n") as project:
                first = Slurm.arrays()
                status = project.end_of(project.start("run", "w.yaml"), 90)
                effects, arrays = project.effects(), Slurm.arrays() - first
                check(
                    status == 0 and len(effects) == 30 and len(set(effects)) == 30
                    and (len(arrays) >= 3) == (most > 0),
                    f"{kind}: arrays of at most {size} items are kept to (status {status}, "
                    f"{len(effects)} effects, {len(arrays)} arrays)")


@case("slurm")
def queue_cancelled(kind):
    """A cancel of 500 queued jobs leaves none of them in the queue."""
    steps = '  - { id: a, foreach: { from: 1, to: 500 }, run: "echo ran >> effects" }\n'
    try:
        Slurm.set_partition("down")
        with Project(kind, steps, "max-parallel: 2000\n") as project:
            engine = project.start("run", "w.yaml")
            wait_for("all jobs are queued", lambda: Slurm.queued() >= 500, 120)
            # Slurm may not list what is younger than this, so that a cancel waits for it.
            time.sleep(2)
            begin = time.monotonic()
            engine.send_signal(signal.SIGTERM)
            status = project.end_of(engine, 120)
            seconds = time.monotonic() - begin
            left = Slurm.queued()
            check(
                status == 143 and left == 0 and project.effects() == [],
                f"{kind}: a cancel of 500 queued jobs leaves none (status {status}, {left} left, "
                f"{seconds:.1f} s)")
    finally:
        Slurm.set_partition("up")


@case("slurm")
def engine_in_a_job(kind):
    """The engine runs in a job of its own: its steps see theirs, and srun starts there."""
    steps = """
  - id: a
    run: >
      echo "$SLURM_JOB_ID $SLURMD_NODENAME $SLURM_CPUS_PER_TASK" >> effects;
      srun -n1 --overlap sh -c 'echo "$SLURM_JOB_ID $SLURMD_NODENAME"' >> effects;
      echo "$SLURM_JOB_NAME" >> effects
"""
    settings = settings_of(kind, extra=["--exclude=n3"])
    prefix = ["salloc", "--quiet", "--nodelist=n3", "--cpus-per-task=3", "--job-name=engine"]
    with Project(kind, steps, settings=settings, prefix=prefix) as project:
        status = project.end_of(project.start("run", "w.yaml"), 60)
        effects = [line.split() for line in project.effects()]
        jobs = {line[0] for line in effects[:2]}
        nodes = {line[1] for line in effects[:2] if len(line) > 1}
        check(
            status == 0 and len(jobs) == 1 and "n3" not in nodes and len(nodes) == 1
            and effects[0][2:] != ["3"] and effects[2] != ["engine"],
            f"{kind}: in a job, the engine does not pass on its own job ({status}, {effects})")


@case("slurm")
def time_limit(kind):
    """A job that Slurm ends at its time limit says so."""
    settings = settings_of(kind, time="1m")
    with Project(kind, '  - { id: a, run: "exec sleep 200" }\n', settings=settings) as project:
        status = project.end_of(project.start("run", "w.yaml"), 240)
        check(
            status == 1 and project.shows("TIMEOUT"),
            f"{kind}: a job that is ended at its time limit says so (status {status})")


@case("slurm")
def cancelled_without_controller(kind):
    """A cancel while slurmctld is down: what has not begun never will."""
    project = Project("slurm", '  - { id: a, run: "echo ran >> effects" }\n')
    try:
        Slurm.set_partition("down")
        engine = project.start("run", "w.yaml")
        attempts = project.folder + "/.reprise/attempts"
        wait_for("the job is submitted", lambda: os.path.isdir(attempts) and any(
            os.path.exists(f"{attempts}/{name}/submitted") for name in os.listdir(attempts)))
        Slurm.kill("slurmctld")
        engine.send_signal(signal.SIGTERM)
        status = project.end_of(engine, 60)
        Slurm.start_controller()
        wait_for("slurmctld answers", lambda: Slurm.set_partition("up"), 30)
        time.sleep(3)
        check(
            status == 143 and lines(project.folder + "/effects") == [],
            f"slurm: a cancel while slurmctld is down is certain (status {status})")
    finally:
        Slurm.set_partition("up")
        project.remove()


@case("slurm")
def controller_killed(kind):
    """slurmctld dies while jobs run and wait; it comes back with or without knowing them.

    It saves the jobs every five seconds. Without them, it uses their ids again, and takes the end of an old
    job for that of a new one, which it cancels before it begins: such a step is lost, and is retried.
    """
    project = Project("slurm", """
  - { id: a, foreach: { from: 1, to: 6 }, run: "echo $REPRISE_STEP_ID >> effects; sleep 3", retry: 3 }
  - { id: z, run: "echo z >> effects", retry: 3 }
""")
    try:
        engine = project.start("run", "w.yaml")
        wait_for("steps begin", lambda: len(lines(project.folder + "/effects")) >= 2)
        Slurm.kill("slurmctld")
        time.sleep(4)
        Slurm.start_controller()
        status = project.end_of(engine, 180)
        effects = sorted(lines(project.folder + "/effects"))
        check(
            status == 0 and effects == sorted([f"a[{n}]" for n in range(6)] + ["z"]),
            f"slurm: slurmctld is killed and comes back: nothing runs twice or is lost "
            f"(status {status}, {len(effects)} effects)")
    finally:
        project.remove()


TICKING = """
  - id: a
    run: "echo begun >> effects; for i in $(seq 1 COUNT); do echo tick $i; sleep 0.1; done; \
      echo ended >> effects"
"""


@case("slurm")
def node_daemon_killed(kind):
    """slurmd of a node dies while jobs run there, and comes back later."""
    steps = """
  - { id: a, foreach: { from: 1, to: 6 }, run: "echo $REPRISE_STEP_ID >> effects; sleep 3" }
"""
    with Project(kind, steps) as project:
        engine = project.start("run", "w.yaml")
        wait_for("steps begin", lambda: len(project.effects()) >= 6)
        Slurm.kill("slurmd.n1")
        time.sleep(5)
        Slurm.start_node("n1")
        status = project.end_of(engine)
        check(
            status == 0 and sorted(project.effects()) == sorted(f"a[{n}]" for n in range(6)),
            f"{kind}: slurmd is killed and comes back: nothing runs twice or is lost "
            f"(status {status}, {len(project.effects())} effects)")
    Slurm.wait_until_idle()


@case("slurm")
def step_daemon_killed(kind):
    """The daemon of Slurm above a host dies: Slurm gives the job up, the host's result counts."""
    with Project(kind, TICKING.replace("COUNT", "30")) as project:
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", project.effects)
        token = os.listdir(project.folder + "/.reprise/attempts")[0]
        parents = [
            process for process in processes_with_command("slurmstepd:")
            if any(child in processes_with(f"REPRISE_HOST={token}")
                   for child in children(process))]
        signal_all(parents, signal.SIGKILL)
        status = project.end_of(engine)
        entry = f"REPRISE_RUN_ID={project.run_id()}"
        fine = status == 0 and project.effects() == ["begun", "ended"]
        # Slurm may also end the host with the job: then nothing is left, and the step is lost.
        fine = fine or (status == 1 and project.shows("was lost"))
        check(
            bool(parents) and fine and not processes_with(entry),
            f"{kind}: slurmstepd is killed: the result counts once, or nothing is left "
            f"(status {status})")
    Slurm.wait_until_idle()


def children(process):
    answer = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True)
    return [int(child) for child in answer.stdout.split()]


@case("slurm")
def node_partition(kind):
    """A node is cut off until Slurm gives it up: the step there goes on, and counts once."""
    link, _ = Slurm.link("n1")
    if link is None:
        return
    steps = """
  - id: a
    run: "echo begun >> effects; while [ ! -e go ]; do sleep 0.1; done; echo ended >> effects"
"""
    with Project(kind, steps, settings=on_node("n1")) as project:
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", project.effects)
        with link:
            wait_for("Slurm gives the node up", lambda: "down" in subprocess.run(
                ["sinfo", "-h", "-n", "n1", "-o", "%T"], capture_output=True, text=True).stdout)
            time.sleep(8)
            waits = engine.poll() is None
            open(project.folder + "/go", "w").close()
            status = project.end_of(engine)
        check(
            waits and status == 0 and project.effects() == ["begun", "ended"],
            f"{kind}: Slurm's NODE_FAIL is not believed while the lease is renewed "
            f"(status {status})")
    Slurm.wait_until_idle()


@case("slurm")
def engine_partition(kind):
    """The engine cannot reach slurmctld: what runs is followed, what waits waits."""
    link, space = Slurm.link("engine")
    if link is None:
        return
    steps = TICKING.replace("COUNT", "80") + """
  - { id: b, needs: [], run: "echo b >> effects" }
"""
    inside = ["nsenter", f"--net=/run/netns/{space}"]
    with Project(kind, steps, "max-parallel: 1\n", prefix=inside) as project:
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", project.effects)
        with link:
            wait_for("the step ends", lambda: "ended" in project.effects())
            said = wait_for("the run says so", lambda: project.shows("Unable to contact"), 40)
            waits = engine.poll() is None and "b" not in project.effects()
        status = project.end_of(engine)
        check(
            waits and said and status == 0 and project.effects() == ["begun", "ended", "b"],
            f"{kind}: without a way to slurmctld the run waits and says so; each step runs once "
            f"(status {status}, {project.effects()})")
    Slurm.wait_until_idle()


@case("slurm")
def node_frozen(kind):
    """A node stands still: the step is out of sight, and then in sight again."""
    with Project(kind, TICKING.replace("COUNT", "60")) as project:
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", project.effects)
        token = os.listdir(project.folder + "/.reprise/attempts")[0]
        frozen = set(processes_with(f"REPRISE_HOST={token}"))
        frozen |= set(processes_with(f"REPRISE_RUN_ID={project.run_id()}"))
        signal_all(frozen, signal.SIGSTOP)
        said = wait_for("the run says so", lambda: project.shows("gives no sign"))
        waits = engine.poll() is None
        signal_all(frozen, signal.SIGCONT)
        status = project.end_of(engine)
        check(
            bool(said) and waits and status == 0 and project.effects() == ["begun", "ended"]
            and project.shows("in sight"),
            f"{kind}: a node that stands still is out of sight, and its result counts once "
            f"(status {status})")


@case("slurm")
def job_suspended(kind):
    """An administrator suspends the job and resumes it: it is out of sight, and goes on."""
    with Project(kind, TICKING.replace("COUNT", "60")) as project:
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", project.effects)
        job = subprocess.run(
            ["squeue", "-h", "-o", "%i"], capture_output=True, text=True).stdout.split()[-1]
        subprocess.run(["scontrol", "suspend", job], check=True)
        said = wait_for("the run says so", lambda: project.shows("gives no sign"))
        subprocess.run(["scontrol", "resume", job], check=True)
        status = project.end_of(engine)
        check(
            bool(said) and status == 0 and project.effects() == ["begun", "ended"],
            f"{kind}: a job that is suspended and resumed ends, and counts once (status {status})")


def on_node(name):
    return settings_of("slurm", extra=[f"--nodelist={name}"])
