"""What `files: rsync` copies to another machine, and back."""

import os
import pathlib
import time

from support import FOLDER, Project, case, check, lines, settings_of

# The home of the user there, which the tests have made.
FAR = pathlib.Path(FOLDER) / "ssh/home/.cache/reprise/work"


class Copied(Project):
    """A project whose steps run in a copy of its folder."""

    def __init__(self, kind, steps):
        super().__init__(kind, steps, settings=settings_of(kind, files="rsync"))
        self.path = pathlib.Path(self.folder)

    def run(self):
        return self.end_of(self.start("run", "w.yaml"))

    def write(self, name, text):
        path = self.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def read(self, name):
        path = self.path / name
        return path.read_text() if path.is_file() else None


@case("ssh")
def files_of_a_failed_step(kind):
    """With `fetch: always`, what a failed step has written comes back."""
    steps = '  - { id: a, run: "echo partial > result; exit 3" }\n'
    for fetch, expected in [("success", []), ("always", ["partial"])]:
        settings = settings_of(kind, files="rsync", fetch=fetch)
        with Project(kind, steps, settings=settings) as project:
            status = project.end_of(project.start("run", "w.yaml"))
            check(
                status == 1 and lines(project.folder + "/result") == expected,
                f"{kind}: with fetch {fetch}, files of a failed step: {expected} (status {status})")


@case("ssh")
def files_are_copied(kind):
    """The folder is copied there, and what a step changes comes back; names may have spaces."""
    steps = """
  - id: a
    run: |
      pwd > "where it ran"
      cat "in put/a file" > result
      echo changed > "in put/a file"
      mkdir "new folder" && echo new > "new folder/new file"
      mkdir empty
"""
    with Copied(kind, steps) as project:
        project.write("in put/a file", "from here\n")
        project.write("untouched", "as before\n")
        os.utime(project.path / "untouched", (1, 1))
        status = project.run()
        where = (project.read("where it ran") or "").strip()
        check(
            status == 0 and where.startswith(str(FAR)) and project.read("result") == "from here\n"
            and project.read("in put/a file") == "changed\n"
            and project.read("new folder/new file") == "new\n" and (project.path / "empty").is_dir()
            and (project.path / "untouched").stat().st_mtime == 1
            and not (FAR / where / ".reprise").exists(),
            f"{kind}: files are copied there, and changed ones back (status {status})")


@case("ssh")
def files_after_a_failure(kind):
    """Nothing comes back after a failure."""
    with Copied(kind, '  - { id: a, run: "echo half > result; echo x > input; exit 3" }\n') as project:
        project.write("input", "mine\n")
        status = project.run()
        check(
            status == 1 and project.shows("status 3") and project.read("result") is None and project.read("input") == "mine\n",
            f"{kind}: after a failure no file is copied back (status {status})")


@case("ssh")
def files_that_are_deleted(kind):
    """Nothing is deleted on either side, and what was deleted here does not come back."""
    steps = """
  - id: a
    run: "rm -f gone-there; echo $(ls | tr '\\\\n' ' ') >> seen"
"""
    with Copied(kind, steps) as project:
        project.write("gone-there", "kept\n")
        project.write("gone-here", "old\n")
        first = project.run()
        (project.path / "gone-here").unlink()
        second = project.run()
        check(
            first == second == 0 and project.read("gone-there") == "kept\n"
            and project.read("gone-here") is None and len((project.read("seen") or "").split("\n")) == 3,
            f"{kind}: files that are deleted on one side stay as they are on the other "
            f"(status {first}, {second})")


@case("ssh")
def files_that_are_newer_here(kind):
    """A file that is edited while the step runs keeps the edit."""
    steps = """
  - { id: a, run: "echo there > both; touch ready; while [ ! -e go ]; do sleep 0.1; done" }
"""
    with Copied(kind, steps) as project:
        project.write("both", "before\n")
        engine = project.start("run", "w.yaml")
        while not list(FAR.glob("*/ready")) and engine.poll() is None:
            time.sleep(0.02)
        time.sleep(1.1)
        project.write("both", "edited here\n")
        for ready in FAR.glob("*/ready"):
            (ready.parent / "go").touch()
        status = project.end_of(engine)
        check(
            status == 0 and project.read("both") == "edited here\n" and project.read("ready") == "",
            f"{kind}: an edit made here during the step is kept (status {status})")


@case("ssh")
def files_behind_links(kind):
    """Links are copied as links: what they point to is neither sent nor written."""
    steps = """
  - id: a
    run: |
      readlink out > seen; readlink folder >> seen
      rm folder; mkdir folder; echo evil > folder/file
      ln -s /etc/passwd made
      echo through > inside
"""
    outside = pathlib.Path(FOLDER) / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "file").write_text("theirs\n")
    with Copied(kind, steps) as project:
        (project.path / "out").symlink_to(outside / "file")
        (project.path / "folder").symlink_to(outside)
        (project.path / "inside").symlink_to("real")
        project.write("real", "real\n")
        status = project.run()
        made = project.path / "made"
        check(
            status == 0 and project.read("seen") == f"{outside}/file\n{outside}\n"
            and (outside / "file").read_text() == "theirs\n"
            and made.is_symlink() and os.readlink(made) == "/etc/passwd"
            and project.read("real") == "through\n" and (project.path / "inside").is_symlink(),
            f"{kind}: links are copied as links, and what is behind them is left alone "
            f"(status {status})")
