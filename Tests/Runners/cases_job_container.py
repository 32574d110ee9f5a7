"""Steps in containers of the jobs that a scheduler runs."""

import json
import os
import subprocess

from cases_container import stores_with
from support import (
    FOLDER, Project, case, check, processes_with, settings_of, wait_for)

HERE = os.path.dirname(os.path.abspath(__file__))


def containers(kind, **more):
    """The settings of a runner for each program of containers that is here, by its name."""
    programs = {}
    for name in ("container", "docker"):
        known = json.loads(settings_of(name))
        if known:
            programs[known["program"].rsplit("/", 1)[-1]] = known
    if "docker" in programs:
        programs["docker"]["program"] = docker_of_nodes()
    if os.path.isdir(FOLDER + "/image"):
        programs["apptainer"] = {
            "image": FOLDER + "/image", "network": "none", "program": HERE + "/apptainer"}
    if not programs:
        print("  SKIPPED  no program runs containers here")
    return {name: settings_of(kind, container=one, **more) for name, one in programs.items()}


def docker_of_nodes():
    """A program that knows where the daemon of docker is, since jobs do not have its variable."""
    path = FOLDER + "/nodes/docker"
    os.makedirs(FOLDER + "/nodes", exist_ok=True)
    with open(path, "w") as file:
        file.write(f"#!/bin/sh\nDOCKER_HOST={os.environ['DOCKER_HOST']} exec docker \"$@\"\n")
    os.chmod(path, 0o755)
    return path


def left(name, mark):
    """The processes of a run, and the containers that a program still has."""
    found = [f"process {one}" for one in processes_with(mark)]
    if name != "apptainer":
        program = {"podman": FOLDER + "/podman"}.get(name, name)
        names = subprocess.run(
            [program, "ps", "--all", "--format", "{{.Names}}"], capture_output=True, text=True)
        found += [one for one in names.stdout.split() if one.startswith(mark.split("=")[1])]
    return found


@case("slurm", "sge")
def job_in_container(kind):
    """A step of a job runs in its image, and reports from there."""
    steps = """
  - id: a
    run: |
      [ -e /etc/debian_version ] || echo "in the image" >> effects
      echo "o=1" >> $REPRISE_OUTPUT
      echo "V=2" >> $REPRISE_ENV
      echo 3 > $REPRISE_RUN_DIR/file
  - { id: b, env: { O: "${{ steps.a.outputs.o }}" }, run: 'echo "got $O $V $(cat $REPRISE_RUN_DIR/file)"' }
"""
    for name, settings in containers(kind).items():
        with Project(kind, steps, settings=settings) as project:
            status = project.end_of(project.start("run", "w.yaml"), 120)
            check(
                status == 0 and project.shows("got 1 2 3") and project.effects() == ["in the image"],
                f"{kind}: a step runs in a container of {name} (status {status})")


@case("slurm")
def job_containers_in_an_allocation(kind):
    """Steps that share an allocation have containers of their own, and end only themselves."""
    steps = """
  - { id: long, run: "sleep 8; echo long >> effects" }
  - { id: short, needs: [], foreach: { from: 1, to: 5 }, max-parallel: 2, run: "echo short >> effects" }
"""
    for name, settings in containers(kind, keep=True, cpus=4).items():
        with Project(kind, steps, settings=settings) as project:
            before = jobs("all")
            status = project.end_of(project.start("run", "w.yaml"), 120)
            check(
                status == 0 and project.effects() == ["short"] * 5 + ["long"]
                and len(jobs("all") - before) == 1,
                f"{kind}: containers of {name} share an allocation (status {status})")


def jobs(state):
    """The numbers of the jobs in a state, as Slurm knows them."""
    answer = subprocess.run(
        ["squeue", "--noheader", "--me", f"--states={state}", "--format=%A"],
        capture_output=True, text=True)
    return set(answer.stdout.split())


@case("slurm", "sge")
def job_container_cancelled(kind):
    """A cancel leaves neither processes nor containers."""
    steps = '  - { id: a, run: "echo up >> effects; trap : TERM; while :; do sleep 1; done" }\n'
    for name, settings in containers(kind).items():
        with Project(kind, steps, head="grace: 1s\n", settings=settings) as project:
            engine = project.start("run", "w.yaml")
            wait_for("the step begins", project.effects)
            mark = f"REPRISE_RUN_ID={project.run_id()}"
            engine.terminate()
            status = project.end_of(engine)
            rest = left(name, mark)
            check(
                status == 143 and not rest,
                f"{kind}: a cancel ends a container of {name} ({status}, {rest})")


@case("slurm")
def job_container_at_its_limit(kind):
    """The time limit of a job ends its container, and is known as the cause."""
    steps = '  - { id: a, run: "echo up >> effects; exec sleep 600" }\n'
    for name, settings in containers(kind, time="1m").items():
        # Slurm kills two seconds after it has asked to end.
        with Project(kind, steps, head="grace: 200ms\n", settings=settings) as project:
            engine = project.start("run", "w.yaml")
            wait_for("the step begins", project.effects)
            mark = f"REPRISE_RUN_ID={project.run_id()}"
            status = project.end_of(engine, 200)
            rest = left(name, mark)
            check(
                status == 1 and project.shows("TIMEOUT") and not rest,
                f"{kind}: a time limit ends a container of {name} ({status}, {rest})")


@case("slurm")
def job_container_killed(kind):
    """A job that is killed takes its container with it; the next attempt is alone."""
    steps = """
  - id: a
    retry: { limit: 1, delay: 10ms }
    run: "flock -n lock sh -c 'echo up >> effects; [ $REPRISE_ATTEMPT -gt 1 ] || exec sleep 600'"
"""
    for name, settings in containers(kind).items():
        if name == "docker":
            continue
        with Project(kind, steps, settings=settings) as project:
            engine = project.start("run", "w.yaml")
            wait_for("the step begins", project.effects)
            for job in jobs("running"):
                subprocess.run(["scancel", "--signal=KILL", "--full", job], check=True)
            status = project.end_of(engine, 120)
            check(
                status == 0 and project.effects() == ["up", "up"],
                f"{kind}: a killed job leaves no container of {name} (status {status})")


@case("slurm")
def job_container_adopted(kind):
    """When the engine dies, a step in a container of a job goes on and is adopted."""
    steps = '  - { id: a, run: "echo up >> effects; sleep 6; echo done >> effects" }\n'
    for name, settings in containers(kind).items():
        with Project(kind, steps, settings=settings) as project:
            engine = project.start("run", "w.yaml")
            wait_for("the step begins", project.effects)
            project.kill(engine)
            status = project.end_of(project.start("resume", "@last"))
            check(
                status == 0 and project.effects() == ["up", "done"],
                f"{kind}: a container of {name} is adopted (status {status})")


@case("slurm")
def job_container_cannot_start(kind):
    """The words of the program that cannot start a container are those of the failure."""
    texts = {
        "podman": "podman could not start the container", "docker": "docker could not start",
        "apptainer": "apptainer could not start the container: could not open image"}
    for name, settings in containers(kind).items():
        settings = json.loads(settings)
        settings["container"] |= {"image": "/nonexistent/image:1", "pull": "never"}
        if name == "apptainer":
            del settings["container"]["pull"]
        with Project(kind, '  - { id: a, run: "true" }\n', settings=json.dumps(settings)) as project:
            status = project.end_of(project.start("run", "w.yaml"))
            check(
                status == 1 and project.shows(texts[name]),
                f"{kind}: {name} says why a container cannot start (status {status})")
    settings = settings_of(kind, container={"image": "i", "program": "no-such-program"})
    with Project(kind, '  - { id: a, run: "true" }\n', settings=settings) as project:
        status = project.end_of(project.start("run", "w.yaml"))
        check(
            status == 1 and project.shows("no-such-program"),
            f"{kind}: a program that is not on the node is named (status {status})")


@case("slurm")
def job_container_stores_no_secret(kind):
    """Neither the program that runs containers nor Slurm knows a secret of a step."""
    secret = "tr0ub4dor" + os.urandom(8).hex()
    steps = """
  - { id: a, env: { T: "${{ secrets.t }}" }, run: "echo it is $T; echo up >> effects; sleep 2" }
"""
    for name, settings in containers(kind).items():
        with Project(
                kind, steps, head="secrets: { t: { env: TOKEN } }\n", settings=settings) as project:
            engine = project.start("run", "w.yaml", TOKEN=secret)
            wait_for("the step begins", project.effects)
            known = subprocess.run(["scontrol", "show", "job"], capture_output=True, text=True).stdout
            for process in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{process}/cmdline", errors="replace") as file:
                        known += file.read()
                except OSError:
                    pass
            store = {"podman": "container"}.get(name, name)
            stored = stores_with(store, secret) if name != "apptainer" else []
            status = project.end_of(engine)
            if name != "apptainer":
                stored += stores_with(store, secret)
            check(
                status == 0 and project.shows("it is ***") and secret not in known and not stored,
                f"{kind}: a secret is not stored by {name} (status {status}, {stored})")
