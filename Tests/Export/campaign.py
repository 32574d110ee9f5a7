# Checks the exports of `reprise graph`: campaign.py REPRISE [--only TEXT]
#
# Manifests for Argo are checked against its schema, but Argo does not run. Airflow runs the files.

import argparse
import copy
import json
import os
import re
import subprocess
import tempfile
import time
import traceback

import yaml

import argo
import repository
from airflow_home import Airflow

# Texts that a shell, Python, YAML, Jinja, Argo or Kubernetes could change.
HOSTILE = [
    "it's", 'say "hi"', "back\\slash\\n", "two\nlines\n", "  blanks  ", "tab\there", "", "a.sh",
    "x.bash", "{{ ds }}", "{% raw %}", "{# no #}", "{{ '{{' }}", "$HOME $$ $(id) `id`", "naïve ☃ 🦊",
    "# no", "- no", "key: no", "true", "012", "~", "!!str", "&a *a", "%s %d {0}", "\\N{BULLET}",
    "a\rb", "\u2028", "\x7f", "\x1b[31m", "'''", '"""', "ends\\", "*", "~root",
]
# What only Argo would replace, which is refused.
OF_ARGO = [text for text in HOSTILE if "{{" not in text]


class Workspace:
    """A folder with workflow files."""

    def __init__(self, reprise, folder):
        self.reprise, self.folder, self.airflow = reprise, folder, None

    def graph(self, workflow, form):
        """The result of an export of a workflow, as its map."""
        path = os.path.join(self.folder, "exported.yaml")
        with open(path, "w", encoding="utf-8") as file:
            yaml.safe_dump(workflow, file, sort_keys=False)
        return subprocess.run(
            [self.reprise, "graph", path, "--format", form], capture_output=True, text=True,
            cwd=self.folder, timeout=60, check=False)

    def export(self, workflow, form):
        """The text of an export, which must succeed."""
        ended = self.graph(workflow, form)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def refusals(self, workflow, form):
        """The lines of a refused export."""
        ended = self.graph(workflow, form)
        assert ended.returncode == 2 and ended.stdout == "", ended
        lines = ended.stderr.splitlines()
        found = [re.fullmatch(r"\S*exported\.yaml:\d+:\d+: (error: .*)", line) for line in lines]
        assert all(found), lines
        return [line[1] for line in found]

    def start_airflow(self):
        """Installs Airflow in the folder, once."""
        if self.airflow is None:
            self.airflow = Airflow(os.path.join(self.folder, "airflow"), repository.SECRETS)

    def run_in_airflow(self, workflow):
        """Runs a workflow in Airflow.

        Returns whether it succeeded, the states of its tasks, its output, and its folder.
        """
        self.start_airflow()
        project = os.path.join(self.airflow.dags, workflow["name"])
        os.makedirs(project)
        file = os.path.join(project, "dag.py")
        with open(file, "w", encoding="utf-8") as output:
            output.write(self.export(workflow, "airflow"))
        return *self.airflow.test(workflow["name"], file), project


def lines(folder, name):
    """The lines of a file that steps have written."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def step(name, **keys):
    """A step that writes its name to the file `trace`."""
    return {"id": name, "run": f"echo {name} >> trace"} | keys


IMAGE = {"container": {"image": "alpine:3.20"}}

FULL = {
    "name": "Full: all that Argo has", "description": "key: \"value\"\n{{ nothing }}",
    "runner": IMAGE, "timeout": "1h", "max-parallel": 3,
    "params": {"to": {"default": "it's"}}, "env": {"WHERE": "${{ params.to }}/$(HOME)"},
    "concurrency": {"group": "Lab 1", "policy": "queue"},
    "steps": [
        step("fetch", retry={"limit": 3, "delay": "1500ms", "backoff": "exponential", "factor": 3,
                             "max-delay": "1m", "on": [1, 75]}, timeout="90s"),
        {"parallel": [
            {"id": "left", "exec": ["tool", "a b", "${{ params.to }}"], "continue-on-error": True,
             "mutex": "data base"},
            step("right_1", retry=2, dir="/srv", shell="bash", env={"A": "1"}),
            {"steps": [step("x-1"), step("x_1")]}]},
        {"id": "ok", "approval": "Deploy \"all\"?"},
        step("each", foreach=["a", "b"], env={"ITEM": "${{ item }}"}),
        step("1st", runner={"container": {
            "image": "node:20", "pull": "never", "read-only": True, "workdir": "/app", "mounts": []}}),
    ],
    "finally": [step("clean"), step("tell", on=["failure", "cancel"]), step("cheer", on="success")],
}


def manifests_are_valid_in_the_schema_of_argo(work):
    """Manifests are valid against the schema, and complete."""
    workflows = [FULL, {"runner": IMAGE, "steps": [step("only")]},
                 {"runner": IMAGE, "steps": [{"id": "wait", "approval": "?"}, step("then")]}]
    for workflow in workflows:
        text = work.export(workflow, "argo")
        first = text.splitlines()[0]
        assert first.startswith("# Generated by reprise graph --format argo"), first
        assert "but not run" in first, first
        assert argo.problems(argo.load(text)) == [], f"{argo.problems(argo.load(text))}\n{text}"
    return f"{len(workflows)} manifests"


def argo_has_what_the_workflow_says(work):
    """The settings arrive with the right values."""
    spec = argo.load(work.export(FULL, "argo"))["spec"]
    templates = {each["name"]: each for each in spec["templates"]}
    tasks = {each["name"]: each for each in templates["main"]["dag"]["tasks"]}
    assert spec["activeDeadlineSeconds"] == 3600 and spec["parallelism"] == 3, spec
    assert spec["onExit"] == "finally", spec
    assert templates["fetch"]["activeDeadlineSeconds"] == 90
    assert templates["fetch"]["retryStrategy"] == {
        "limit": 3, "retryPolicy": "Always", "expression": "asInt(lastRetry.exitCode) in [1, 75]",
        "backoff": {"duration": "1500ms", "factor": 3, "cap": "60s"}}
    assert templates["right-1"]["retryStrategy"] == {
        "limit": 2, "retryPolicy": "Always", "backoff": {"duration": "1s"}}
    assert templates["left"]["container"] == {
        "image": "alpine:3.20", "command": ["tool"], "args": ["a b", "it's"],
        "env": [{"name": "WHERE", "value": "it's/$$(HOME)"}]}
    assert templates["right-1"]["container"]["workingDir"] == "/srv"
    assert templates["right-1"]["container"]["command"] == ["bash"]
    assert templates["left"]["synchronization"] == {
        "mutexes": [{"name": "{{workflow.name}}-data-base"}]}
    assert tasks["left"]["continueOn"] == {"error": True, "failed": True}
    assert tasks["ok"]["dependencies"] == ["left", "right-1", "x-1-2"], tasks["ok"]
    assert tasks["x-1-2"]["dependencies"] == ["x-1"] and "suspend" in templates["ok"]
    assert templates["step-1st"]["container"]["securityContext"] == {"readOnlyRootFilesystem": True}
    assert templates["finally"]["dag"]["target"] == "clean tell cheer"
    return f"{len(templates)} templates"


def planted_errors_in_manifests_are_found(work):
    """Negative controls of the checks."""
    manifest = argo.load(work.export(FULL, "argo"))
    found = []
    for what, wrong in argo.planted(manifest):
        problems = argo.problems(wrong)
        assert problems, f"not found: {what}"
        found.append(what)
    assert argo.problems(copy.deepcopy(manifest)) == []
    return f"{len(found)} found: {', '.join(found)}"


def hostile_texts_arrive_in_manifests(work):
    """YAML reads back what the workflow says, up to the escape for Kubernetes."""
    workflow = {"name": "w", "runner": IMAGE, "steps": [
        {"id": "a", "exec": ["tool", *OF_ARGO],
         "env": {f"V{number}": text for number, text in enumerate(OF_ARGO)}},
        *[{"id": f"s{number}", "run": f"printf x\n{text}; echo"}
          for number, text in enumerate(OF_ARGO)]]}
    manifest = argo.load(work.export(workflow, "argo"))
    assert argo.problems(manifest) == []
    templates = {each["name"]: each for each in manifest["spec"]["templates"]}
    container = templates["a"]["container"]
    assert [kubelet(text) for text in container["args"]] == OF_ARGO, container["args"]
    values = {each["name"]: kubelet(each["value"]) for each in container["env"]}
    assert values == workflow["steps"][0]["env"], values
    for each in workflow["steps"][1:]:
        assert kubelet(templates[each["id"]]["container"]["args"][-1]) == each["run"]
    for text in set(HOSTILE) - set(OF_ARGO):
        refused = work.refusals({"runner": IMAGE, "steps": [{"id": "a", "exec": ["x", text]}]}, "argo")
        assert len(refused) == 1 and "{{" in refused[0], refused
    return f"{len(OF_ARGO)} texts in three places, {len(HOSTILE) - len(OF_ARGO)} refused"


def kubelet(text):
    """What Kubernetes makes of a text, without variables: expand() of its package expansion."""
    result, position = "", 0
    while position < len(text):
        if text[position] == "$" and text[position + 1:position + 2] == "$":
            position += 1
        elif text[position] == "$" and text[position + 1:position + 2] == "(":
            assert ")" not in text[position:], f"replaced: {text!r}"
        result += text[position]
        position += 1
    return result


REFUSED = {
    # A key of the workflow or of the step `a`, and what refuses it: both, argo or airflow.
    "call": ({"call": "upload", "run": None}, "both"),
    "cache": ({"cache": {"inputs": ["x"]}}, "both"),
    "share": ({"share": "x"}, "both"),
    "env.X": ({"env": {"X": "${{ machine.os }}"}}, "both"),
    "exec": ({"exec": ["x", "${{ run.dir }}"], "run": None}, "both"),
    "dir": ({"dir": "${{ env.HOME }}"}, "both"),
    "if": ({"if": "hashFiles('x') != ''"}, "both"),
    "run": ({"run": "echo x >> $REPRISE_ENV"}, "both"),
    "approval": ({"approval": "?"}, "both"),
    "max-parallel": ({"foreach": ["x", "y"], "max-parallel": 1, "needs": []}, "both"),
    "fail-fast": ({"foreach": ["x"], "fail-fast": True}, "both"),
    "retry.jitter": ({"retry": {"limit": 1, "jitter": 0.5}}, "both"),
    "retry.backoff": ({"retry": {"limit": 2, "backoff": "linear"}}, "both"),
    "retry.for": ({"retry": {"limit": 1, "for": ["out-of-memory"]}}, "both"),
    "survive": ({"survive": True}, "airflow"),
    "mutex": ({"mutex": "x"}, "airflow"),
    "grace": ({"grace": "1s"}, "argo"),
    "outputs.x": ({"outputs": {"x": "1"}}, "argo"),
    "needs": ({"needs": {"z": "over"}}, "argo"),
    "timeout": ({"timeout": "1500ms"}, "argo"),
    "retry.factor": ({"retry": {"limit": 2, "backoff": "exponential", "factor": 1.5}}, "argo"),
    "runner.network": ({"runner": {"container": {"image": "x", "network": "none"}}}, "argo"),
    "runner": ({"runner": "local"}, "argo"),
    "workflow, keep": ({"keep": {"runs": 3}}, "both"),
    "workflow, durability": ({"durability": "power"}, "both"),
    "workflow, on-end": ({"on-end": "x"}, "both"),
    "workflow, grace": ({"grace": "1s"}, "argo"),
    "workflow, concurrency": ({"concurrency": {"group": "x", "policy": "restart"}}, "both"),
    "workflow, on.files": ({"on": {"files": ["x"]}}, "airflow"),
    "workflow, on.schedule.every": ({"on": {"schedule": {"every": "1h"}}}, "airflow"),
    "workflow, on.schedule.time-zone": ({"on": {"schedule": {"cron": "1 2 * * *"}}}, "airflow"),
    "workflow, on": ({"on": {"schedule": {"cron": "1 2 * * *", "time-zone": "UTC"}}}, "argo"),
    "workflow, fail-fast": ({"fail-fast": True}, "argo"),
}


def what_cannot_be_expressed_is_refused(work):
    """Each refusal names the step and the key, and nothing is printed."""
    count = 0
    for name, (keys, who) in REFUSED.items():
        of_workflow = name.startswith("workflow, ")
        for form in ["argo", "airflow"] if who == "both" else [who]:
            # The other refusal of a container is its runner.
            workflow = {"steps": [step("z"), step("a")]}
            if form == "argo":
                workflow["runner"] = IMAGE
            (workflow if of_workflow else workflow["steps"][1]).update(keys)
            workflow["steps"][1] = {
                key: value for key, value in workflow["steps"][1].items() if value is not None}
            refused = work.refusals(workflow, form)
            subject = name if of_workflow else f"step \"a{'[0]' if 'foreach' in keys else ''}\", {name}"
            matching = [line for line in refused if line.startswith(f"error: {subject}: ")]
            assert len(matching) == 1 and len(refused) == 1, f"{name}, {form}: {refused}"
            count += 1
    return f"{count} refusals"


def all_refusals_are_listed(work):
    """One error does not hide the others, and they are in the order of the file."""
    refused = work.refusals({"keep": {"runs": 1}, "steps": [
        step("a", share="x"), step("b", mutex="y", cache={"inputs": ["x"]})]}, "airflow")
    assert [line.split(": ")[1] for line in refused] == [
        "workflow, keep", 'step "a", share', 'step "b", mutex', 'step "b", cache'], refused
    return f"{len(refused)} lines"


def airflow_runs_a_diamond_in_order(work):
    """Five steps, each after what it needs."""
    succeeded, states, output, folder = work.run_in_airflow({"name": "diamond", "steps": [
        step("first"), {"parallel": [
            {"steps": [step("left-1"), step("left-2")]}, step("right")]}, step("last")]})
    assert succeeded, output[-4000:]
    trace = lines(folder, "trace")
    assert sorted(trace) == sorted(states) and len(trace) == 5, (trace, states)
    assert set(states.values()) == {"success"}, states
    assert trace[0] == "first" and trace[-1] == "last", trace
    assert trace.index("left-1") < trace.index("left-2"), trace
    return " ".join(trace)


def airflow_stops_after_a_failure(work):
    """Negative control: a failed step fails the run, and its dependents do not run."""
    succeeded, states, _, folder = work.run_in_airflow({"name": "failing", "steps": [
        step("before"), {"parallel": [
            {"steps": [step("broken", run="echo broken >> trace; exit 99"), step("after")]},
            step("beside")]}, step("end")]})
    assert not succeeded
    assert sorted(lines(folder, "trace")) == ["before", "beside", "broken"], lines(folder, "trace")
    assert states["broken"] == "failed" and states["after"] == states["end"] == "upstream_failed"
    return json.dumps(states)


def airflow_retries(work):
    """A step that succeeds at the third attempt, and one that has too few."""
    attempt = "echo x >> $FILE; test $(wc -l < $FILE) -ge 3"
    retry = {"limit": 2, "delay": "100ms"}
    succeeded, states, output, folder = work.run_in_airflow({"name": "retrying", "steps": [
        step("flaky", run=attempt, env={"FILE": "flaky"}, retry=retry), step("then")]})
    assert succeeded and states["flaky"] == "success", output[-4000:]
    assert len(lines(folder, "flaky")) == 3 and lines(folder, "trace") == ["then"]
    succeeded, states, _, folder = work.run_in_airflow({"name": "giving-up", "steps": [
        step("flaky", run="echo x >> tries; exit 1", retry=retry), step("then")]})
    assert not succeeded and states["flaky"] == "failed", states
    assert len(lines(folder, "tries")) == 3 and lines(folder, "trace") == []
    return "3 attempts each"


def airflow_passes_hostile_texts(work):
    """Arguments, variables and scripts arrive unchanged."""
    show = ("import json, os, sys; json.dump([sys.argv[2:], {n: v for n, v in os.environ.items()"
            " if n.startswith('V_')}], open(sys.argv[1], 'w'))")
    script = "cat > script.out <<'END'\n" + "\n".join(
        text for text in HOSTILE if "\r" not in text) + "\nEND\n"
    succeeded, _, output, folder = work.run_in_airflow({"name": "hostile", "steps": [
        {"id": "exec", "exec": ["python3", "-c", show, "exec.json", *HOSTILE],
         "env": {f"V_{number}": text for number, text in enumerate(HOSTILE)}},
        {"id": "run", "run": script},
        {"id": "make", "run": "mkdir '{{ ds }}.sh'; cat > x.sh <<'END'\n#!/bin/sh\n"
                              "echo \"{{ ds }} $1\" > ran\nEND\nchmod +x x.sh\n"},
        {"id": "plain", "run": "./x.sh z.sh"},
        {"id": "folder", "run": "basename \"$(pwd)\" > ../where", "dir": "{{ ds }}.sh"}]})
    assert succeeded, output[-4000:]
    with open(os.path.join(folder, "exec.json"), encoding="utf-8") as file:
        arguments, variables = json.load(file)
    assert arguments == HOSTILE, arguments
    assert [variables[f"V_{number}"] for number in range(len(HOSTILE))] == HOSTILE, variables
    with open(os.path.join(folder, "script.out"), encoding="utf-8", newline="") as file:
        assert file.read() == script.split("\n", 1)[1].removesuffix("END\n")
    assert lines(folder, "ran") == ["{{ ds }} z.sh"], lines(folder, "ran")
    assert lines(folder, "where") == ["{{ ds }}.sh"], lines(folder, "where")
    return f"{len(HOSTILE)} texts in three places"


def airflow_runs_finally(work):
    """Steps under finally run in order after success and failure, and do not hide a failure."""
    for status, name in [(0, "finally-success"), (3, "finally-failure")]:
        succeeded, states, output, folder = work.run_in_airflow({"name": name, "steps": [
            step("work", run=f"echo work >> trace; exit {status}"), step("more")],
            "finally": [step("clean"), step("tell")]})
        assert succeeded == (status == 0), output[-4000:]
        assert lines(folder, "trace") == ["work", *["more"][status:], "clean", "tell"], states
    succeeded, states, _, folder = work.run_in_airflow({
        "name": "finally-broken", "steps": [step("work")],
        "finally": [step("clean", run="echo clean >> trace; exit 1"), step("tell")]})
    assert not succeeded and lines(folder, "trace") == ["work", "clean", "tell"], states
    succeeded, states, output, _ = work.run_in_airflow({
        "name": "finally-tolerant", "steps": [step("work")],
        "finally": [step("clean", run="exit 1", **{"continue-on-error": True})]})
    assert succeeded and states["clean"] == "skipped", f"{states}\n{output[-4000:]}"
    return "after success, after a failure, and failing itself"


def airflow_continues_on_error(work):
    """The dependents of a tolerated failure run, but not those of a step that could not start."""
    tolerant = {"continue-on-error": True}
    succeeded, states, output, folder = work.run_in_airflow({"name": "tolerant", "steps": [
        step("may-fail", run="exit 7", **tolerant), step("then")]})
    assert succeeded and lines(folder, "trace") == ["then"], f"{states}\n{output[-4000:]}"
    succeeded, states, _, folder = work.run_in_airflow({"name": "intolerant", "steps": [
        step("broken", run="exit 1"), step("tolerant", **tolerant), step("then")]})
    assert not succeeded and lines(folder, "trace") == [], states
    succeeded, states, output, folder = work.run_in_airflow({"name": "tolerant-retry", "steps": [
        step("may-fail", run="echo x >> tries; exit 7", timeout="1m",
             retry={"limit": 2, "delay": "1ms", "for": [7]}, **tolerant),
        step("once", run="echo x >> once; exit 8", retry={"limit": 2, "for": [7]}, **tolerant)]})
    assert succeeded and len(lines(folder, "tries")) == 3, f"{states}\n{output[-4000:]}"
    assert len(lines(folder, "once")) == 1, lines(folder, "once")
    return json.dumps(states)


VALUES = {
    # Outputs of a step, and expressions about them.
    "text": "it's \\b \\ \"x\" é", "list": '[1, 2.5, 3.0, 1e3, "a,b", null, true, [], {}]', "empty": "",
    "map": '{"b": "\\b\\f\\u007f\\n", "a": {"n": 12345678901234567890}, "e": []}', "number": "0.1",
}
EXPRESSIONS = [
    "steps.a.outputs.text", "fromJSON(steps.a.outputs.list)", "fromJSON(steps.a.outputs.map)",
    "join(fromJSON(steps.a.outputs.list), ' ')", "toJSON(steps.a.outputs.text)",
    "toJSON(fromJSON(steps.a.outputs.map).b)", "fromJSON(steps.a.outputs.map).a.n",
    "fromJSON(steps.a.outputs.map).e && 'full' || 'empty'", "!fromJSON(steps.a.outputs.map).e",
    "fromJSON(steps.a.outputs.map).none || 'none'", "fromJSON(steps.a.outputs.list)[1]",
    "fromJSON(steps.a.outputs.list)[99] || 'beyond'", "steps.a.outputs.empty || 'other'",
    "steps.a.outputs.missing || 'missing'", "steps.a.outputs.empty == fromJSON('null')",
    "fromJSON(steps.a.outputs.number) < 0.2 && steps.a.outputs.number != '1'",
    "contains(fromJSON(steps.a.outputs.list), 'a,b')", "contains(steps.a.outputs.text, 's ')",
    "startsWith(steps.a.outputs.text, 'it') && endsWith(steps.a.outputs.text, 'x')",
    "format('{0}/{1}/{{}}', steps.a.outputs.text, fromJSON(steps.a.outputs.list)[2])",
    "toJSON(steps.a.outputs)", "join(steps.each.outputs.x, '+')", "toJSON(steps.each.outputs.x)",
    "steps.a.result", "steps.skipped.result", "steps.bad.result == 'failure' && 'bad'",
    "steps.bad.outputs.before", "(steps.a.outputs.empty || 0) == 0",
]


def values_of_a_run_are_equal_in_airflow(work):
    """Expressions with values of a run have the same values as in Reprise."""
    script = "import os; open(os.environ['REPRISE_OUTPUT'], 'w').write(os.environ['LINES'])"
    written = "".join(f"{name}={value}\n" for name, value in VALUES.items())
    workflow = {
        "name": "values", "steps": [
            {"id": "a", "exec": ["python3", "-c", script], "env": {"LINES": written}},
            {"id": "each", "foreach": ["x", "y"], "if": "item == 'x'",
             "run": 'echo "x=1" >> "$REPRISE_OUTPUT"'},
            step("skipped", **{"if": "steps.a.outputs.empty != ''"}),
            step("bad", run='echo before=1 >> "$REPRISE_OUTPUT"; exit 3',
                 **{"continue-on-error": True}),
            {"id": "all", "exec": ["true"], "outputs": {
                f"e{number}": f"${{{{ {text} }}}}" for number, text in enumerate(EXPRESSIONS)}},
            step("over", needs={"all": "over"})]}
    expected, found = run_by_both(work, workflow)
    assert expected[1] and len(expected[0]["all"][1]) == len(EXPRESSIONS), expected
    for number, expression in enumerate(EXPRESSIONS):
        pair = [results[0]["all"][1].get(f"e{number}") for results in (expected, found)]
        assert pair[0] == pair[1], f"{expression}: {pair}"
    assert expected == found, (expected, found)
    return f"{len(EXPRESSIONS)} expressions"


def run_by_both(work, workflow):
    """The results of a workflow in Reprise and in Airflow."""
    work.start_airflow()
    project = os.path.join(work.airflow.dags, workflow["name"])
    os.makedirs(project)
    text = work.export(workflow, "airflow")
    path = os.path.join(project, "w.yaml")
    with open(path, "w", encoding="utf-8") as file:
        yaml.safe_dump(workflow, file, sort_keys=False)
    return (repository.run_by_reprise(work, project, path),
            repository.run_by_airflow(work, project, text))


def steps_after_a_failure_run_alike_in_airflow(work):
    """Conditions about the status of other steps, and needs that are over."""
    expected, found = run_by_both(work, {"name": "status", "steps": [
        step("bad", run="exit 1"), step("after-bad"),
        step("soft", run="exit 2", needs=[], **{"continue-on-error": True}),
        step("report", needs=["after-bad"], **{"if": "failure()"}),
        step("fine", needs=["soft"], **{"if": "success()"}),
        step("not-fine", needs=["bad", "soft"], **{"if": "success()"}),
        step("never", needs=["bad"], **{"if": "cancelled()"}), step("after-never", needs=["never"]),
        step("always", needs=["after-bad"], **{"if": "always()"}),
        step("over", needs={"bad": "over"}), step("failed", needs={"bad": "failure"}),
        step("after-over", needs=["over", "failed"])],
        "finally": [step("sorry", **{"if": "failure()"}), step("hurray", when="success")]})
    assert not expected[1] and expected == found, f"{expected}\n{found}"
    return json.dumps({name: state for name, (state, _) in found[0].items()})


def airflow_has_the_settings(work):
    """Timeouts, limits, delays and the schedule, read back from the DAG."""
    workflow = {
        "name": "settings", "timeout": "2h", "max-parallel": 3, "fail-fast": True,
        "on": {"schedule": {"cron": "30 2 * * mon-fri", "time-zone": "Europe/Berlin"}},
        "steps": [step("a", timeout="90s", retry={
            "limit": 4, "delay": "1500ms", "backoff": "exponential", "factor": 3,
            "max-delay": "1m"})]}
    work.start_airflow()
    file = os.path.join(work.airflow.dags, "settings.py")
    with open(file, "w", encoding="utf-8") as output:
        output.write(work.export(workflow, "airflow"))
    code = f"""
import json, runpy
from airflow.sdk import DAG
dag = next(x for x in runpy.run_path({file!r})["steps"].values()).dag
task = dag.get_task("a")
print("RESULT", json.dumps([str(dag.dagrun_timeout), dag.max_active_tasks, dag.max_active_runs,
  dag.catchup, dag.fail_fast, task.retries, str(task.retry_delay), str(task.max_retry_delay),
  task.retry_exponential_backoff, str(task.execution_timeout), dag.timetable.expression,
  str(dag.timetable.timezone)]))
"""
    found = json.loads(work.airflow.python(code).split("RESULT ")[1])
    assert found == ["2:00:00", 3, 1, False, True, 4, "0:00:01.500000", "0:01:00", 3.0, "0:01:30",
                     "30 2 * * mon-fri", "Europe/Berlin"], found
    # The scheduler reads the serialized form.
    work.airflow.succeed("dags", "reserialize")
    shown = work.airflow.succeed("dags", "next-execution", "settings")
    assert "T00:30:00" in shown or "T01:30:00" in shown, shown
    return shown.strip().splitlines()[-1]


def airflow_stops_a_step_after_its_timeout(work):
    """The timeout of a step works."""
    began = time.monotonic()
    succeeded, states, output, folder = work.run_in_airflow({"name": "timing-out", "steps": [
        step("slow", run="sleep 60; echo slow >> trace", timeout="1s")]})
    assert not succeeded and states == {"slow": "failed"}, output[-4000:]
    assert lines(folder, "trace") == [] and time.monotonic() - began < 55
    return "1 s"


CHECKS = [
    manifests_are_valid_in_the_schema_of_argo, argo_has_what_the_workflow_says,
    planted_errors_in_manifests_are_found, hostile_texts_arrive_in_manifests,
    what_cannot_be_expressed_is_refused, all_refusals_are_listed,
    airflow_runs_a_diamond_in_order, airflow_stops_after_a_failure, airflow_retries,
    airflow_passes_hostile_texts, airflow_runs_finally, airflow_continues_on_error,
    airflow_has_the_settings, airflow_stops_a_step_after_its_timeout,
    values_of_a_run_are_equal_in_airflow, steps_after_a_failure_run_alike_in_airflow, *repository.CHECKS,
]


def main():
    """Runs the checks; returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("reprise")
    parser.add_argument("--only", default="", help="run the checks whose names contain this text")
    options = parser.parse_args()
    passed = True
    with tempfile.TemporaryDirectory(prefix="reprise-export-") as folder:
        work = Workspace(os.path.realpath(options.reprise), folder)
        work.kubelet = kubelet
        for check in CHECKS:
            name = check.__name__.replace("_", " ")
            if options.only not in name:
                continue
            began = time.monotonic()
            try:
                note = check(work)
                result = f"ok     {time.monotonic() - began:6.1f} s  {name}: {note}"
            except Exception:  # pylint: disable=broad-except
                passed = False
                result = f"FAILED {time.monotonic() - began:6.1f} s  {name}\n" + "  ".join(
                    traceback.format_exc().splitlines(keepends=True))
            print(result, flush=True)
    return 0 if passed else 1


if __name__ == "__main__":
    raise SystemExit(main())
