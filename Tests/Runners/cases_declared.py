"""What `files: declared` copies to another machine, and back."""

import os
import pathlib
import signal

from cases_rsync import FAR
from support import Project, case, check, processes_with, settings_of, wait_for

# The records of attempts there, among which the folders of steps are.
RECORDS = FAR.parent / "attempts"


class Declared(Project):
    """A project whose steps see the files that they declare."""

    def __init__(self, kind, steps, **more):
        super().__init__(kind, steps, settings=settings_of(kind, files="declared", **more))
        self.path = pathlib.Path(self.folder)

    def run(self):
        return self.end_of(self.start("run", "w.yaml"))

    def read(self, name):
        path = self.path / name
        return path.read_text() if path.is_file() else None

    def folders(self):
        """The folders of steps of this run that are left on the far side."""
        return [one.name for one in RECORDS.glob(f"{self.run_id()}.files-*")]


@case("ssh")
def declared_files(kind):
    """A step sees the files that it declares, and nothing else; what it makes comes back."""
    steps = r"""
  - id: a
    cache: { inputs: ["in put/**", "!**/*.tmp", link], makes: [result, "made/**", empty] }
    run: |
      files=$(find . ! -type d | sort) && echo "$files" > result
      cat link >> result
      mkdir -p made empty && echo 1 > "made/a b" && echo 2 > "$(printf 'made/a\nb')" && ln -s result made/link
      echo other > undeclared
      sleep 1
"""
    with Declared(kind, steps) as project:
        (project.path / "in put").mkdir()
        (project.path / "in put/one").write_text("1\n")
        (project.path / "in put/two.tmp").write_text("2\n")
        (project.path / "other").write_text("linked\n")
        (project.path / "link").symlink_to("other")
        (project.path / "nothing").symlink_to("in put/nowhere")
        # One that is newer here, since clocks may differ.
        (project.path / "result").write_text("old\n")
        os.utime(project.path / "result", (4e9, 4e9))
        status = project.run()
        check(
            status == 0 and project.read("result") == "./in put/one\n./link\nlinked\n"
            and project.read("made/a b") == "1\n" and project.read("made/a\nb") == "2\n"
            and (project.path / "made/link").is_symlink() and (project.path / "empty").is_dir()
            and project.read("undeclared") is None and (project.path / "link").is_symlink(),
            f"{kind}: declared files are copied there, and back (status {status})")
        check(not project.folders(), f"{kind}: the folder of the step is removed {project.folders()}")


@case("ssh")
def declared_files_are_missing(kind):
    """A step that has not made what it declares has failed, also if the file is here."""
    steps = '  - { id: a, cache: { key: "1", makes: [result, other] }, run: "echo x > result" }\n'
    with Declared(kind, steps) as project:
        (project.path / "other").write_text("of an earlier run\n")
        status = project.run()
        check(
            status == 1 and project.shows('no file matches "other" under cache.makes')
            and project.read("result") is None and not project.folders(),
            f"{kind}: a file that was not made fails the step (status {status}, {project.folders()})")


@case("ssh")
def declared_files_of_a_failed_step(kind):
    """With `fetch: always`, what a failed step has made comes back; its next attempt begins anew."""
    steps = """
  - id: a
    cache: { key: "1", makes: [log, rest] }
    retry: { limit: 1, delay: 10ms }
    run: "count=$(ls | wc -l); echo $count $REPRISE_ATTEMPT >> log; exit 3"
"""
    for fetch, expected in [("success", None), ("always", "0 2\n")]:
        with Declared(kind, steps, fetch=fetch) as project:
            status = project.run()
            check(
                status == 1 and project.shows("status 3") and project.read("log") == expected,
                f"{kind}: with fetch {fetch}, declared files of a failed step: {expected!r} "
                f"({status}, {project.read('log')!r})")


@case("ssh")
def declared_files_of_an_adopted_step(kind):
    """When the engine dies, the next one copies back what the step has made."""
    steps = """
  - id: a
    cache: { inputs: [input], makes: [result] }
    run: "cat input > result; sleep 5; echo end >> result"
"""
    with Declared(kind, steps) as project:
        (project.path / "input").write_text("begin\n")
        engine = project.start("run", "w.yaml")
        wait_for("the step begins", lambda: project.shows("a started"))
        (project.path / "input").write_text("later\n")
        project.kill(engine)
        status = project.end_of(project.start("resume", "@last"))
        check(
            status == 0 and project.read("result") == "begin\nend\n",
            f"{kind}: declared files of an adopted step come back (status {status})")


@case("ssh")
def copied_files_and_a_cancel_without_engine(kind):
    """`reprise cancel` of a run without an engine ends its steps, also if files are copied."""
    for files in ("rsync", "declared"):
        settings = settings_of(kind, files=files, orphan_after="5m")
        with Project(kind, '  - { id: a, run: "sleep 600" }\n', settings=settings) as project:
            engine = project.start("run", "w.yaml")
            wait_for("the step begins", lambda: project.shows("a started"))
            run = project.run_id()
            project.kill(engine)
            answer = project.command("cancel", run)
            rest = processes_with(f"REPRISE_RUN_ID={run}")
            check(
                answer.returncode == 0 and not rest,
                f"{kind}: with files {files}, a cancel without an engine leaves nothing "
                f"({answer.returncode}, {rest})")
            for process in rest:
                os.kill(process, signal.SIGKILL)
            left = [one.name for one in RECORDS.glob(f"{run}.*")]
            check(not left, f"{kind}: with files {files}, no records are left there ({left})")
