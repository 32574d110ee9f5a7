#!/usr/bin/env python3
"""What a step costs on each runner, beside the bare tool in the same run.

    figures.py PROGRAM KIND [KIND ...]

Scripts/runners-test --figures starts what the kinds need. Prints medians; the machine is shared, so
only the ratios and differences within one run mean something.
"""

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


def settings(kind):
    return os.environ.get("REPRISE_RUNNER_" + kind.upper(), "{}")


def timed(command, **options):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)
    return time.monotonic() - begin


def step_times(kind, count, chain=True, head="", script="true"):
    """The seconds of each step of a run, and of the run."""
    folder = tempfile.mkdtemp(prefix="reprise-figures-")
    try:
        runner = "" if kind == "local" else (
            f"runners: {{ far: {{ {kind}: {settings(kind)} }} }}\nrunner: far\n")
        many = "max-parallel: 1\n" if chain else head
        with open(folder + "/w.yaml", "w") as file:
            file.write(f"name: w\n{runner}{many}steps:\n  - id: a\n"
                       f"    foreach: {{ from: 1, to: {count} }}\n    exec: [{script}]\n")
        answer = subprocess.run(
            [PROGRAM, "run", "w.yaml", "--progress", "json"], cwd=folder, capture_output=True,
            text=True)
        if answer.returncode != 0:
            sys.exit(f"{kind}: {answer.stdout[-2000:]}{answer.stderr}")
        ends = []
        events = [json.loads(line) for line in answer.stdout.splitlines()]
        first = None
        for event in events:
            moment = event["time"]
            if event["event"] == "run-started":
                first = stamp(moment)
            if event["event"] == "step-succeeded":
                ends.append(stamp(moment))
        gaps = [later - earlier for earlier, later in zip(ends, ends[1:])]
        return gaps, ends[-1] - first, ends[0] - first
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def stamp(text):
    clock = text.split("T")[1].rstrip("Z").split(":")
    return int(clock[0]) * 3600 + int(clock[1]) * 60 + float(clock[2])


def milliseconds(values):
    return f"{statistics.median(values) * 1000:.1f} ms"


def main():
    local, _, _ = step_times("local", 100)
    print(f"local: a step {milliseconds(local)}")
    if "sandbox" in KINDS:
        ours, _, _ = step_times("sandbox", 100)
        bare = [timed(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]) for _ in range(50)]
        print(f"sandbox: a step {milliseconds(ours)} "
              f"(local + {(statistics.median(ours) - statistics.median(local)) * 1000:.1f} ms; "
              f"bare bwrap {milliseconds(bare)})")
    if "survive" in KINDS:
        ours, _, _ = step_times("survive", 50)
        print(f"survive: a step {milliseconds(ours)}")
    if "ssh" in KINDS:
        ours, _, first = step_times("ssh", 200)
        options = json.loads(settings("ssh"))
        bare = [timed(["ssh", *options["options"], options["host"], "true"]) for _ in range(10)]
        print(f"ssh: a step {milliseconds(ours)}, the first after {first * 1000:.0f} ms "
              f"(bare ssh {milliseconds(bare)})")
    if "container" in KINDS:
        options = json.loads(settings("container"))
        ours, _, _ = step_times("container", 15)
        bare = [timed([options["program"], "run", "--rm", "--network", "none", *options["options"],
                       options["image"], "true"], stderr=subprocess.DEVNULL) for _ in range(15)]
        ratio = statistics.median(ours) / statistics.median(bare)
        print(f"container: a step {milliseconds(ours)} "
              f"({ratio:.2f} x podman run, {milliseconds(bare)})")
    if "slurm" in KINDS:
        bare = [timed(["sbatch", "--parsable", "--output=/dev/null", "--wrap", "true"])
                for _ in range(50)]
        begin = time.monotonic()
        _, whole, _ = step_times("slurm", 500, chain=False, head="max-parallel: 500\n")
        print(f"slurm: 500 steps in {whole:.1f} s, {500 / whole:.0f} a second "
              f"(bare sbatch {milliseconds(bare)}; {time.monotonic() - begin:.1f} s in all)")


main()
