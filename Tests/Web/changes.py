# What the API changes, on real runs and processes.

import subprocess

from project import Project, check, eventually, expect, expect_equal, processes, arguments
from project import with_page

WORKFLOWS = {
    "ship": """
name: ship
params: { version: { type: string, required: true }, count: { type: number, default: 1 } }
steps:
  - { id: first, run: 'echo "first $$" >> log' }
  - { id: check, run: 'test -e ok || { echo "no ok"; exit 3; }' }
  - { id: last, run: 'echo last >> log' }
""",
    "gate": """
name: gate
grace: 2s
steps:
  - { id: go, needs: [], approval: "Ship it?" }
  - { id: slow, needs: [], run: 'echo begun >> log; exec sleep 61.5' }
  - { id: other, needs: [], run: 'exec sleep 62.5' }
  - { id: after, needs: [go], run: 'echo after >> log' }
  - { id: then, needs: [slow], run: 'echo then >> log' }
""",
    "site": """
name: site
params: { n: { type: string, default: none } }
on: { socket: true }
steps: [{ id: a, env: { N: "${{ params.n }}" }, run: 'echo "$N" >> log' }]
""",
}


def sleeping(own, seconds):
    """The processes of this project that sleep that long."""
    found = []
    for process in processes():
        if arguments(process) == [b"sleep", seconds.encode()]:
            with open(f"/proc/{process}/environ", "rb") as file:
                if own.folder.encode() in file.read():
                    found.append(process)
    return found


def waiting_gate(own, page):
    """A run of `gate` whose steps all run or wait."""
    run = own.run("gate")
    eventually("go waits", lambda: own.step(run, "go").get("awaiting-approval"))
    eventually("slow runs", lambda: own.state(run, "slow") == "running" and sleeping(own, "61.5"))
    eventually("other runs", lambda: sleeping(own, "62.5"))
    expect_equal("live", page.read(f"/api/runs/{run}")["live"], True)
    return run, f"/api/runs/{run}"


def requested(own, run, generation=-1):
    """Who has asked for a generation."""
    return own.show(run)["generations"][generation].get("by", {}).get("name")


@with_page(WORKFLOWS)
def a_run_is_started_with_parameters(own, page):
    params = {"version": "$(touch x) 'y\" --\n;", "count": "7"}
    done = page.change("/api/runs", {"workflow": "ship", "params": params})
    own.ended(done["run"], "failed")
    expect(done["run"] in done["text"], "the run in words", done)
    seen = page.read(f"/api/runs/{done['run']}")
    expect_equal("params", seen["params"], params)
    expect_equal("a file from a parameter", own.exists("x"), False)
    expect_equal("its folder", seen["directory"], own.folder)


@with_page(WORKFLOWS)
def a_wrong_start_is_refused_with_the_diagnostics(own, page):
    for body, words in (
            ({"workflow": "ship"}, "version"),
            ({"workflow": "shop"}, "did you mean"),
            ({"workflow": "ship", "params": {"version": "1", "count": "many"}}, "count"),
            ({"workflow": "ship", "params": {"version": "1", "color": "red"}}, "color")):
        answer = page.post("/api/runs", body)
        expect(answer.status == 409 and words in answer.json["error"], f"409: {words}", answer)
        expect(not answer.json["error"].startswith("error"), "no prefix", answer)
    for workflow in ("--help", "-p", "", "ship --from last"):
        answer = page.post("/api/runs", {"workflow": workflow})
        expect(answer.status in (400, 409), "400 or 409", answer)
    expect_equal("runs", own.ids(), set())


@with_page(WORKFLOWS)
def an_ended_run_is_resumed_by_a_restart(own, page):
    run = own.run_to_end("ship", "failed", "-p", "version=1")
    own.write("ok", "")
    done = page.change(f"/api/runs/{run}/restart", {})
    expect_equal("the same run", done["run"], run)
    own.ended(run, "succeeded")
    expect_equal("what had succeeded did not run again", own.read("log").count("first"), 1)
    page.change(f"/api/runs/{run}/restart", {"from": ["check"]})
    eventually("its dependents ran", lambda: own.read("log").count("last") == 2)
    own.ended(run, "succeeded")
    expect_equal("first did not", own.read("log").count("first"), 1)
    expect_equal("generations", own.show(run)["generation"], 3)
    for body in ({"from": ["none"]}, {"from": ["check", "last"]}):
        answer = page.post(f"/api/runs/{run}/restart", body)
        expect(answer.status == 409 and answer.json["error"], f"409 for {body}", answer)
    answer = page.post(f"/api/runs/{run}/restart", {"from": ["a\0b"]})
    expect(answer.status == 400 and "zero" in answer.json["error"], "400 for a zero byte", answer)


@with_page(WORKFLOWS)
def a_live_run_is_restarted_in_place(own, page):
    run, path = waiting_gate(own, page)
    before = sleeping(own, "61.5") + sleeping(own, "62.5")
    done = page.change(f"{path}/restart", {})
    expect_equal("generation", done["generation"], 2)
    eventually("it runs again", lambda: own.read("log").count("begun") == 2)
    eventually("the old processes are gone", lambda: not set(before) & set(processes()))
    eventually("the run has the same id", lambda: own.show(run)["generation"] == 2)
    expect_equal("requested by", requested(own, run), "reprise web")


@with_page(WORKFLOWS)
def a_live_run_is_restarted_from_a_step(own, page):
    run, path = waiting_gate(own, page)
    kept, old = sleeping(own, "62.5"), sleeping(own, "61.5")
    done = page.change(f"{path}/restart", {"from": ["slow"]})
    expect_equal("steps", sorted(done["steps"]), ["slow", "then"])
    eventually("slow runs again", lambda: own.read("log").count("begun") == 2)
    eventually("its process is another", lambda: sleeping(own, "61.5") not in (old, []))
    expect_equal("the process of the other step", sleeping(own, "62.5"), kept)
    expect_equal("from", own.show(run)["generations"][-1]["from"], ["slow"])
    answer = page.post(f"{path}/restart", {"from": ["none"]})
    expect(answer.status == 409 and "none" in answer.json["error"], "409", answer)


@with_page(WORKFLOWS)
def an_edited_file_is_reloaded(own, page):
    run, path = waiting_gate(own, page)
    own.write("workflows/gate.yaml", WORKFLOWS["gate"]
              + "  - { id: new, needs: [], run: 'echo new >> log' }\n")
    plan = page.change(f"{path}/restart", {"reload": True, "changed": True, "dry-run": True})
    expect("new" in plan["text"], "what would run", plan)
    expect_equal("generations after a dry run", own.show(run)["generation"], 1)
    kept = sleeping(own, "62.5")
    page.change(f"{path}/restart", {"reload": True, "changed": True})
    eventually("new has run", lambda: "new" in own.read("log"))
    expect_equal("the process of a step that is the same", sleeping(own, "62.5"), kept)
    seen = page.read(path)
    expect_equal("the changes", seen["generations"][-1]["changes"]["added"], ["new"])
    expect("new" in [step["id"] for step in seen["plan"]["steps"]], "the new plan", seen["plan"])
    expect("id: new" in page.read(f"{path}/source")["text"], "the new source", "the old one")
    expect("id: new" not in page.read(f"{path}/source?generation=1")["text"],
           "the source of generation 1", "the new one")
    own.write("workflows/gate.yaml", "name: gate\nsteps: [{ id: a, rum: x }]\n")
    answer = page.post(f"{path}/restart", {"reload": True})
    expect(answer.status == 409 and "rum" in answer.json["error"], "409", answer)
    expect_equal("it still runs", sleeping(own, "62.5"), kept)


@with_page(WORKFLOWS)
def a_step_is_cancelled_alone(own, page):
    run, path = waiting_gate(own, page)
    done = page.change(f"{path}/cancel", {"step": ["slow"]})
    expect_equal("steps", done["steps"], ["slow"])
    eventually("slow is over", lambda: own.state(run, "slow") == "cancelled")
    expect_equal("processes of slow and of other",
                 (len(sleeping(own, "61.5")), len(sleeping(own, "62.5"))), (0, 1))
    eventually("its dependents are", lambda: own.state(run, "then") == "cancelled")
    expect_equal("the run", own.show(run)["status"], "running")
    for step in ("none", "slow"):
        answer = page.post(f"{path}/cancel", {"step": [step]})
        expect(answer.status == 409 and answer.json["error"], f"409 for {step}", answer)


@with_page(WORKFLOWS)
def a_run_is_cancelled(own, page):
    run, path = waiting_gate(own, page)
    page.change(f"{path}/cancel", {})
    own.ended(run, "cancelled")
    expect_equal("processes", sleeping(own, "61.5") + sleeping(own, "62.5"), [])
    recorded = [kind for kind, _, _ in own.recorded(run)]
    expect("run-cancelling" in recorded, "run-cancelling", recorded)
    for what in ("cancel", "pause", "unpause"):
        answer = page.post(f"{path}/{what}", {})
        expect(answer.status == 409 and answer.json["error"], f"409 for {what}", answer)
    answer = page.post(f"{path}/approve", {"step": "go"})
    expect(answer.status == 409, "409", answer)
    expect_equal("live", page.read(path)["live"], False)


@with_page(WORKFLOWS)
def an_approval_is_answered_with_a_comment(own, page):
    run, path = waiting_gate(own, page)
    page.change(f"{path}/approve", {"step": "go", "comment": "ticket 12"})
    eventually("after has run", lambda: own.state(run, "after") == "succeeded")
    approval = own.show(run)["generations"][0]["approvals"][0]
    expect_equal("the answer", (approval["answer"], approval["by"]["comment"],
                                approval["by"]["name"]), ("approved", "ticket 12", "reprise web"))
    answer = page.post(f"{path}/approve", {"step": "go"})
    expect(answer.status == 409, "409 for the second answer", answer)


@with_page(WORKFLOWS)
def a_rejected_step_fails(own, page):
    run, path = waiting_gate(own, page)
    page.change(f"{path}/approve", {"step": "go", "approved": False, "comment": "not today"})
    eventually("go has failed", lambda: own.state(run, "go") == "failed")
    expect_equal("the reason", own.step(run, "go")["reason"]["kind"], "rejected")
    expect_equal("after did not run", own.read("log").count("after"), 0)


@with_page(WORKFLOWS)
def results_are_set_by_hand(own, page):
    run, path = waiting_gate(own, page)
    page.change(f"{path}/set", {"step": ["slow"], "result": "succeeded", "comment": "by hand"})
    eventually("slow counts as done", lambda: own.state(run, "slow") == "succeeded")
    eventually("then has run", lambda: "then" in own.read("log"))
    expect_equal("its process", sleeping(own, "61.5"), [])
    page.change(f"{path}/set", {"step": ["other"], "result": "skipped"})
    eventually("other is skipped", lambda: own.state(run, "other") == "skipped")
    for body, status in (({"step": ["go"], "result": "x"}, 400), ({"result": "skipped"}, 400),
                         ({"step": ["none"], "result": "skipped"}, 409)):
        answer = page.post(f"{path}/set", body)
        expect(answer.status == status, f"{status} for {body}", answer)


@with_page(WORKFLOWS)
def nothing_starts_while_a_run_is_paused(own, page):
    run, path = waiting_gate(own, page)
    page.change(f"{path}/pause", {})
    eventually("it is paused", lambda: page.read(path).get("paused"))
    page.change(f"{path}/approve", {"step": "go"})
    eventually("the answer is recorded", lambda: "answer" in own.show(run)[
        "generations"][0]["approvals"][0])
    expect_equal("after", own.read("log").count("after"), 0)
    page.change(f"{path}/unpause", {})
    eventually("after has run", lambda: own.state(run, "after") == "succeeded")
    expect("paused" not in page.read(path), "not paused", page.read(path).get("paused"))


@check
def a_watch_is_triggered(reprise):
    with Project(reprise, WORKFLOWS) as own:
        page = own.serve()
        page.session()
        expect_equal("without watches", page.read("/api/watches"), {"watches": []})
        own.start("watch", "site", "--progress", "none")
        watches = eventually("it is watched", lambda: [
            watch for watch in page.read("/api/watches")["watches"]
            if watch["state"] == "watching"])
        listed = own.command("triggers", "--json")
        expect(f'"workflow":"{watches[0]["workflow"]}"' in listed, "the same name", listed)
        page.change("/api/watches/site/trigger", {"params": {"n": "7"}})
        eventually("it ran", lambda: own.read("log") == "7\n")
        page.change("/api/watches/site/trigger", {})
        eventually("it ran again", lambda: own.read("log") == "7\nnone\n")
        seen = page.read("/api/runs")["runs"][0]["id"]
        expect("trigger" in page.read(f"/api/runs/{seen}"), "what started it", seen)
        for name, body in (("none", {}), ("site", {"params": {"m": "1"}})):
            answer = page.post(f"/api/watches/{name}/trigger", body)
            expect(answer.status == 409 and answer.json["error"], "409", answer)


@with_page(WORKFLOWS)
def runs_outlive_the_page(own, page):
    run = page.change("/api/runs", {"workflow": "gate"})["run"]
    kept = eventually("it runs", lambda: sleeping(own, "61.5"))
    own.kill_page()
    again = own.serve(port=page.port)
    again.key = page.key
    expect_equal("the session of the last server", again.get("/api/runs").status, 401)
    expect_equal("its token", again.session(page.token).status, 403)
    again.session()
    expect_equal("the process", sleeping(own, "61.5"), kept)
    again.change(f"/api/runs/{run}/approve", {"step": "go"})
    eventually("after has run", lambda: own.state(run, "after") == "succeeded")


@with_page(WORKFLOWS)
def twenty_starts_at_once_are_twenty_runs(own, page):
    own.write("ok", "")
    head = page.head("POST /api/runs HTTP/1.1", f"Origin: {page.origin}",
                     "Content-Type: application/json")
    body = '{"workflow":"ship","params":{"version":"1"}}'
    text = head[:-2] + f"Content-Length: {len(body)}\r\n\r\n{body}"
    connections = [page.connect() for _ in range(20)]
    for connection in connections:
        connection.sendall(text.encode())
    answers = [connection.recv(65536) for connection in connections]
    expect_equal("answers", {answer[:12] for answer in answers}, {b"HTTP/1.1 200"})
    expect_equal("runs", len(own.ids()), 20)
    for run in own.ids():
        own.ended(run, "succeeded")
    eventually("no process is left", lambda: not subprocess.run(
        ["pgrep", "-P", str(page.process.pid)], capture_output=True, check=False).stdout)
