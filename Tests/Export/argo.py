# Checks of exported manifests for Argo: the schema of Argo, made strict, and the references.

import copy
import re

import jsonschema
import yaml
from hera.workflows.models import Workflow

NAME = re.compile(r"[a-zA-Z0-9][-a-zA-Z0-9]{0,127}")


def strict_schema():
    """Argo's schema, without any key that it does not name."""
    schema = Workflow.model_json_schema()
    for definition in [schema, *schema["$defs"].values()]:
        if definition.get("type") == "object" and "properties" in definition:
            definition["additionalProperties"] = False
    # A whole number or a text, whatever hera makes of it.
    schema["$defs"]["IntOrString"] = {"type": ["integer", "string"]}
    return schema


VALIDATOR = jsonschema.Draft202012Validator(strict_schema())


def problems(manifest):
    """Everything that is wrong with a manifest."""
    found = [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(manifest)]
    if found:
        return found
    spec = manifest["spec"]
    if manifest.get("apiVersion") != "argoproj.io/v1alpha1" or manifest.get("kind") != "Workflow":
        found.append("not an Argo Workflow")
    if not re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?-", manifest["metadata"]["generateName"]):
        found.append("generateName is not a name in Kubernetes")
    names = [template["name"] for template in spec["templates"]]
    if len(set(names)) < len(names):
        found.append("two templates have one name")
    for reference in [spec["entrypoint"], *filter(None, [spec.get("onExit")])]:
        if reference not in names:
            found.append(f"there is no template {reference}")
    reached = {spec["entrypoint"], spec.get("onExit")}
    for template in spec["templates"]:
        if not NAME.fullmatch(template["name"]):
            found.append(f"{template['name']!r} is not a name in Argo")
        if len({"dag", "container", "suspend"} & set(template)) != 1:
            found.append(f"{template['name']} has not exactly one kind")
        if "container" in template and not (
                template["container"].get("image") and template["container"].get("command")):
            found.append(f"{template['name']} has no image or command")
        if "dag" in template:
            found += dag_problems(template["dag"], names, reached)
    found += [f"nothing uses the template {name}" for name in names if name not in reached]
    return found


def dag_problems(dag, names, reached):
    """What is wrong with the tasks of a DAG; adds the templates that it uses to `reached`."""
    found = []
    tasks = {task["name"]: task for task in dag["tasks"]}
    if len(tasks) < len(dag["tasks"]):
        found.append("two tasks have one name")
    unknown = [target for target in dag.get("target", "").split() if target not in tasks]
    for task in dag["tasks"]:
        reached.add(task["template"])
        if task["template"] not in names:
            found.append(f"there is no template {task['template']}")
        needs = list(task.get("dependencies") or [])
        if "depends" in task:
            if needs or "continueOn" in task:
                found.append(f"{task['name']} has depends and another rule")
            needs += re.findall(r"([-a-zA-Z0-9]+)\.[A-Z]", task["depends"])
        unknown += [need for need in needs if need not in tasks]
        task["needs"] = needs
    found += [f"there is no task {name}" for name in unknown]
    done = set()
    while not unknown and (ready := [name for name, task in tasks.items()
                                     if name not in done and done.issuperset(task["needs"])]):
        done.update(ready)
    if not unknown and len(done) < len(tasks):
        found.append("the tasks need each other")
    return found


def load(text):
    """The manifest in a text."""
    return yaml.safe_load(text)


def planted(manifest):
    """Manifests that are wrong in one way each, by a description."""
    def changed(change):
        wrong = copy.deepcopy(manifest)
        change(wrong)
        return wrong

    def container(wrong):
        return next(each for each in wrong["spec"]["templates"] if "container" in each)

    def tasks(wrong):
        return next(each for each in wrong["spec"]["templates"] if "dag" in each)["dag"]["tasks"]

    yield "a key of the spec", changed(lambda it: it["spec"].update(entryPoint="main"))
    yield "a key of a template", changed(lambda it: container(it).update(retryStrategi={}))
    yield "a key of a container", changed(lambda it: container(it)["container"].update(img="x"))
    yield "a key of a task", changed(lambda it: tasks(it)[0].update(dependancies=["a"]))
    yield "a key of a retry", changed(
        lambda it: container(it).update(retryStrategy={"limits": 1}))
    yield "a type", changed(lambda it: it["spec"].update(parallelism="two"))
    yield "a number as a command", changed(lambda it: container(it)["container"].update(args=[1]))
    yield "an entrypoint", changed(lambda it: it["spec"].update(entrypoint="mian"))
    yield "a template", changed(lambda it: tasks(it)[0].update(template="nothing"))
    yield "a dependency", changed(lambda it: tasks(it)[0].update(dependencies=["nothing"]))
    yield "a cycle", changed(
        lambda it: tasks(it)[0].update(dependencies=[tasks(it)[0]["name"]]))
    yield "no image", changed(lambda it: container(it)["container"].pop("image"))
