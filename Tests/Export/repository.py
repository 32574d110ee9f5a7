# The workflow files of the repository, run by Reprise and by Airflow with equal results.

import glob
import json
import os
import re
import shutil
import subprocess
import tempfile

import argo

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STATES = {"succeeded": "success", "failed": "failed", "cancelled": "upstream_failed",
          "skipped": "skipped"}
SECRETS = {"token": "made-up-token-4711"}


def files():
    """The paths of the workflow files, relative to the repository."""
    found = glob.glob("workflows/**/*.yaml", root_dir=ROOT, recursive=True)
    found += glob.glob("Examples/**/*.yaml", root_dir=ROOT, recursive=True)
    return sorted(path for path in found if os.path.basename(path) != "dagu.yaml"
                  and "github-actions.yaml" not in path)


def export(work, project, path, *options):
    """The text of an export of a file, or None if it is refused for reasons with a line each."""
    ended = subprocess.run([work.reprise, "graph", path, *options], capture_output=True, text=True,
                           cwd=project, timeout=60, check=False)
    if ended.returncode == 0:
        return ended.stdout
    lines = [line for line in ended.stderr.splitlines() if ": error" in line]
    assert lines, ended.stderr
    for line in lines:
        assert re.match(r"\S+\.yaml:\d+:\d+: error", line), line
    return None


def copy(folder, name):
    """A copy of the workflow files in a new folder, without what earlier runs have left."""
    project = os.path.join(folder, name)
    for part in ["workflows", "Examples"]:
        shutil.copytree(os.path.join(ROOT, part), os.path.join(project, part), ignore=(
            shutil.ignore_patterns(".build", ".reprise", "build")))
    return project


def comparable(outputs):
    """Outputs without what differs between runs: the names of their folders."""
    return {name: re.sub(r"reprise-\S+", "reprise-…", value) for name, value in outputs.items()}


def run_by_reprise(work, project, path):
    """The results of the steps, each with its state and outputs, and the status of the run."""
    ended = subprocess.run([work.reprise, "run", path, "--progress", "none"], cwd=project,
                           capture_output=True, text=True, timeout=120, check=False)
    shown = subprocess.run([work.reprise, "show", "@last", "--json"], cwd=project,
                           capture_output=True, text=True, timeout=60, check=True)
    steps = json.loads(shown.stdout)["steps"]
    return {step["step"]: (STATES[step["state"]], comparable(step.get("outputs", {})))
            for step in steps}, ended.returncode == 0


def written(project, text):
    """Writes an export to a file; returns the id of its DAG, and the path."""
    file = os.path.join(project, "dag.py")
    with open(file, "w", encoding="utf-8") as output:
        output.write(text)
    return re.search(r'dag_id="([^"]+)"', text)[1], file


def results_of_airflow(work, dag, text):
    """The results of the steps in Airflow, like those of Reprise."""
    states, values = work.airflow.states(dag), work.airflow.values(dag)
    steps = {}
    for task, step in re.findall(r'task_id="([^"]+)",\n +task_display_name="([^"]+)"', text):
        found = values.get(task, {})
        state = "failed" if found.get("result") == "failure" else states[task]
        steps[step] = (state, comparable(found.get("outputs", {})))
    return steps


def run_by_airflow(work, project, text):
    """The results of the steps in Airflow, and the status of the run."""
    dag, file = written(project, text)
    succeeded, _, _ = work.airflow.test(dag, file)
    return results_of_airflow(work, dag, text), succeeded


def workflows_of_the_repository_run_alike_in_airflow(work):
    """States and outputs of all steps are equal, and so is the status of the run."""
    work.start_airflow()
    texts, dags, expected = {}, {}, {}
    for number, path in enumerate(files()):
        folder = os.path.join(work.airflow.dags, f"repository-{number}")
        text = export(work, copy(folder, "exported"), path, "--format", "airflow")
        if text is None:
            continue
        assert not any(secret in text for secret in SECRETS.values()), path
        dag, file = written(copy(folder, "airflow"), text)
        assert dag not in dags, f"two workflows are called {dag}"
        dags[dag], texts[dag] = file, text
        expected[dag] = run_by_reprise(work, copy(folder, "reprise"), path)
    succeeded, output = work.airflow.test_all(dags)
    for secret in SECRETS.values():
        assert secret not in output, "a secret is in the log"
    for dag, text in texts.items():
        found = (results_of_airflow(work, dag, text), dag in succeeded)
        assert found == expected[dag], (
            f"{dag}\nReprise {expected[dag]}\nAirflow {found}\n{text[-6000:]}")
    assert len(dags) >= 21, dags
    count = sum(len(steps) for steps, _ in expected.values())
    return f"{len(dags)} of {len(files())} exported and run, {count} steps"


def workflows_of_the_repository_are_valid_in_the_schema_of_argo(work):
    """Those that are exported with an image are valid against the schema."""
    exported = 0
    with tempfile.TemporaryDirectory(dir=work.folder) as folder:
        project = copy(folder, "exported")
        for path in files():
            text = export(work, project, path, "--format", "argo", "--image", "alpine:3.20")
            if text is None:
                continue
            exported += 1
            problems = argo.problems(argo.load(text))
            assert problems == [], f"{path}: {problems}\n{text}"
            assert not any(secret in text for secret in SECRETS.values()), path
        ended = subprocess.run(
            [work.reprise, "graph", "workflows/outputs.yaml", "--image", "x"], cwd=project,
            capture_output=True, text=True, timeout=60, check=False)
        assert ended.returncode != 0 and "--format argo" in ended.stderr, ended
    assert exported >= 15, exported
    return f"{exported} of {len(files())} exported"


def outputs_of_containers_are_files(work):
    """The script around a step writes each output to a file, as Argo reads it."""
    run = "\n".join([
        'echo "number=1=2" >> "$REPRISE_OUTPUT"', "echo >> \"$REPRISE_OUTPUT\"",
        r"""printf 'notes<<END\n%s\n\n%s\nEND\nempty<<X\nX\nlast=$(id) `id` "\\n"' 'a b' ' c' >> "$REPRISE_OUTPUT" """,
        "echo printed; echo; echo"])
    names = ["number", "notes", "empty", "last", "all"]
    text = work.export({
        "name": "w", "runner": {"container": {"image": "x"}}, "steps": [
            {"id": "a", "run": run, "outputs": {"all": "${{ stdout }}"}},
            {"id": "b", "exec": ["x", *(f"${{{{ steps.a.outputs.{name} }}}}" for name in names)]},
            {"id": "bad", "run": 'echo "no output" >> "$REPRISE_OUTPUT"'},
            {"id": "c", "exec": ["x", "${{ steps.bad.outputs.x }}"]}]}, "argo")
    templates = {each["name"]: each for each in argo.load(text)["spec"]["templates"]}
    paths = {each["name"]: each["valueFrom"]["path"]
             for each in templates["a"]["outputs"]["parameters"]}
    assert sorted(paths) == sorted(names), paths
    with tempfile.TemporaryDirectory(dir=work.folder) as folder:
        def container(name):
            words = [*templates[name]["container"]["command"], *templates[name]["container"]["args"]]
            words = [work.kubelet(word).replace("/tmp/reprise", f"{folder}/r") for word in words]
            return subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)

        ended = container("a")
        assert ended.returncode == 0 and ended.stdout == "printed\n", ended
        found = {}
        for name, path in paths.items():
            with open(path.replace("/tmp/reprise", f"{folder}/r"), encoding="utf-8") as file:
                found[name] = file.read()
        assert found == {"number": "1=2", "notes": "a b\n\n c", "empty": "", "all": "printed",
                         "last": '$(id) `id` "\\n"'}, found
        ended = container("bad")
        assert ended.returncode == 1 and "not an output" in ended.stderr, ended
    return ", ".join(names)


CHECKS = [
    workflows_of_the_repository_are_valid_in_the_schema_of_argo, outputs_of_containers_are_files,
    workflows_of_the_repository_run_alike_in_airflow,
]
