"""What the figures share: runs of equal steps, and rounds that alternate."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
KINDS = sys.argv[2:]
# The kind in workflow files, where it has another name than here.
KEYS = {"docker": "container"}
ROUNDS = int(os.environ.get("REPRISE_ROUNDS", "5"))


def settings(kind):
    return os.environ.get("REPRISE_RUNNER_" + kind.upper(), "{}")


def timed(command, **options):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)
    return time.monotonic() - begin


def stamp(text):
    clock = text.split("T")[1].rstrip("Z").split(":")
    return int(clock[0]) * 3600 + int(clock[1]) * 60 + float(clock[2])


def items(count, script):
    return f"  - id: a\n    foreach: {{ from: 1, to: {count} }}\n    exec: {script}\n"


def single_steps(count, script):
    """Steps that are no items, so that each is a job of its own."""
    return "".join(f"  - {{ id: a{n}, needs: [], exec: {script} }}\n" for n in range(count))


class Run:
    """One run of equal steps, one after the other or many at once."""

    def __init__(self, kind, count, head="max-parallel: 1\n", script='["true"]', path=None,
                 steps=items, **more):
        options = json.dumps({**json.loads(settings(kind)), **more})
        folder = tempfile.mkdtemp(prefix="reprise-figures-")
        try:
            runner = "" if kind == "local" else (
                f"runners: {{ far: {{ {KEYS.get(kind, kind)}: {options} }} }}\nrunner: far\n")
            with open(folder + "/w.yaml", "w") as file:
                file.write(f"name: w\n{runner}{head}steps:\n{steps(count, script)}")
            self.carry_out(kind, folder, path)
            self.end_of_steps = {
                name: int((open(f"{folder}/{name}").read() or "0").strip())
                for name in os.listdir(folder) if name.startswith("end-")}
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        self.begin = next(self.times("run-started"))
        self.ends = sorted(self.times("step-succeeded"))

    def carry_out(self, kind, folder, path):
        begin = time.monotonic()
        with open(folder + "/events", "w+") as events:
            engine = subprocess.Popen(
                [PROGRAM, "run", "w.yaml", "--progress", "json"], cwd=folder, stdout=events,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PATH": (path + ":" if path else "") + os.environ["PATH"]})
            _, status, used = os.wait4(engine.pid, 0)
            engine.returncode = status
            self.seconds = time.monotonic() - begin
            events.seek(0)
            text = events.read()
        if status != 0:
            sys.exit(f"{kind}: {text[-800:]}")
        self.events = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        # Of the engine and all that it has started on this machine, such as sbatch.
        self.processor_seconds = used.ru_utime + used.ru_stime
        self.peak_mebibytes = used.ru_maxrss / 1024

    def times(self, kind):
        return (stamp(event["time"]) for event in self.events if event["event"] == kind)

    @property
    def gaps(self):
        """The seconds from the end of a step to that of the next one."""
        return [later - earlier for earlier, later in zip(self.ends, self.ends[1:])]


def alternated(*measures):
    """Rounds of each measure in turn; the median of all seconds for each."""
    results = [[] for _ in measures]
    for _ in range(ROUNDS):
        for result, measure in zip(results, measures):
            result += measure()
    return [statistics.median(result) for result in results]


def ms(seconds):
    return f"{seconds * 1000:.1f} ms"
