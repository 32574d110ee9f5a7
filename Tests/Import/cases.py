"""What a case of the import campaign is."""

from dataclasses import dataclass, field


@dataclass
class Case:
    """A small file of another tool, which the tool and its import run side by side."""

    name: str
    text: str
    # Other files, by their paths.
    files: dict = field(default_factory=dict)
    # The target, task or recipe; empty for the default.
    goal: str = ""
    # How often both run in the same folder.
    runs: int = 1
    # Whether the import says that something is missing, and its run fails.
    fails: bool = False
    # The files that must exist; all files are compared if there are none.
    check: list = field(default_factory=list)
    # Arguments of the tool, and of `reprise run`.
    arguments: tuple = ((), ())
    # Where no tool runs beside the import: the contents of files, or None if there must be none.
    want: dict = field(default_factory=dict)
    # Where no tool runs beside it: whether the run succeeds.
    succeeds: bool = True
