"""Failures of a container engine."""

import glob
import json
import os
import signal
import subprocess

from support import (
    FOLDER, Project, case, check, lines, processes_with, processes_with_command, settings_of, wait_for)


def image(kind, name, change):
    """Makes an image with a change, such as `USER 1234`, and returns the settings of a runner."""
    settings = json.loads(settings_of(kind))
    program = settings["program"]
    made = subprocess.run(
        [program, "create", *settings.get("options", []), "--network", "none", settings["image"], "true"],
        capture_output=True, text=True, check=True).stdout.split()[-1]
    subprocess.run(
        [program, "commit", "--change", change, made, name], capture_output=True, check=True)
    subprocess.run([program, "rm", "--force", made], capture_output=True, check=True)
    return {**settings, "image": name}


@case("container", "docker")
def image_with_entry_point(kind):
    """The script of a step runs, whatever the entry point of its image is."""
    settings = image(kind, "localhost/entry:1", 'ENTRYPOINT ["/bin/echo", "ENTRY"]')
    for keep in (False, True):
        steps = '  - { id: a, run: "echo ran >> effects; exit 5" }\n'
        far = json.dumps({**settings, "keep": keep})
        with Project(kind, steps, settings=far) as project:
            status = project.end_of(project.start("run", "w.yaml"))
            check(
                status == 1 and project.effects() == ["ran"] and project.shows("status 5"),
                f"{kind}: a script runs in an image with an entry point (kept: {keep}, {status})")


@case("container", "docker")
def image_with_user(kind):
    """Outputs, variables, progress and the folder of the run work for the user of an image."""
    settings = image(kind, "localhost/user:1", "USER 1234")
    steps = """
  - id: a
    run: |
      echo "o=1" >> $REPRISE_OUTPUT
      echo "V=2" >> $REPRISE_ENV
      echo "progress 0.5 half" > "$REPRISE_PROGRESS"
      echo 3 > $REPRISE_RUN_DIR/file
  - { id: b, env: { O: "${{ steps.a.outputs.o }}" }, run: 'echo "got $O $V $(cat $REPRISE_RUN_DIR/file)"' }
"""
    for keep in (False, True):
        with Project(kind, steps, settings=json.dumps({**settings, "keep": keep})) as project:
            status = project.end_of(project.start("run", "w.yaml"))
            check(
                status == 0 and project.shows("got 1 2 3"),
                f"{kind}: what a step reports works for the user of its image (kept: {keep}, {status})")


@case("container", "docker")
def secret_is_not_stored(kind):
    """The program that runs containers neither knows nor stores secrets, nor unmasked output."""
    secret = "tr0ub4dor" + os.urandom(8).hex()
    settings = json.loads(settings_of(kind))
    for keep in (False, True):
        steps = """
  - { id: a, env: { T: "${{ secrets.t }}" }, run: "echo it is $T; echo up >> effects; sleep 2" }
"""
        with Project(
                kind, steps, head="secrets: { t: { env: TOKEN } }\n",
                settings=json.dumps({**settings, "keep": keep})) as project:
            engine = project.start("run", "w.yaml", TOKEN=secret)
            wait_for("the step begins", project.effects)
            containers = subprocess.run(
                [settings["program"], "ps", "--quiet"], capture_output=True, text=True).stdout.split()
            shown = subprocess.run(
                [settings["program"], "inspect", *containers], capture_output=True, text=True).stdout
            stored = stores_with(kind, secret)
            status = project.end_of(engine)
            stored += stores_with(kind, secret)
            check(
                containers and status == 0 and project.shows("it is ***") and secret not in shown
                and not stored,
                f"{kind}: a secret is not stored (kept: {keep}, status {status}, {stored})")


def stores_with(kind, text):
    """The files of the program that runs containers which contain a text."""
    folders = {"container": ["podman-store", "podman-run"], "docker": ["docker"]}[kind]
    paths = [path for folder in folders for path in glob.glob(f"{FOLDER}/{folder}")]
    answer = subprocess.run(
        ["grep", "-rlF", "--devices=skip", text, *paths], capture_output=True, text=True)
    return answer.stdout.split()


@case("docker")
def daemon_is_not_there(kind):
    """A container that cannot be started says why, and is not a step that ended with 125."""
    for keep in (False, True):
        settings = {**json.loads(settings_of(kind)), "keep": keep}
        with Project(kind, '  - { id: a, run: "true" }\n', head="timeout: 10s\n",
                     settings=json.dumps(settings)) as project:
            engine = project.start("run", "w.yaml", DOCKER_HOST="unix:///nonexistent.sock")
            project.end_of(engine)
            check(
                project.shows("Cannot connect to the Docker daemon")
                and not project.shows("exited with status 125"),
                f"{kind}: the reason of docker is shown (kept: {keep})")


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
