"""What the next attempt gets after Slurm has ended a job: more time, another node."""

import signal
import subprocess

from cases_slurm import Slurm
from support import (
    Project, case, check, processes_with, processes_with_command, settings_of, signal_all, wait_for)


@case("slurm")
def time_grows(kind):
    """A job that Slurm ends at its time limit gets more time in its next attempt."""
    settings = settings_of(kind, time="${{ attempt * 2 - 1 }}m")
    steps = """
  - { id: a, retry: { limit: 1, delay: 10ms, for: [time-limit] }, run: "exec sleep 125" }
"""
    with Project(kind, steps, settings=settings) as project:
        status = project.end_of(project.start("run", "w.yaml"), 420)
        check(
            status == 0 and project.shows("TIMEOUT"),
            f"{kind}: the next attempt after a time limit gets more time (status {status})")


@case("slurm")
def failed_node_is_left_out(kind):
    """The next attempt after a failure of a node runs on another one."""
    steps = """
  - id: a
    retry: { limit: 1, delay: 10ms, for: [node] }
    run: "echo $SLURMD_NODENAME >> effects; [ $REPRISE_ATTEMPT -gt 1 ] || sleep 600"
"""
    with Project(kind, steps) as project:
        engine = project.start("run", "w.yaml")
        wait_for("the step runs", lambda: len(project.effects()) == 1)
        node = project.effects()[0]
        run = project.run_id()
        Slurm.kill("slurmd." + node)
        signal_all(processes_with_command("slurmstepd:"), signal.SIGKILL)
        signal_all(processes_with(f"REPRISE_RUN_ID={run}"), signal.SIGKILL)
        signal_all(processes_with_command("host", run), signal.SIGKILL)
        subprocess.run(["scontrol", "update", f"nodename={node}", "state=down", "reason=test"])
        status = project.end_of(engine, 180)
        nodes = project.effects()
        check(
            status == 0 and len(nodes) == 2 and nodes[1] != node and project.shows("NODE_FAIL"),
            f"{kind}: a node that has failed is left out (status {status}, {nodes})")
        Slurm.start_node(node)
        subprocess.run(["scontrol", "update", f"nodename={node}", "state=resume"])
    Slurm.wait_until_idle()
