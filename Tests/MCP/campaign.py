# Checks `reprise mcp` with the official client: campaign.py REPRISE [--only TEXT]

import argparse
import asyncio
import json
import os
import tempfile
import time
import traceback

from mcp.shared.exceptions import MCPError

from project import SECRET, Project, refused, request, use

BROKEN = """description: builds and tests
params: { who: { default: Ada } }
steps:
  - { id: build, run: "echo x >> built; echo hello $WHO", env: { WHO: "${{ params.who }}" } }
  - { id: test, run: "echo the answer is 41; test 41 = 42" }
  - { id: report, run: "echo x >> reported" }
"""


async def a_failed_run_is_corrected_and_resumed(project):
    """Run, read why it fails, edit, resume from the step, see success."""
    project.write("workflows/ci.yaml", BROKEN)
    async with project.client() as client:
        listed, _ = await use(client, "list_workflows")
        assert [each["name"] for each in listed["workflows"]] == ["ci"], listed
        assert listed["workflows"][0]["params"][0]["default"] == "Ada", listed
        failed, text = await use(client, "run", workflow="ci", params={"who": "you & me"})
        assert failed["status"] == "failed" and failed["ended"], failed
        assert [each["step"] for each in failed["failed"]] == ["test"], failed
        assert failed["failed"][0]["log"] == "the answer is 41" and "the answer is 41" in text
        log, _ = await use(client, "logs", run=failed["run"], step="build")
        assert log["text"] == "hello you & me", log

        project.write("workflows/ci.yaml", BROKEN.replace("41", "42"))
        valid, _ = await use(client, "validate", workflow="ci")
        assert valid["valid"] and valid["diagnostics"] == [], valid
        after, _ = await use(client, "resume", run=failed["run"], **{"from": "test"})
        assert after["status"] == "succeeded" and after["failed"] == [], after
        assert after["run"] == failed["run"] and after["generation"] == 2, after
        shown, _ = await use(client, "status", run="@ci")
        assert [step["state"] for step in shown["steps"]] == ["succeeded"] * 3, shown
        assert json.loads(project.command("show", "@last", "--json"))["id"] == shown["id"]
    with open(os.path.join(project.folder, "built"), encoding="utf-8") as file:
        assert file.read() == "x\n", "build has run again"
    return "3 steps, 2 generations"


async def errors_of_files_have_places_and_pages(project):
    """Diagnostics say where; their codes are explained."""
    project.write("workflows/wrong.yaml", "steps:\n  - { id: a, rum: echo }\n")
    async with project.client() as client:
        found, text = await use(client, "validate", workflow="wrong")
        first = found["diagnostics"][0]
        assert not found["valid"] and first["severity"] == "error", found
        assert (first["file"], first["line"]) == ("workflows/wrong.yaml", 2), first
        assert first["column"] == 14 and "run" in first["hint"], first
        assert "workflows/wrong.yaml:2:14" in text, text
        page, _ = await use(client, "explain_error", code=first["code"].lower())
        assert page["code"] == first["code"] and page["page"].startswith(first["code"]), page
        assert "did you mean" in await refused(client, "explain_error", code="R9999")
        assert "wrong.yaml:2:14" in await refused(client, "run", workflow="wrong")
        # A file that is only a collection of workflows is checked as all of them.
        project.write("workflows/many.yaml",
                      "workflows:\n  a: { steps: [{ id: a, run: x }] }\n  b: { steps: 1 }\n")
        found, _ = await use(client, "validate", workflow="many")
        assert not found["valid"], found
    return first["code"]


async def secrets_are_masked(project):
    """In results, logs, resources and records."""
    project.write("workflows/secret.yaml", (
        "secrets: { token: { env: TOKEN } }\nsteps:\n"
        "  - id: say\n    run: 'echo \"it is $T.\"; exit 7'\n"
        "    env: { T: \"${{ secrets.token }}\" }\n"))
    async with project.client() as client:
        answers = [await client.call_tool("run", {"workflow": "secret"})]
        run = answers[0].structured_content["run"]
        assert answers[0].structured_content["failed"][0]["log"] == "it is ***.", answers
        for tool in ["status", "logs"]:
            answers.append(await client.call_tool(tool, {"run": run}))
        answers.append(await client.read_resource(f"reprise://runs/{run}"))
        answers.append(await client.call_tool(
            "run", {"workflow": "secret", "params": {"nowhere": SECRET}}))
        shown = [str(answer) for answer in answers]
        # What the client itself has sent in the last call may come back to it, but nothing else.
        assert not any(SECRET in text for text in shown[:-1]), shown
        assert answers[-1].is_error, answers[-1]
    return f"{len(answers)} answers"


async def approvals_need_permission(project):
    """Refused by default, with the command for a person; done with --allow-approve."""
    project.write("workflows/deploy.yaml", (
        "steps:\n  - { id: go, approval: Deploy? }\n  - { id: deploy, run: echo deployed }\n"))
    async with project.client() as client:
        waiting, text = await use(client, "run", workflow="deploy", wait=60)
        assert waiting["status"] == "running", waiting
        assert waiting["waits-for"] == [{"for": "approval", "step": "go", "text": "Deploy?"}]
        assert f"reprise approve {waiting['run']} go" in text, text
        said = await refused(client, "approve", run=waiting["run"], step="go")
        assert "--allow-approve" in said and "ask a person" in said, said
    # The run goes on without its server.
    async with project.client("--allow-approve") as client:
        await use(client, "approve", run=waiting["run"], step="go", comment="checked")
        ended, text = await use(client, "status", run=waiting["run"], wait=60)
        assert ended["status"] == "succeeded" and "checked" in text, ended
    return "refused, and allowed"


async def a_live_run_is_restarted_and_cancelled(project):
    """Restart with the edited file; a wait that is over; cancel; several calls at once."""
    project.write("workflows/long.yaml", "steps:\n  - { id: a, run: sleep 600 }\n")
    async with project.client() as client:
        started, _ = await use(client, "run", workflow="long", wait=0)
        run = started["run"]
        long = asyncio.create_task(use(client, "status", run=run, wait=60))
        state, _ = await use(client, "status", run=run)
        assert state["status"] in ("running", "queued"), state
        assert "use restart" in await refused(client, "resume", run=run)
        project.write("workflows/long.yaml", (
            "steps:\n  - { id: a, run: echo short }\n  - { id: b, run: sleep 600 }\n"))
        restarted, text = await use(client, "restart", run=run, reload=True, wait=1)
        assert restarted["generation"] == 2 and not restarted["ended"], restarted
        assert restarted["running"] == ["b"] and "generation 2" in text, (restarted, text)
        assert not long.done()
        await use(client, "cancel", run=run)
        state, _ = await long
        assert state["status"] == "cancelled", state
        assert "use resume" in await refused(client, "restart", run=run)
    return "2 generations"


async def resources_are_read(project):
    """The reference, an error, a workflow file, a run; and what does not exist."""
    project.write("workflows/hello.yaml", "steps:\n  - { id: hi, run: echo hi }\n")
    async with project.client() as client:
        started, _ = await use(client, "run", workflow="hello")
        listed = {str(each.uri) for each in (await client.list_resources()).resources}
        run = f"reprise://runs/{started['run']}"
        assert {"reprise://reference", "reprise://workflows/hello", run} <= listed, listed
        templates = (await client.list_resource_templates()).resource_templates
        assert len(templates) == 3, templates

        async def text(uri):
            return (await client.read_resource(uri)).contents[0].text

        with open(os.path.join(os.path.dirname(__file__), "../../Documentation/workflow-file.md"),
                  encoding="utf-8") as file:
            assert (await text("reprise://reference")).strip() == file.read().strip()
        assert (await text("reprise://errors/R0304")).startswith("R0304: ")
        assert "echo hi" in await text("reprise://workflows/hello")
        assert json.loads(await text(run))["status"] == "succeeded"
        for uri in ["reprise://nowhere", "reprise://runs/nowhere", "reprise://errors/R9999"]:
            try:
                await text(uri)
                raise AssertionError(f"{uri} was read")
            except MCPError as error:
                assert error.code == -32002, error
    return f"{len(listed)} resources"


async def nothing_outside_of_the_project_is_read(project):
    """Paths, links and names that lead elsewhere are refused, and not even said to exist."""
    outside = project.folder + "-outside"
    os.makedirs(os.path.join(outside, "workflows"))
    with open(os.path.join(outside, "workflows", "other.yaml"), "w", encoding="utf-8") as file:
        file.write("steps: [{ id: a, run: touch stolen }]\n")
    target = os.path.join(outside, "workflows", "other.yaml")
    os.symlink(target, os.path.join(project.folder, "workflows", "link.yaml"))
    os.symlink(outside, os.path.join(project.folder, "elsewhere"))
    name = os.path.basename(outside)
    outsiders = [target, f"../{name}/workflows/other.yaml", f"./../{name}/workflows/other.yaml",
                 "link", "workflows/link.yaml", "elsewhere/workflows/other.yaml", "/etc/passwd",
                 f"workflows/../../{name}/workflows/other.yaml", "../nothing.yaml"]
    async with project.client() as client:
        for path in outsiders:
            for tool in ["validate", "run"]:
                said = await refused(client, tool, workflow=path)
                assert "is not in the folder of the project" in said, said
        listed, _ = await use(client, "list_workflows")
        assert "link" not in [each["name"] for each in listed["workflows"]], listed
        # An absolute path below the project is fine, and so is a server started below it.
        project.write("workflows/own.yaml", "steps: [{ id: a, run: pwd }]\n")
        await use(client, "validate", workflow=os.path.join(project.folder, "workflows/own.yaml"))
        assert "missing" in await refused(client, "run")
    below = os.path.join(project.folder, "below")
    os.makedirs(below)
    async with project.client(below) as client:
        ended, _ = await use(client, "run", workflow="own")
        log, _ = await use(client, "logs", run=ended["run"], step="a")
        assert log["text"] == os.path.realpath(project.folder), log
    return f"{len(outsiders)} paths"


async def hostile_values_stay_values(project):
    """Names and values that look like options or code."""
    project.write("workflows/echo.yaml", (
        "params: { text: { default: '' } }\nsteps:\n"
        "  - { id: a, exec: [printf, '%s', \"${{ params.text }}\"] }\n"))
    texts = ["--yes", "a=b", "$(touch stolen)", "two\nlines", "☃ 🦊", "-p", ""]
    async with project.client() as client:
        for text in texts:
            ended, _ = await use(client, "run", workflow="echo", params={"text": text})
            log, _ = await use(client, "logs", run=ended["run"], step="a")
            assert ended["status"] == "succeeded" and log["text"] == text, (text, log)
        for name in ["--help", "-x", "", "\0", "a\0b"]:
            await refused(client, "run", workflow=name)
        said = await refused(client, "resume", run="@last", **{"from": "--yes"})
        assert "--yes" in said, said
        await refused(client, "run", workflow="echo", params={"te\0xt": "a"})
    assert not os.path.exists(os.path.join(project.folder, "stolen"))
    return f"{len(texts)} values"


async def logs_are_windows(project):
    """At most 64 KiB, from any line, and it is said what is left out."""
    project.write("workflows/much.yaml", "steps:\n  - { id: a, run: seq -f %012.0f 100000 }\n")
    async with project.client() as client:
        ended, _ = await use(client, "run", workflow="much")
        log, _ = await use(client, "logs", run=ended["run"], step="a", lines=10000)
        assert log["to"] == log["lines"] == 100000 and log["left-out"].startswith("lines 1 to ")
        assert 60_000 < len(log["text"]) <= 64 << 10, len(log["text"])
        log, text = await use(client, "logs", run=ended["run"], step="a", lines=2,
                              **{"from": 5000})
        assert log["text"] == "000000005000\n000000005001", log
        assert "left out: lines 1 to 4999 and" in text, text
        log, _ = await use(client, "logs", run=ended["run"])
        assert log["text"].splitlines()[-1].endswith("a │ 000000100000"), log["text"][-200:]
    return f"{log['lines']} lines"


async def any_line_is_answered(project):
    """Malformed lines, old and unknown versions, and the end of the input."""
    answers = project.exchange(
        b"nonsense\n", b"\xff\xfe\n", b"\n", b"{}\n", b"[" * 100_000 + b"\n",
        b"x" * (2 << 20) + b"\n", request(1, "nowhere"), request(2, "ping"),
        request(3, "initialize", protocolVersion="2024-11-05"),
        request(4, "initialize", protocolVersion="2099-01-01"),
        [request(5, "ping"), request(6, "ping")],
        request(7, "tools/call", name="nowhere"), request(8, "tools/list"))
    codes = [each["error"]["code"] for each in answers
             if isinstance(each, dict) and each.get("id") is None]
    assert codes == [-32700, -32700, -32600, -32700, -32600], codes
    by_id = {each["id"]: each for each in answers if isinstance(each, dict)}
    assert by_id[1]["error"]["code"] == -32601 and by_id[2]["result"] == {}, by_id
    assert by_id[3]["result"]["protocolVersion"] == "2024-11-05"
    assert by_id[4]["result"]["protocolVersion"] == "2025-06-18"
    assert by_id[7]["error"]["code"] == -32602 and len(by_id[8]["result"]["tools"]) == 10
    assert [[each["id"] for each in batch] for batch in answers if isinstance(batch, list)] == [
        [5, 6]], answers
    return f"{len(answers)} answers"


async def the_end_of_the_input_leaves_runs_alone(project):
    """A call that waits is answered with what is known; the run goes on; the status is 0."""
    project.write("workflows/slow.yaml", "steps:\n  - { id: a, run: sleep 600 }\n")
    began = time.monotonic()
    [answer] = project.exchange(
        request(1, "tools/call", name="run", arguments={"workflow": "slow", "wait": 600}))
    content = answer["result"]["structuredContent"]
    assert not content["ended"] and time.monotonic() - began < 60, answer
    shown = json.loads(project.command("show", content["run"], "--json"))
    assert shown["status"] in ("running", "queued"), shown
    project.command("cancel", content["run"], "--wait")
    return content["run"]


async def a_cancelled_call_is_not_answered(project):
    """Nor is its run cancelled."""
    project.write("workflows/wait.yaml", "steps:\n  - { id: a, run: sleep 600 }\n")
    with project.start() as server:
        def send(message):
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()

        send(request("r", "tools/call", name="run", arguments={"workflow": "wait", "wait": 600}))
        send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "r"}})
        while True:
            send(request(2, "tools/call", name="status", arguments={"run": "@wait"}))
            answer = json.loads(server.stdout.readline())
            assert answer["id"] == 2, answer
            state = answer["result"]["structuredContent"]
            if state.get("status") == "running":
                break
        server.stdin.close()
        assert server.stdout.read() == b"" and server.wait(60) == 0
    project.command("cancel", state["id"], "--wait")
    return state["id"]


async def each_era_of_clients_connects(project):
    """Clients that ask for newer methods first, and those that only know the handshake."""
    versions = []
    for mode in ["auto", "legacy"]:
        async with project.client(mode=mode) as client:
            versions.append(client.protocol_version)
            assert client.server_info.name == "reprise" and "resume" in client.instructions
            tools = (await client.list_tools()).tools
            assert {"run", "resume", "approve"} < {tool.name for tool in tools}, tools
            assert all(tool.input_schema["type"] == "object" for tool in tools)
            assert "is missing" in await refused(client, "status")
    assert versions == ["2025-06-18"] * 2, versions
    return ", ".join(versions)


# All functions that wait, in the order of the file, without those that help them.
CHECKS = [each for each in list(globals().values())
          if asyncio.iscoroutinefunction(each) and each not in (use, refused)]


def main():
    """Runs the checks, each in a project of its own; returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("reprise")
    parser.add_argument("--only", default="", help="run the checks whose names contain this text")
    options = parser.parse_args()
    passed = True
    with tempfile.TemporaryDirectory(prefix="reprise-mcp-") as folder:
        for check in CHECKS:
            name = check.__name__.replace("_", " ")
            if options.only not in name:
                continue
            began = time.monotonic()
            project = Project(
                os.path.realpath(options.reprise), os.path.join(folder, check.__name__))
            try:
                note = asyncio.run(asyncio.wait_for(check(project), 180))
                result = f"ok     {time.monotonic() - began:6.1f} s  {name}: {note}"
            except Exception:  # pylint: disable=broad-except
                passed = False
                result = f"FAILED {time.monotonic() - began:6.1f} s  {name}\n" + "  ".join(
                    traceback.format_exc().splitlines(keepends=True))
            print(result, flush=True)
            project.end()
    return 0 if passed else 1


if __name__ == "__main__":
    raise SystemExit(main())
