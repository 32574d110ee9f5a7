#!/usr/bin/env python3
"""What a step costs on each runner, beside the bare tool in the same run.

    figures.py PROGRAM KIND [KIND ...]

Scripts/runners-test --figures starts what the kinds need. The machine may be shared, so rounds of ours and
of the bare tool alternate: each figure is the median of the rounds, and only differences and ratios within
one run mean something. REPRISE_ROUNDS is the number of rounds, by default 5.
"""

import ctypes
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
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


class Run:
    """One run of equal steps, one after the other or many at once."""

    def __init__(self, kind, count, head="max-parallel: 1\n", script='["true"]', path=None,
                 **more):
        options = json.dumps({**json.loads(settings(kind)), **more})
        folder = tempfile.mkdtemp(prefix="reprise-figures-")
        try:
            runner = "" if kind == "local" else (
                f"runners: {{ far: {{ {KEYS.get(kind, kind)}: {options} }} }}\nrunner: far\n")
            with open(folder + "/w.yaml", "w") as file:
                file.write(f"name: w\n{runner}{head}steps:\n  - id: a\n"
                           f"    foreach: {{ from: 1, to: {count} }}\n    exec: {script}\n")
            answer = subprocess.run(
                [PROGRAM, "run", "w.yaml", "--progress", "json"], cwd=folder, capture_output=True,
                text=True, env={**os.environ, "PATH": (path + ":" if path else "") + os.environ["PATH"]})
            if answer.returncode != 0:
                sys.exit(f"{kind}: {answer.stdout[-800:]}{answer.stderr}")
            self.events = [json.loads(line) for line in answer.stdout.splitlines()]
            self.end_of_steps = {
                name: int((open(f"{folder}/{name}").read() or "0").strip())
                for name in os.listdir(folder) if name.startswith("end-")}
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        self.begin = next(self.times("run-started"))
        self.ends = sorted(self.times("step-succeeded"))

    def times(self, kind):
        return (stamp(event["time"]) for event in self.events if event["event"] == kind)

    @property
    def gaps(self):
        """The seconds from the end of a step to that of the next one."""
        return [later - earlier for earlier, later in zip(self.ends, self.ends[1:])]


def alternated(*measures):
    """Rounds of each measure in turn; a list of all seconds for each."""
    results = [[] for _ in measures]
    for _ in range(ROUNDS):
        for result, measure in zip(results, measures):
            result += measure()
    return [statistics.median(result) for result in results]


def ms(seconds):
    return f"{seconds * 1000:.1f} ms"


def local():
    return Run("local", 20).gaps


def sandbox():
    # What a step of ours sees, so with the same mounts.
    with tempfile.TemporaryDirectory(prefix="reprise-figures-") as folder:
        compare_with_bwrap([
            "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/",
            "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/dev/shm",
            "--bind", folder, folder, "--bind", "/var/tmp", "/var/tmp", "--chdir", folder, "--",
            "true"])


def compare_with_bwrap(bwrap):
    near, ours, bare = alternated(
        local, lambda: Run("sandbox", 20).gaps, lambda: [timed(bwrap) for _ in range(20)])
    print(f"sandbox: a step {ms(ours)}, local + {ms(ours - near)} (bare bwrap {ms(bare)})")


def survive():
    near, ours = alternated(local, lambda: Run("survive", 15).gaps)
    print(f"survive: a step {ms(ours)} (local {ms(near)})")


def ssh():
    options = json.loads(settings("ssh"))
    command = ["ssh", *options["options"], options["host"], "true"]
    firsts = []

    def ours():
        run = Run("ssh", 60)
        firsts.append(run.ends[0] - run.begin)
        return run.gaps

    near, step, bare = alternated(local, ours, lambda: [timed(command) for _ in range(2)])
    print(f"ssh: a step {ms(step)} (local {ms(near)}), the first after "
          f"{ms(statistics.median(firsts))} (a bare ssh {ms(bare)})")


def container(kind="container"):
    options = json.loads(settings(kind))
    program = os.path.basename(options["program"])
    bare, same, ours, kept = alternated(
        lambda: [timed(container_run(options), stderr=subprocess.DEVNULL) for _ in range(3)],
        lambda: [whole_run(options) for _ in range(3)],
        lambda: Run(kind, 4).gaps, lambda: Run(kind, 20, keep=True).gaps)
    print(f"{kind}: a step {ms(ours)}; {ours / bare:.2f} x {program} run ({ms(bare)}), "
          f"{ours / same:.2f} x with the same mounts and until its monitor has ended "
          f"({ms(same)}); in a kept container {ms(kept)}")


def container_run(options, *more):
    return [options["program"], "run", "--rm", "--network", "none", *more,
            *options.get("options", []), options["image"], "true"]


def whole_run(options):
    """What a step of ours sees, and until nothing of it is left, as a step of ours ends."""
    with tempfile.TemporaryDirectory(prefix="reprise-figures-") as folder:
        name = os.path.basename(folder)
        mounts = []
        for part in ("w", "tmp", "run"):
            os.mkdir(f"{folder}/{part}")
            mounts += ["--volume", f"{folder}/{part}:{folder}/{part}"]
        begin = time.monotonic()
        timed(container_run(options, "--name", name, *mounts, "--workdir", folder + "/w"),
              stderr=subprocess.DEVNULL)
        # Monitors are orphans, which this process adopts.
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                return time.monotonic() - begin


def docker():
    container("docker")


def slurm():
    sbatch = ["sbatch", "--parsable", "--output=/dev/null", "--wrap", "true"]
    bare = statistics.median(timed(sbatch) for _ in range(50))
    # As many at once as the nodes take, and a script that counts the calls of squeue.
    with tempfile.TemporaryDirectory(prefix="reprise-figures-") as folder:
        squeue = shutil.which("squeue")
        with open(folder + "/squeue", "w") as file:
            file.write(f'#!/bin/sh\necho >> {folder}/calls\nexec {squeue} "$@"\n')
        os.chmod(folder + "/squeue", 0o755)
        run = Run("slurm", 500, "max-parallel: 500\n", path=folder)
        calls = os.path.exists(folder + "/calls") and len(open(folder + "/calls").readlines())
    whole = run.ends[-1] - run.begin
    begin = time.monotonic()
    for _ in range(500):
        subprocess.run(sbatch, check=True, stdout=subprocess.DEVNULL)
    submitted = time.monotonic() - begin
    while subprocess.run(["squeue", "-h"], capture_output=True, text=True).stdout:
        time.sleep(0.1)
    alone = time.monotonic() - begin
    print(f"slurm: 500 steps in {whole:.1f} s, {500 / whole:.0f} a second, {calls} calls of squeue; "
          f"bare sbatch, one after the other: {submitted:.1f} s to submit, {alone:.1f} s to the end, "
          f"{500 / alone:.0f} a second ({ms(bare)} each)")
    # The result is written after the step has written the time.
    late = Run("slurm", 20, script='[sh, -c, "sleep 0.3; date +%s%N > end-$REPRISE_STEP_ID"]')
    names = {event["step"]: stamp(event["time"]) for event in late.events
             if event["event"] == "step-succeeded"}
    day = 86400
    seen = [names[name[4:]] - (moment / 1e9) % day for name, moment in late.end_of_steps.items()]
    print(f"slurm: a result is seen {ms(statistics.median(seen))} after the last line of the step")
    srun = ["srun", "--quiet", "true"]
    kept, bare = alternated(
        lambda: Run("slurm", 20, keep=True).gaps, lambda: [timed(srun) for _ in range(5)])
    print(f"slurm: a step in a kept allocation {ms(kept)} (a bare srun {ms(bare)})")
    run = Run("slurm", 500, "max-parallel: 500\n", keep=True)
    whole = run.ends[-1] - run.begin
    print(f"slurm: 500 steps in a kept allocation in {whole:.1f} s, {500 / whole:.0f} a second")


PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
for name in ["sandbox", "survive", "ssh", "container", "docker", "slurm"]:
    if name in KINDS:
        begin = os.getloadavg()[0]
        globals()[name]()
        print(f"  load {begin:.1f} to {os.getloadavg()[0]:.1f}", flush=True)
