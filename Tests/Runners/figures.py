#!/usr/bin/env python3
"""What a step costs on each runner, beside the bare tool in the same run.

    figures.py PROGRAM KIND [KIND ...]

Scripts/runners-test --figures starts what the kinds need. The machine may be shared, so rounds of ours and
of the bare tool alternate: each figure is the median of the rounds, and only differences and ratios within
one run mean something. REPRISE_ROUNDS is the number of rounds, by default 5. REPRISE_FIGURES names the
figures of Slurm to measure: see figures_slurm.py.
"""

import ctypes
import json
import os
import statistics
import subprocess
import tempfile
import time

import figures_slurm
from figures_support import KINDS, Run, alternated, ms, settings, timed


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
    figures_slurm.measure()


PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
for name in ["sandbox", "survive", "ssh", "container", "docker", "slurm"]:
    if name in KINDS:
        begin = os.getloadavg()[0]
        globals()[name]()
        print(f"  load {begin:.1f} to {os.getloadavg()[0]:.1f}", flush=True)
