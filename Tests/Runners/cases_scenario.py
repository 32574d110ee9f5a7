"""One workflow on two schedulers: workflows/slurm.yaml, and the same file with another cluster by one line.

A hundred steps are restarted in the middle, lose their engine, lose a node, meet a limit of the queue, and
an account that is refused.
"""

import contextlib
import os
import re
import signal
import time

import cases_sge
from cases_slurm import Slurm
from cases_slurm_commands import Fakes
from support import (
    Project, case, check, lines, parent_of, processes_with, processes_with_command, signal_all,
    wait_for)

FILE = os.path.join(os.path.dirname(__file__), "../../workflows/slurm.yaml")
# The line of the cluster; with an account that is refused.
CLUSTERS = {
    "slurm": "slurm: { partition: main, cpus: 1 }",
    "sge": "batch: { scheduler: sge, options: [-q, main.q] }",
}
REFUSED = {
    "slurm": "slurm: { partition: main, account: nobody }",
    "sge": "batch: { scheduler: sge, options: [-q, main.q, -P, nobody] }",
}
LIMIT = 30
# A Slurm without a database of accounts refuses none, and has no limits of users: this says what one says.
ACCOUNTS = f"""
if name == "sbatch":
    if "--account=nobody" in sys.argv:
        sys.stderr.write("sbatch: error: Batch job submission failed: Invalid account or "
                         "account/partition combination specified\\n")
        sys.exit(1)
    arrays = [word.split("-")[-1] for word in sys.argv if word.startswith("--array=")]
    wanted = int(arrays[0]) + 1 if arrays else 1
    known = subprocess.run(["squeue", "-h", "-r", "--me"], capture_output=True, text=True).stdout
    if len(known.splitlines()) + wanted > {LIMIT}:
        sys.stderr.write("sbatch: error: QOSMaxSubmitJobPerUserLimit\\nsbatch: error: Batch job submission "
                         "failed: Job violates accounting/QOS policy (job submit limit, user's size and/or "
                         "time limits)\\n")
        open(os.path.dirname(sys.argv[0]) + "/refused", "a").write("x")
        sys.exit(1)
"""


@contextlib.contextmanager
def hundred(kind, clusters=CLUSTERS):
    """A project with the file, in which one line names the cluster, and each part leaves a trace."""
    with open(FILE) as file:
        text, count = re.subn(r"(?m)^  cluster: .*$", f"  cluster: {{ {clusters[kind]} }}", file.read())
    text = text.replace("; sleep 1", "; echo $REPRISE_STEP_ID-$REPRISE_GENERATION >> effects; sleep 1")
    assert count == 1 and "effects" in text
    with Project(kind, "") as project:
        with open(project.folder + "/w.yaml", "w") as file:
            file.write(text)
        yield project


def begun(project, generation=1):
    return [name for name, number in (line.rsplit("-", 1) for line in project.effects())
            if int(number) >= generation]


def queued(kind):
    return Slurm.queued() if kind == "slurm" else cases_sge.queued()


def check_whole(kind, project, run, status, text, generation=1, lost=0):
    done = begun(project, generation)
    left = processes_with(f"REPRISE_RUN_ID={run}")
    check(
        status == 0 and len(set(done)) == 100 <= len(done) <= 100 + lost and not left
        and project.shows("joined 100 parts"),
        f"{kind}: {text} (status {status}, {len(done)} effects of {len(set(done))} parts, {left})")


@case("slurm", "sge")
def scenario_restarted_and_resumed(kind):
    """A restart in the middle, and the death of the engine in the middle of what follows."""
    with hundred(kind) as project:
        engine = project.start("run", "w.yaml")
        wait_for("parts run", lambda: len(begun(project)) >= 20)
        run = project.run_id()
        project.command("restart", run)
        wait_for("the second generation runs", lambda: len(begun(project, 2)) >= 20)
        project.kill(engine)
        status = project.end_of(project.start("resume", run), 240)
        # Those of the second one go on in the third.
        check_whole(
            kind, project, run, status, "a hundred steps, restarted and resumed, run once each", 2)


def processes_of(run, entry):
    """The processes of a run that were started with an entry: other clusters may have such nodes, too."""
    found = []
    for process in processes_with(entry):
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                if run.encode() in file.read():
                    found.append(process)
        except OSError:
            pass
    return found


def kill_node(kind, run):
    """Ends a node with all that runs there, as its machine would."""
    if kind == "slurm":
        Slurm.kill("slurmd.n1")
        for _ in range(3):
            victims = processes_of(run, "SLURMD_NODENAME=n1")
            above = {parent_of(process) for process in victims}
            signal_all(above & set(processes_with_command("slurmstepd:")), signal.SIGKILL)
            signal_all(victims, signal.SIGKILL)
        return
    folder = os.path.dirname(os.environ["SGE_ROOT"])
    # Grid Engine waits for ever for a job that it was just handing to the node.
    wait_for("no job is being handed over", lambda: not any(
        line.split()[4:5] == ["t"] for line in cases_sge.ask("qstat", "-u", "*").stdout.splitlines()))
    daemon = int(lines(folder + "/execd/localhost/execd.pid")[0])
    shepherds = [p for p in processes_with_command("sge_shepherd") if parent_of(p) == daemon]
    signal_all([daemon, *shepherds], signal.SIGKILL)
    for _ in range(3):
        signal_all(processes_of(run, "QUEUE=main.q"), signal.SIGKILL)


def start_node(kind):
    if kind == "slurm":
        Slurm.start_node("n1")
    else:
        cases_sge.ask("Scripts/grid-engine", "start-node", os.path.dirname(os.environ["SGE_ROOT"]))


@case("slurm", "sge")
def scenario_node_killed(kind):
    """A node dies with its steps: they are lost with the reason, and `resume` runs them again."""
    with hundred(kind) as project:
        engine = project.start("run", "w.yaml")
        wait_for("parts run", lambda: len(begun(project)) >= 20)
        run = project.run_id()
        kill_node(kind, run)
        if kind == "sge":
            start_node(kind)
        end = time.monotonic() + 240
        while engine.poll() is None and time.monotonic() < end:
            time.sleep(2)
            if kind == "sge":
                # A queue whose jobs were killed with their shepherds takes no more, until an administrator says
                # so; when it notices that, it says so again.
                cases_sge.ask("qmod", "-cq", "main.q")
        first = engine.poll()
        lost = sum("was lost" in line for line in set(lines(project.log)))
        if kind == "slurm":
            start_node(kind)
            Slurm.wait_until_idle()
        status = project.end_of(project.start("resume", run), 240)
        check(
            first == 1 and lost > 0, f"{kind}: steps on a node that dies are lost ({lost}, status {first})")
        check_whole(
            kind, project, run, status, "what was lost runs again, and all have run then", 1, lost)


@case("slurm", "sge")
def scenario_limit(kind):
    """A limit of the jobs of a user is waited for, and not tried in vain again and again."""
    # To Grid Engine, an array is one job; without arrays, each part is one.
    arrays = contextlib.nullcontext() if kind == "slurm" else cases_sge.Setting("max_aj_tasks", 1)
    limit = Fakes(ACCOUNTS) if kind == "slurm" else cases_sge.Setting("max_u_jobs", LIMIT)
    with arrays, limit, hundred(kind) as project:
        engine = project.start("run", "w.yaml")
        most = 0
        end = time.monotonic() + 240
        while engine.poll() is None and time.monotonic() < end:
            most = max(most, queued(kind))
            time.sleep(0.2)
        run = project.run_id()
        if kind == "slurm":
            # Parts of an array are tried then, which may be all that it takes.
            refused = len("".join(lines(limit.folder + "/refused")))
            said, seldom = project.shows("accounting/QOS policy") or refused > 0, refused <= 200
        else:
            said, seldom, refused = project.shows("jobs are allowed per user"), True, "?"
        check(
            said and seldom and 0 < most <= LIMIT,
            f"{kind}: a limit of {LIMIT} jobs is kept to ({most} at most, {refused} refusals)")
        check_whole(kind, project, run, engine.poll(), "a hundred steps run once each under a limit")


@case("slurm", "sge")
def scenario_account_refused(kind):
    """An account that the scheduler refuses fails the run at once, in its words."""
    words = {"slurm": "Invalid account", "sge": "nobody"}[kind]
    with Fakes(ACCOUNTS) if kind == "slurm" else contextlib.nullcontext():
        with hundred(kind, REFUSED) as project:
            begin = time.monotonic()
            status = project.end_of(project.start("run", "w.yaml"), 60)
            seconds = time.monotonic() - begin
            check(
                status == 1 and project.shows(words) and queued(kind) == 0 and seconds < 30,
                f"{kind}: an account that is refused fails the run (status {status}, {seconds:.1f} s)")
