"""What the cases of campaign.py share: checks, waits, the process table, and projects."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
KILLS = int(os.environ.get("REPRISE_KILLS", "10"))
SEED = int(os.environ.get("REPRISE_SEED", random.randrange(1 << 30)))
FOLDER = os.environ.get("REPRISE_RUNNERS_FOLDER", "")
# A step that goes on until it is ended, with a process that detaches itself.
DETACHING = '''
  - { id: a, run: "echo up >> effects; (setsid sleep 600 &); sleep 600" }
'''
FAILURES = []
CASES = []
# The kind in workflow files, where it has another name than here.
KEYS = {"docker": "container", "sge": "batch"}
# Those that can keep one place for all steps.
KEEPING = ("container", "docker", "slurm", "sge")


def case(*kinds):
    """Makes a function a case for these kinds; it is called with the kind."""
    def add(function):
        CASES.append((kinds, function))
        return function
    return add


def settings_of(kind, **more):
    """The settings of a kind as JSON, with some added; `a_b` is the setting `a-b`."""
    known = json.loads(os.environ.get("REPRISE_RUNNER_" + kind.upper(), "{}"))
    return json.dumps({**known, **{name.replace("_", "-"): value for name, value in more.items()}})


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


def signal_all(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def parent_of(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return None


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


class Link:
    """A link to a part of the network, which is cut while this is a context."""

    def __init__(self, name):
        self.name = name

    @classmethod
    def far(cls):
        """The link to the machine of ssh; None, loudly, if it cannot be cut here."""
        name = os.environ.get("REPRISE_FAR_LINK")
        if not name:
            print("  SKIPPED  no network namespaces here")
        return cls(name) if name else None

    def __enter__(self):
        subprocess.run(["ip", "link", "set", self.name, "down"], check=True)

    def __exit__(self, *_):
        subprocess.run(["ip", "link", "set", self.name, "up"], check=True)


class Project:
    """A folder with one workflow, and the runs in it; a context that removes all of it."""

    program = PROGRAM

    def __init__(self, kind, steps, head="", settings=None, prefix=(), others="", inside=None):
        self.kind = kind
        self.prefix = list(prefix)
        self.folder = tempfile.mkdtemp(prefix="reprise-campaign-", dir=inside)
        os.chmod(self.folder, 0o755)
        self.log = self.folder + "/engine.log"
        far = settings or settings_of(kind)
        with open(self.folder + "/w.yaml", "w") as file:
            file.write(f"name: w\nrunners:\n  far: {{ {KEYS.get(kind, kind)}: {far} }}\n{others}")
            file.write("runner: far\n")
            file.write(head + "steps:\n" + steps)
        self.engines = []
        self.failures = len(FAILURES)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if len(FAILURES) > self.failures:
            print("\n".join("          " + line for line in lines(self.log)[-30:]))
        self.remove()

    def start(self, *arguments, **variables):
        log = open(self.log, "a")
        engine = subprocess.Popen(
            [*self.prefix, self.program, *arguments, "--progress", "plain"], cwd=self.folder, stdout=log,
            stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, **variables})
        self.engines.append(engine)
        return engine

    def end_of(self, engine, seconds=90):
        """The status of an engine; None if it does not end."""
        try:
            return engine.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def shows(self, text):
        return any(text in line for line in lines(self.log))

    def effects(self):
        return lines(self.folder + "/effects")

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
            [self.program, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120)

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


@contextlib.contextmanager
def running(kind, steps, **options):
    """Runs steps, and yields the project, the engine and the mark of processes once one has begun."""
    with Project(kind, steps, **options) as project:
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", project.effects)
        yield project, engine, f"REPRISE_RUN_ID={project.run_id()}"
