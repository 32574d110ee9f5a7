# The API against Documentation/web-openapi.yaml, with requests that schemathesis generates.

import os

import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance, response_schema_conformance, status_code_conformance)

from changes import WORKFLOWS, sleeping
from project import Project, check, eventually, expect, expect_equal

PATH = os.path.join(os.path.dirname(__file__), "../../Documentation/web-openapi.yaml")
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance,
          response_schema_conformance]
EXAMPLES = 60


def described():
    return schemathesis.openapi.from_path(PATH)


def prepared(own):
    """A project with a page, a run that has ended, and one that is live."""
    page = own.serve()
    page.session()
    ended = own.run_to_end("ship", "failed", "-p", "version=1")
    live = own.run("gate")
    eventually("it runs", lambda: sleeping(own, "61.5"))
    return page, ended, live


def send(page, case):
    """Sends a generated request with the fields that the page sends; checks the answer."""
    import requests
    fields = page.change_fields()
    if case.method != "POST":
        fields = {"X-Reprise": page.key}
    case.headers = {**(case.headers or {}), **fields}
    response = case.call(base_url=page.origin, headers=fields, timeout=30,
                         session=requests.Session())
    case.validate_response(response, checks=CHECKS)
    return response.status_code


def generated(page, operation, statuses, own_runs):
    """Sends generated requests of an operation, some of them for runs that there are."""
    import random
    choice = random.Random(int(os.environ["REPRISE_WEB_SEED"]))

    @settings(max_examples=EXAMPLES, deadline=None, derandomize=False, database=None,
              phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
    def test(case):
        if "id" in (case.path_parameters or {}) and choice.random() < 0.7:
            case.path_parameters["id"] = choice.choice(own_runs)
        if "step" in (case.path_parameters or {}) and choice.random() < 0.5:
            case.path_parameters["step"] = choice.choice(["first", "slow"])
        statuses.append(send(page, case))
    from hypothesis import given
    given(operation.as_strategy())(test)()


@check
def generated_requests_get_the_answers_of_the_document(reprise):
    with Project(reprise, WORKFLOWS) as own:
        page, ended, live = prepared(own)
        total, counted = 0, {}
        for result in described().get_all_operations():
            operation = result.ok()
            if operation.path == "/api/events":
                continue  # it does not end; stream.py has it
            statuses = []
            try:
                generated(page, operation, statuses, [ended, live])
            except Exception as error:
                raise AssertionError(
                    f"seed {os.environ['REPRISE_WEB_SEED']}, {operation.label}: {error}") from error
            total += len(statuses)
            counted[operation.label] = sorted(set(statuses))
            expect(len(statuses) >= 5, f"requests of {operation.label}", len(statuses))
        expect(200 in counted["GET /api/runs/{id}"], "also answers with 200", counted)
        expect_equal("the server runs", page.process.poll(), None)
        return f"{total} requests, seed {os.environ['REPRISE_WEB_SEED']}"


@check
def the_document_has_each_path_of_the_server(reprise):
    """And no other; asked of the server, which answers 404 to paths that it does not have."""
    import yaml
    with open(PATH, encoding="utf-8") as file:
        paths = yaml.safe_load(file)["paths"]
    with open(os.path.join(os.path.dirname(PATH), "web.md"), encoding="utf-8") as file:
        guide = file.read()
    with Project(reprise, WORKFLOWS) as own:
        page, _, live = prepared(own)
        for path, methods in paths.items():
            real = path.replace("{id}", live).replace("{step}", "slow").replace("{name}", "site")
            for method in methods:
                if method == "parameters" or path == "/api/events":
                    continue
                fields = page.change_fields() if method == "post" else {"X-Reprise": page.key}
                answer = page.request(method.upper(), real, "[]" if method == "post" else None,
                                      fields)
                expect(answer.status != 404, f"{method} {path} is served", answer)
            named = path.replace("{id}", "ID").replace("{step}", "STEP").replace("{name}", "NAME")
            last = named.split("/")[-1]
            expect(named in guide or f"…/{last}" in guide, f"{named} in web.md", "it is missing")
