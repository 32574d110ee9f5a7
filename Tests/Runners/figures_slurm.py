"""What steps cost on Slurm. REPRISE_FIGURES names the figures to measure, by default all but the last one:

    arrays      1,000 items, beside a bare array
    jobs        1,000 steps with a job each, beside a loop of sbatch
    result      how late the end of a job is seen
    keep        steps in a kept allocation, one after the other, and many at once
    cancel      a cancel of 500 jobs that wait
    minutes     the calls of squeue in a run of ten minutes, with 20 jobs

REPRISE_COUNT is the number of steps instead of 1,000.
"""

import contextlib
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

from figures_support import ROUNDS, PROGRAM, Run, alternated, ms, settings, single_steps, stamp

COUNT = int(os.environ.get("REPRISE_COUNT", "1000"))
WANTED = os.environ.get("REPRISE_FIGURES", "arrays jobs result keep cancel").split()
SBATCH = ["sbatch", "--parsable", "--output=/dev/null", "--wrap", "true"]
MANY = "max-parallel: 2000\n"


def measure():
    for name in WANTED:
        globals()[name]()


@contextlib.contextmanager
def counted_squeue():
    """A folder for the PATH with a squeue that counts its calls, and a function that says how many."""
    with tempfile.TemporaryDirectory(prefix="reprise-figures-") as folder:
        with open(folder + "/squeue", "w") as file:
            file.write(
                f'#!/bin/sh\necho >> {folder}/calls\nexec {shutil.which("squeue")} "$@"\n')
        os.chmod(folder + "/squeue", 0o755)

        def calls():
            path = folder + "/calls"
            return len(open(path).readlines()) if os.path.exists(path) else 0
        yield folder, calls


def queued():
    return len(subprocess.run(
        ["squeue", "-h", "-r", "--me"], capture_output=True, text=True).stdout.splitlines())


def settle():
    while queued():
        time.sleep(0.1)
    time.sleep(1)


def bare_array():
    settle()
    begin = time.monotonic()
    subprocess.run([*SBATCH[:-2], f"--array=0-{COUNT - 1}", *SBATCH[-2:]],
                   check=True, stdout=subprocess.DEVNULL)
    while queued():
        time.sleep(0.2)
    return time.monotonic() - begin


def bare_loop():
    settle()
    begin = time.monotonic()
    for _ in range(COUNT):
        subprocess.run(SBATCH, check=True, stdout=subprocess.DEVNULL)
    while queued():
        time.sleep(0.2)
    return time.monotonic() - begin


def compare(what, bare_name, bare, **options):
    """Rounds of a run and the bare tool in turn; a run that is slower than another one beside it says
    little, so the ratio is that of each pair."""
    runs, bares, calls_of_runs = [], [], []
    for _ in range(ROUNDS):
        bares.append(bare())
        settle()
        with counted_squeue() as (path, calls):
            runs.append(Run("slurm", COUNT, MANY, path=path, **options))
            calls_of_runs.append(calls())
    ratios = sorted(run.seconds / alone for run, alone in zip(runs, bares))
    seconds = statistics.median(run.seconds for run in runs)
    alone = statistics.median(bares)
    print(f"slurm: {COUNT} steps, {what}: {seconds:.1f} s, {COUNT / seconds:.0f} a second; "
          f"{bare_name} {alone:.1f} s; {statistics.median(ratios):.2f} times "
          f"({ratios[0]:.2f} to {ratios[-1]:.2f})")
    print(f"slurm:   {statistics.median(calls_of_runs):.0f} calls of squeue; the engine and its commands: "
          f"{statistics.median(run.processor_seconds for run in runs):.1f} s of a processor, "
          f"at most {max(run.peak_mebibytes for run in runs):.0f} MiB", flush=True)


def arrays():
    compare("as arrays", "a bare array", bare_array)


def jobs():
    compare("a job each", "a loop of sbatch", bare_loop, steps=single_steps)


def result():
    # The result is written after the step has written the time.
    late = Run("slurm", 20, script='[sh, -c, "sleep 0.3; date +%s%N > end-$REPRISE_STEP_ID"]')
    names = {event["step"]: stamp(event["time"]) for event in late.events
             if event["event"] == "step-succeeded"}
    day = 86400
    seen = [names[name[4:]] - (moment / 1e9) % day for name, moment in late.end_of_steps.items()]
    print(f"slurm: a result is seen {ms(statistics.median(seen))} after the last line of the step",
          flush=True)


def keep():
    srun = ["srun", "--quiet", "true"]

    def timed_srun():
        begin = time.monotonic()
        subprocess.run(srun, check=True)
        return time.monotonic() - begin
    kept, bare = alternated(
        lambda: Run("slurm", 20, keep=True).gaps, lambda: [timed_srun() for _ in range(5)])
    print(f"slurm: a step in a kept allocation {ms(kept)} (a bare srun {ms(bare)})")
    rates = []
    for _ in range(ROUNDS):
        run = Run("slurm", COUNT, MANY, keep=True)
        rates.append(COUNT / (run.ends[-1] - run.begin))
    rates.sort()
    print(f"slurm: {COUNT} steps in a kept allocation: {statistics.median(rates):.0f} a second "
          f"({rates[0]:.0f} to {rates[-1]:.0f})", flush=True)


def cancel():
    partition = ["scontrol", "update", "partitionname=main"]
    subprocess.run([*partition, "state=down"], check=True)
    try:
        rows = sorted(cancelled(500) for _ in range(ROUNDS))
    finally:
        subprocess.run([*partition, "state=up"], check=True)
    print(f"slurm: a cancel of 500 jobs that wait: {rows[len(rows) // 2][0]:.1f} s "
          f"({rows[0][0]:.1f} to {rows[-1][0]:.1f}), {max(left for _, left in rows)} left", flush=True)


def cancelled(count):
    """The seconds from the signal to the end of the command, and how many jobs are queued then."""
    with tempfile.TemporaryDirectory(prefix="reprise-figures-") as folder:
        with open(folder + "/w.yaml", "w") as file:
            file.write(f"name: w\nrunners: {{ far: {{ slurm: {settings('slurm')} }} }}\nrunner: far\n{MANY}"
                       f"steps:\n  - {{ id: a, foreach: {{ from: 1, to: {count} }}, run: sleep 60 }}\n")
        settle()
        engine = subprocess.Popen(
            [PROGRAM, "run", "w.yaml", "--progress", "plain"], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while queued() < count:
            time.sleep(0.1)
        # Slurm may not list what is younger than this, so that a cancel waits for it.
        time.sleep(2)
        begin = time.monotonic()
        engine.send_signal(signal.SIGTERM)
        engine.wait()
        return time.monotonic() - begin, queued()


def minutes():
    with counted_squeue() as (path, calls):
        run = Run("slurm", 20, MANY, script='["sleep", "600"]', path=path)
        print(f"slurm: {calls()} calls of squeue in a run of {run.seconds:.0f} s with 20 jobs", flush=True)
