"""Failures of a container engine."""

import os
import signal
import subprocess

from support import Project, case, check, lines, processes_with, processes_with_command, wait_for


@case("container")
def container_monitor_killed(kind):
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
