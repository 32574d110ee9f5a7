# The tests of keys, and the keys that the documentation lists: each of them needs a test.

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The test of each key: {(place, label): function}.
TESTS = {}


def key(place, *labels):
    """Declares the test of keys, which is called with the session and each label."""
    def declare(test):
        for label in labels:
            assert (place, label) not in TESTS, f"{label} has two tests"
            TESTS[place, label] = test
        return test
    return declare


def documented():
    """The keys in the tables of Documentation/terminal.md: [(place, label)]."""
    with open(os.path.join(ROOT, "Documentation", "terminal.md"), encoding="utf-8") as file:
        text = file.read()
    places = {
        "Keys of the tree": "tree", "Keys of a log": "log", "Keys of a watch": "watch",
        "All runs in one screen": "runs"}
    keys = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title = section.split("\n")[0]
        for row in re.findall(r"^\| (`.*?) \|", section, flags=re.MULTILINE):
            keys += [(places[title], label) for label in re.findall(r"`([^`]+)`", row)]
    return keys


def without_test():
    """The keys that have no test, and the tests whose key is not documented."""
    keys = set(documented())
    return sorted(keys - set(TESTS)), sorted(set(TESTS) - keys)
