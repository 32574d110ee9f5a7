#!/usr/bin/env python3
"""Failures of runners, made on purpose: engines, hosts and daemons are killed while steps run.

    campaign.py PROGRAM KIND [KIND ...]

Scripts/runners-test starts what the kinds need. REPRISE_KILLS is the number of engines that are
killed for each kind (default 10; 50 in full); REPRISE_SEED makes a campaign repeatable.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
KINDS = sys.argv[2:]
KILLS = int(os.environ.get("REPRISE_KILLS", "10"))
SEED = int(os.environ.get("REPRISE_SEED", random.randrange(1 << 30)))
FAILURES = []


def settings(kind):
    return os.environ.get("REPRISE_RUNNER_" + kind.upper(), "{}")


def check(condition, text):
    print(("  ok      " if condition else "  FAILED  ") + text, flush=True)
    if not condition:
        FAILURES.append(text)
    return condition


def wait_for(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    check(False, f"{what}: not within {seconds} s")
    return None


def lines(path):
    try:
        with open(path) as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def processes_with(entry):
    """The live processes that were started with an entry in their environment."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if entry.encode() in file.read().split(b"\0"):
                    found.append(int(name))
        except OSError:
            pass
    return found


class Project:
    """A folder with one workflow, and the runs in it."""

    def __init__(self, kind, steps, head=""):
        self.kind = kind
        self.folder = tempfile.mkdtemp(prefix="reprise-campaign-")
        os.chmod(self.folder, 0o755)
        with open(self.folder + "/w.yaml", "w") as file:
            file.write(f"name: w\nrunners: {{ far: {{ {kind}: {settings(kind)} }} }}\nrunner: far\n")
            file.write(head + "steps:\n" + steps)
        self.engines = []

    def start(self, *arguments):
        log = open(self.folder + "/engine.log", "a")
        engine = subprocess.Popen(
            [PROGRAM, *arguments, "--progress", "plain"], cwd=self.folder, stdout=log, stderr=log,
            stdin=subprocess.DEVNULL, start_new_session=True)
        self.engines.append(engine)
        return engine

    def kill(self, engine):
        """Kills the engine, not its guardian; the guardian ends by itself."""
        children = subprocess.run(
            ["pgrep", "-P", str(engine.pid)], capture_output=True, text=True).stdout.split()
        if children:
            try:
                os.kill(int(children[0]), signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            engine.wait(30)
        except subprocess.TimeoutExpired:
            check(False, "the guardian of a killed engine ends")
            engine.kill()

    def command(self, *arguments):
        return subprocess.run(
            [PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120)

    def run_id(self):
        answer = self.command("runs", "--json")
        rows = [json.loads(line) for line in answer.stdout.splitlines() if line.startswith("{")]
        return rows[0]["id"] if rows else None

    def events(self, run):
        answer = self.command("show", run, "--trace")
        return answer.stdout

    def remove(self):
        for engine in self.engines:
            if engine.poll() is None:
                engine.terminate()
                try:
                    engine.wait(30)
                except subprocess.TimeoutExpired:
                    engine.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


STEPS = """
  - { id: one, run: "echo one >> effects; sleep 0.3" }
  - parallel:
      - { id: two, run: "echo two >> effects; sleep 0.4; echo v=2 > $REPRISE_OUTPUT" }
      - { id: three, run: "sleep 0.2; echo three >> effects" }
      - { id: four, run: "echo four >> effects; sleep 0.1" }
  - { id: five, env: { V: "${{ steps.two.outputs.v }}" }, run: "test \\"$V\\" = 2; echo five >> effects" }
"""


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


def host_killed(kind):
    """The host of an attempt is killed: its guardian ends the rest, and the attempt is lost."""
    project = Project(kind, """
  - { id: a, run: "echo up >> effects; (setsid sleep 600 &); sleep 600" }
""")
    try:
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", lambda: lines(project.folder + "/effects"))
        run = project.run_id()
        hosts = [
            process for process in processes_with_command("host", run)
            if parent_is_host(process, run)]
        for process in hosts:
            os.kill(process, signal.SIGKILL)
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


def processes_with_command(*words):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    line = file.read().decode(errors="replace").split("\0")
            except OSError:
                continue
            if all(any(word in part for part in line) for word in words if word):
                found.append(int(name))
    return found


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


def connection_cut():
    """The connection breaks: the step goes on, is found again, and its output is whole."""
    folder = os.environ["REPRISE_RUNNERS_FOLDER"]
    project = Project("ssh", """
  - { id: a, run: "for i in $(seq 1 40); do echo tick $i; sleep 0.1; done; echo done >> effects" }
""")
    try:
        engine = project.start("run", "w.yaml")
        log = project.folder + "/engine.log"
        wait_for("output arrives", lambda: any("tick 3" in line for line in lines(log)))
        # The processes of sshd that serve the connection, and not the one that listens.
        with open(folder + "/ssh/sshd.pid") as file:
            listener = file.read().strip()
        served = subprocess.run(
            ["pgrep", "-P", listener], capture_output=True, text=True).stdout.split()
        for process in served:
            os.kill(int(process), signal.SIGKILL)
        status = engine.wait(60)
        text = "\n".join(lines(log))
        check(
            bool(served) and status == 0 and "out of sight" in text and "tick 40" in text
            and lines(project.folder + "/effects") == ["done"]
            and all(text.count(f"│ tick {number}\n") == 1 for number in range(1, 40)),
            f"ssh: a step whose connection is cut goes on, and is found again (status {status})")
    finally:
        project.remove()


def orphaned():
    """The engine is killed and no other comes: the far side stops the step after its patience."""
    project = Project("ssh", '  - { id: a, run: "echo up >> effects; sleep 600" }\n')
    try:
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", lambda: lines(project.folder + "/effects"))
        run = project.run_id()
        project.kill(engine)
        check(
            bool(processes_with(f"REPRISE_RUN_ID={run}")),
            "ssh: right after the death of its engine the step goes on")
        wait_for(
            "the far side stops it", lambda: not processes_with(f"REPRISE_RUN_ID={run}"), 40)
        check(
            not processes_with(f"REPRISE_RUN_ID={run}"),
            "ssh: without an engine the far side stops the step")
    finally:
        project.remove()


class Slurm:
    """The daemons of the cluster that Scripts/slurm-cluster has started."""

    folder = os.environ.get("REPRISE_RUNNERS_FOLDER", "") + "/slurm"

    @classmethod
    def process(cls, name):
        with open(f"{cls.folder}/run/{name}.pid") as file:
            return int(file.read())

    @classmethod
    def kill(cls, name):
        os.kill(cls.process(name), signal.SIGKILL)

    @classmethod
    def start(cls, *command):
        subprocess.run([*command], check=True, env=dict(
            os.environ, SLURM_CONF=cls.folder + "/slurm.conf"), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)


def controller_killed():
    """slurmctld dies while jobs run and wait; it comes back with or without knowing them."""
    project = Project("slurm", """
  - { id: a, foreach: { from: 1, to: 6 }, run: "echo $REPRISE_STEP_ID >> effects; sleep 3" }
  - { id: z, run: "echo z >> effects" }
""")
    try:
        engine = project.start("run", "w.yaml")
        wait_for("steps begin", lambda: len(lines(project.folder + "/effects")) >= 2)
        Slurm.kill("slurmctld")
        time.sleep(4)
        Slurm.start("slurmctld", "-f", Slurm.folder + "/slurm.conf")
        status = engine.wait(180)
        effects = sorted(lines(project.folder + "/effects"))
        check(
            status == 0 and effects == sorted([f"a[{n}]" for n in range(6)] + ["z"]),
            f"slurm: slurmctld is killed and comes back: nothing runs twice or is lost "
            f"(status {status}, {len(effects)} effects)")
    finally:
        project.remove()


def cancelled_without_controller():
    """A cancel while slurmctld is down: what has not begun never will."""
    project = Project("slurm", '  - { id: a, run: "echo ran >> effects" }\n')
    try:
        subprocess.run(["scontrol", "update", "partitionname=main", "state=down"], check=True)
        engine = project.start("run", "w.yaml")
        attempts = project.folder + "/.reprise/attempts"
        wait_for("the job is submitted", lambda: os.path.isdir(attempts) and any(
            os.path.exists(f"{attempts}/{name}/submitted") for name in os.listdir(attempts)))
        Slurm.kill("slurmctld")
        engine.send_signal(signal.SIGTERM)
        status = engine.wait(60)
        Slurm.start("slurmctld", "-f", Slurm.folder + "/slurm.conf")
        wait_for("slurmctld answers", lambda: subprocess.run(
            ["scontrol", "update", "partitionname=main", "state=up"],
            capture_output=True).returncode == 0, 30)
        time.sleep(3)
        check(
            status == 143 and lines(project.folder + "/effects") == [],
            f"slurm: a cancel while slurmctld is down is certain (status {status})")
    finally:
        subprocess.run(["scontrol", "update", "partitionname=main", "state=up"],
                       capture_output=True)
        project.remove()


def queued_reason():
    """Slurm's reason for a wait is shown."""
    project = Project("slurm", '  - { id: a, run: "true" }\n')
    try:
        subprocess.run(["scontrol", "update", "partitionname=main", "state=down"], check=True)
        engine = project.start("run", "w.yaml")
        log = project.folder + "/engine.log"
        seen = wait_for("the reason", lambda: any(
            "queued on far: PartitionDown" in line for line in lines(log)), 20)
        subprocess.run(["scontrol", "update", "partitionname=main", "state=up"], check=True)
        status = engine.wait(60)
        check(bool(seen) and status == 0, "slurm: the reason for a wait is shown")
    finally:
        project.remove()


def lying_commands():
    """sbatch that submits twice or answers late, squeue that forgets, scancel that does nothing."""
    fakes = tempfile.mkdtemp(prefix="reprise-fakes-")
    real = {name: shutil.which(name) for name in ("sbatch", "squeue", "scancel")}
    script = """#!/usr/bin/env python3
import os, random, subprocess, sys, time
name = os.path.basename(sys.argv[0])
real = {real!r}[name]
dice = random.Random(int.from_bytes(os.urandom(4), "big"))
lie = dice.random()
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
os.execv(real, [real, *sys.argv[1:]])
"""
    for name in real:
        with open(f"{fakes}/{name}", "w") as file:
            file.write(script.replace("{real!r}", repr(real)))
        os.chmod(f"{fakes}/{name}", 0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = fakes + ":" + before
    project = Project("slurm", """
  - { id: a, foreach: { from: 1, to: 12 }, run: "echo $REPRISE_STEP_ID >> effects; sleep 0.5" }
""")
    try:
        status = project.start("run", "w.yaml").wait(240)
        effects = sorted(lines(project.folder + "/effects"))
        check(
            status == 0 and effects == sorted(f"a[{n}]" for n in range(12)),
            f"slurm: with commands that lie, each of 12 steps runs once (status {status}, "
            f"{len(effects)} effects)")
    finally:
        os.environ["PATH"] = before
        project.remove()
        shutil.rmtree(fakes)


def hundred_steps():
    """A hundred steps on three nodes are restarted in the middle, and the engine is killed."""
    project = Project("slurm", """
  - id: a
    foreach: { from: 1, to: 100 }
    run: echo "$SLURMD_NODENAME" >> nodes; echo $REPRISE_STEP_ID-$REPRISE_GENERATION >> effects; sleep 1
""", "max-parallel: 100\n")
    try:
        engine = project.start("run", "w.yaml")
        wait_for("steps begin", lambda: len(lines(project.folder + "/effects")) >= 20)
        run = project.run_id()
        project.command("restart", run)
        wait_for("the second generation runs", lambda: sum(
            line.endswith("-2") for line in lines(project.folder + "/effects")) >= 20)
        project.kill(engine)
        status = project.start("resume", run).wait(240)
        effects = [line for line in lines(project.folder + "/effects") if not line.endswith("-1")]
        names = [line.rsplit("-", 1)[0] for line in effects]
        check(
            status == 0 and len(names) == 100 and len(set(names)) == 100
            and set(lines(project.folder + "/nodes")) == {"n1", "n2", "n3"}
            and not processes_with(f"REPRISE_RUN_ID={run}"),
            f"slurm: 100 steps on three nodes, restarted and adopted, run once each "
            f"(status {status}, {len(names)} effects)")
    finally:
        project.remove()


def container_monitor_killed():
    """conmon is killed: the container is ended, and its step is not taken for a success."""
    project = Project("container", '  - { id: a, run: "echo up >> effects; sleep 600" }\n')
    try:
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", lambda: lines(project.folder + "/effects"))
        run = project.run_id()
        monitors = processes_with_command("conmon", run)
        for process in monitors:
            os.kill(process, signal.SIGKILL)
        try:
            status = engine.wait(60)
        except subprocess.TimeoutExpired:
            status = None
        check(
            bool(monitors) and status == 1 and not processes_with(f"REPRISE_RUN_ID={run}"),
            f"container: without its monitor it is ended, and not a success (status {status})")
    finally:
        project.remove()


def main():
    for kind in KINDS:
        engine_killed(kind)
        if kind != "sandbox":
            adoption(kind)
        if kind in ("survive", "container", "slurm"):
            host_killed(kind)
        if kind == "survive":
            submitted_twice(kind)
        if kind == "ssh":
            connection_cut()
            orphaned()
        if kind == "container":
            container_monitor_killed()
        if kind == "slurm":
            queued_reason()
            lying_commands()
            hundred_steps()
            cancelled_without_controller()
            controller_killed()
    print(f"{len(FAILURES)} failures", flush=True)
    sys.exit(1 if FAILURES else 0)


main()
