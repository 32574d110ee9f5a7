"""A scheduler that a page describes: AWS Batch, as moto answers for it. All that is printed there is run."""

import json
import os
import re
import signal
import subprocess

from support import FOLDER, PROGRAM, Project, case, check, lines, wait_for

PAGE = os.path.dirname(os.path.abspath(__file__)) + "/../../Documentation/other-schedulers.md"
SHARED = FOLDER + "/shared"


def printed(language):
    """The blocks of the page in a language, with another folder in place of /shared."""
    with open(PAGE) as file:
        blocks = re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.M | re.S)
    return [block.replace("/shared", SHARED) for block in blocks]


class Shared(Project):
    """A project in the folder that all machines share, with the workflow of the page, or other steps."""

    program = SHARED + "/bin/reprise"

    def __init__(self, steps=None, **settings):
        super().__init__("aws", "", inside=SHARED)
        text = printed("yaml")[0]
        if steps:
            text = text[:text.index("steps:\n")] + "steps:\n" + steps
        for name, value in settings.items():
            text = text.replace("      max-parallel:", f"      {name}: {value}\n      max-parallel:")
        with open(self.folder + "/fit.yaml", "w") as file:
            file.write(text)
        with open(self.folder + "/tools.json", "w") as file:
            file.write(printed("json")[0])
        if not queues():
            check(self.shell(printed("sh")[0]) == 0, "aws: the definition and the queue are made")

    def shell(self, text):
        """The status of printed commands, whose output is in the log."""
        with open(self.log, "a") as log:
            return subprocess.run(
                ["sh", "-e", "-x", "-c", text], cwd=self.folder, stdout=log, stderr=log,
                env={**os.environ, "PATH": SHARED + "/bin:" + os.environ["PATH"]}).returncode


def queues():
    answer = subprocess.run(
        ["aws", "batch", "describe-job-queues", "--query", "jobQueues"], capture_output=True, check=True)
    return json.loads(answer.stdout)


def containers():
    """The containers that run; a job of moto is one."""
    answer = subprocess.run(
        ["docker", "ps", "--quiet"], capture_output=True, text=True, check=True)
    return answer.stdout.split()


def unfinished():
    """The jobs that AWS lists as waiting or running."""
    answer = subprocess.run(
        ["aws", "batch", "list-jobs", "--job-queue", "main", "--filters", "name=JOB_NAME,values=r_*",
         "--query", "jobSummaryList[].status"], capture_output=True, text=True, check=True)
    return [state for state in json.loads(answer.stdout) if state not in ("SUCCEEDED", "FAILED")]


def nothing_is_left():
    return not unfinished() and not containers()


@case("aws")
def printed_commands(kind):
    """The commands and the files of the page, in their order: ten steps have outputs."""
    with Shared() as project:
        _, by_hand, run = printed("sh")
        tried = project.shell(by_hand)
        listed = any(re.match(r"[0-9a-f-]{36}\t[A-Z]+\t", line) for line in lines(project.log))
        check(tried == 0 and listed, f"{kind}: the three commands can be tried by hand")
        status = project.shell(run)
        report = lines(project.folder + "/report")
        check(
            status == 0 and report == [" ".join(str(n * n) for n in range(1, 11))],
            f"{kind}: ten steps of the page have outputs (status {status}, {report})")
        check(bool(wait_for("nothing is left", nothing_is_left, 20)), f"{kind}: no job is left")


@case("aws")
def failing_step_of_aws(kind):
    """A step that fails has its status, and its output, though AWS says no more than FAILED."""
    with Shared('  - { id: a, run: "echo words of a; exit 37" }\n') as project:
        status = project.end_of(project.start("run", "fit.yaml"))
        check(
            status == 1 and project.shows("words of a") and project.shows("status 37"),
            f"{kind}: a step that fails has its status (status {status})")


@case("aws")
def refused_by_aws(kind):
    """What AWS refuses fails the step in its words."""
    with Shared('  - { id: a, run: "true" }\n', options="[--job-queue=other]") as project:
        status = project.end_of(project.start("run", "fit.yaml"))
        check(
            status == 1 and project.shows("Job queue other does not exist"),
            f"{kind}: a job that is refused fails its step (status {status})")


@case("aws")
def step_of_eight_seconds_on_aws(kind):
    """A step that outlives every timer ends by itself, with what it has printed."""
    with Shared('  - { id: a, run: "echo begun; sleep 8; echo ended >> effects" }\n') as project:
        status = project.end_of(project.start("run", "fit.yaml"))
        check(
            status == 0 and project.effects() == ["ended"] and project.shows("begun"),
            f"{kind}: a step of 8 s ends by itself (status {status})")


@case("aws")
def cancelled_on_aws(kind):
    """A cancel of steps that run, ignore SIGTERM and detach leaves no container and no job."""
    steps = """
  - id: a
    foreach: { from: 1, to: 6 }
    run: "trap '' TERM; (setsid sleep 600 &); echo up >> effects; sleep 600"
"""
    with Shared(steps + "    grace: 1s\n") as project:
        engine = project.start("run", "fit.yaml")
        wait_for("some steps run", lambda: len(project.effects()) >= 3)
        ran = len(containers())
        engine.send_signal(signal.SIGTERM)
        status = project.end_of(engine, 120)
        left = unfinished()
        gone = wait_for("the containers are gone", nothing_is_left, 20)
        check(
            status == 143 and ran >= 3 and bool(gone),
            f"{kind}: a cancel leaves nothing (status {status}, {ran} containers, then {left})")


@case("aws")
def engine_killed_on_aws(kind):
    """The engine is killed with -9 while steps run and wait; the next one adopts them."""
    steps = """
  - id: a
    foreach: { from: 1, to: 6 }
    run: echo $REPRISE_STEP_ID >> effects; sleep 6; echo "v=$REPRISE_STEP_ID" >> "$REPRISE_OUTPUT"
  - id: b
    env: { ALL: "${{ join(steps.a.outputs.v, ' ') }}" }
    run: echo "$ALL" >> all
"""
    with Shared(steps) as project:
        engine = project.start("run", "fit.yaml")
        wait_for("some steps run", lambda: len(project.effects()) >= 3)
        project.kill(engine)
        status = project.end_of(project.start("resume", project.run_id()))
        names = [f"a[{n}]" for n in range(6)]
        check(
            status == 0 and sorted(project.effects()) == names
            and lines(project.folder + "/all") == [" ".join(names)],
            f"{kind}: a killed engine is resumed, and each step runs once (status {status}, "
            f"{project.effects()})")


@case("aws")
def kept_jobs_of_aws(kind):
    """Many short steps share some jobs, which are given back."""
    steps = '  - { id: a, foreach: { from: 1, to: 60 }, run: "echo $HOSTNAME >> effects" }\n'
    with Shared(steps, keep="{ nodes: 2, slots: 8 }") as project:
        status = project.end_of(project.start("run", "fit.yaml"))
        gone = wait_for("they are given back", nothing_is_left, 30)
        check(
            status == 0 and len(project.effects()) == 60 and bool(gone),
            f"{kind}: 60 steps share kept jobs (status {status}, {len(project.effects())} effects)")
