# What the API reads, on real runs: the same as the commands print.

import time

from project import expect, expect_equal, with_page

WORKFLOWS = {
    "ship": """
name: ship
description: Ships a version.
params:
  version: { type: string, required: true, description: the version }
  fast: { type: boolean, default: false }
  place: { type: choice, options: [here, there], default: here }
steps:
  - { id: first, run: 'echo "first $$" >> log; echo out=$(cat value) >> $REPRISE_OUTPUT' }
  - { id: check, run: 'test -e ok || { echo "no ok"; exit 3; }' }
  - { id: last, run: 'echo last >> log' }
finally:
  - { id: report, run: 'true' }
""",
    "kinds": """
name: kinds
steps:
  - { id: flaky, needs: [], retry: { limit: 3, delay: 10ms }, run: 'echo try >> tries; test $(wc -l < tries) -ge 3' }
  - { id: each, needs: [], foreach: [a, b, c], run: 'echo $REPRISE_STEP' }
  - { id: never, needs: [], if: "1 == 2", run: 'true' }
  - { id: late, needs: [], timeout: 100ms, run: 'sleep 20' }
""",
    "slow": "name: slow\nsteps: [{ id: a, run: sleep 600 }]\n",
    "broken": "name: broken\nsteps: [{ id: a, runs: x }]\n",
    "lines": """
name: lines
keep: { log: 256m }
steps:
  - id: many
    run: |
      awk 'BEGIN { for (i = 0; i < 1000000; i++) print "line " i " of a log of a hundred megabytes, padded"; \\
        print "the first Needle"; for (i = 0; i < 1000000; i++) print "line " i " of a log of a hundred megabytes, padded"; \\
        print "a second nEEDLE"; for (i = 0; i < 1048576; i++) printf "x"; print ""; print "end" }'
""",
    "cut": """
name: cut
keep: { log: 1m }
steps: [{ id: many, run: "seq 1 700000" }]
""",
}


@with_page(WORKFLOWS)
def a_run_is_as_reprise_show_prints_it(own, page):
    for name, words, status in (("ship", ("-p", "version=7"), "failed"), ("kinds", (), "failed")):
        run = own.run_to_end(name, status, *words)
        seen = page.read(f"/api/runs/{run}")
        for field, value in own.show(run).items():
            expect_equal(f"{name}: {field}", seen[field], value)
        expect_equal(f"{name}: number", seen["number"], len(own.recorded(run)))
        expect_equal(f"{name}: live", (seen["live"], seen["phase"]), (False, "ended"))
    states = {step["step"]: step for step in seen["steps"]}
    expect_equal("attempts", states["flaky"]["attempt"], 3)
    expect_equal("kinds of ends", [states[name]["state"] for name in ("flaky", "never", "late")],
                 ["succeeded", "skipped", "failed"])
    expect_equal("steps of the foreach", sum(name.startswith("each") for name in states), 3)
    groups = [part for part in seen["plan"]["outline"] if isinstance(part, dict)]
    expect("each" in str(groups), "a group for each", seen["plan"]["outline"])


@with_page(WORKFLOWS)
def a_run_has_its_plan_params_and_finally_steps(own, page):
    run = own.run_to_end("ship", "failed", "-p", "version=7")
    seen = page.read(f"/api/runs/{run}")
    expect_equal("params", seen["params"].get("version"), "7")
    expect_equal("steps", [step["id"] for step in seen["plan"]["steps"]],
                 ["first", "check", "last", "report"])
    expect_equal("steps under finally", seen["finally"], 1)
    source = page.read(f"/api/runs/{run}/source")
    expect_equal("the source", source["text"], WORKFLOWS["ship"])
    expect_equal("its path", source["path"], own.path("workflows/ship.yaml"))
    expect_equal("of a generation", page.read(f"/api/runs/{run}/source?generation=1"), source)


@with_page(WORKFLOWS)
def runs_are_listed_newest_first_in_pages(own, page):
    expect_equal("without runs", page.read("/api/runs"), {"runs": [], "more": False})
    runs = [own.run_to_end("cut", "succeeded") for _ in range(3)]
    runs.append(own.run_to_end("kinds", "failed"))
    listed = page.read("/api/runs")
    expect_equal("all", [line["id"] for line in listed["runs"]], runs[::-1])
    first = page.read("/api/runs?workflow=cut&limit=2")
    expect_equal("two", ([line["id"] for line in first["runs"]], first["more"]),
                 (runs[2:0:-1], True))
    rest = page.read(f"/api/runs?workflow=cut&limit=2&before={runs[1]}")
    expect_equal("the rest", ([line["id"] for line in rest["runs"]], rest["more"]),
                 (runs[:1], False))
    expect_equal("of no workflow", page.read("/api/runs?workflow=none")["runs"], [])


@with_page(WORKFLOWS)
def workflows_have_what_a_form_needs(own, page):
    found = {one["name"]: one for one in page.read("/api/workflows")["workflows"]}
    expect_equal("names", set(found), set(WORKFLOWS))
    expect_equal("description", found["ship"]["description"], "Ships a version.")
    expect_equal("params", found["ship"]["params"], [
        {"name": "version", "type": "string", "required": True, "description": "the version"},
        {"name": "fast", "type": "boolean", "required": False, "default": "false"},
        {"name": "place", "type": "choice", "required": False, "default": "here",
         "options": ["here", "there"]}])
    expect("error" in found["broken"], "the error of a broken file", found["broken"])
    project = page.read("/api/project")
    expect_equal("folder", project["folder"], own.folder)
    actions = {row["action"] for row in project["keys"]}
    wanted = {"restartStep", "restartRun", "cancelRun", "approve", "search", "trigger"}
    expect(wanted <= actions and "quit" not in actions, wanted, actions)


@with_page(WORKFLOWS)
def a_comparison_has_what_differs(own, page):
    own.write("value", "1")
    before = own.run_to_end("ship", "failed", "-p", "version=1")
    own.write("value", "2")
    own.write("ok", "")
    own.write("workflows/ship.yaml", WORKFLOWS["ship"] + "# more\n")
    after = own.run_to_end("ship", "succeeded", "-p", "version=2")
    seen = page.read(f"/api/compare?a={before}&b={after}")
    expect_equal("sides", (seen["a"]["id"], seen["b"]["id"]), (before, after))
    expect_equal("params", seen["params"], [{"name": "version", "a": "1", "b": "2"}])
    expect_equal("outputs", seen["outputs"], [{"step": "first", "name": "out", "a": "1", "b": "2"}])
    expect_equal("first different", seen["first-different"], "first")
    check_row = next(row for row in seen["steps"] if row["step"] == "check")
    expect_equal("states", (check_row["a"]["state"], check_row["b"]["state"]),
                 ("failed", "succeeded"))
    changed = [line for line in seen["source"] if line["kind"] != "same"]
    expect_equal("source", changed, [{"kind": "added", "text": "# more"}])
    table = page.read("/api/table?workflow=ship")
    expect_equal("runs of the table", [line["id"] for line in table["runs"]], [before, after])
    row = table["cells"][table["steps"].index("check")]
    expect_equal("cells", [cell["state"] for cell in row], ["failed", "succeeded"])
    own.write("workflows/ship.yaml", WORKFLOWS["ship"])
    page.change(f"/api/runs/{after}/restart", {"from": ["first"]})
    own.ended(after, "succeeded")
    eventual = page.read(f"/api/compare?a={after}&b={after}&a-generation=1")
    expect_equal("generations of one run", eventual["params"], [])


@with_page(WORKFLOWS)
def what_does_not_exist_is_404_and_what_is_wrong_400(own, page):
    run = own.run_to_end("ship", "failed", "-p", "version=7")
    for path in ("/api/runs/none", f"/api/runs/{run}/none", "/api/none", "/none.js", "/api",
                 f"/api/runs/{run[:4]}", f"/api/runs/{run}/source/x", "/api/runs/@last",
                 f"/api/runs/{run}/steps/first/none", f"/api/runs/{run}/steps/none/log",
                 f"/api/runs/{run}/steps/last/log?attempt=9", f"/api/compare?a={run}&b=none"):
        answer = page.get(path)
        expect(answer.status == 404 and answer.json["error"], f"404 for {path}", answer)
    for path in (f"/api/runs/{run}/steps/first/log?from=x", "/api/runs?limit=0",
                 "/api/runs?limit=-1", "/api/compare?a=" + run, f"/api/events?run={run}:x",
                 f"/api/events?run={run}:-1", "/api/runs?limit=1&limit=2", "/api//runs",
                 "/api/runs?limit=99999999999999999999", f"/api/runs/{run}/source?generation=x"):
        answer = page.get(path)
        expect(answer.status == 400 and answer.json["error"], f"400 for {path}", answer)


@with_page(WORKFLOWS)
def a_log_that_a_live_run_has_not_recorded_yet_is_empty(own, page):
    run = own.run("slow")
    path = f"/api/runs/{run}/steps/later/log?attempt=2"
    expect_equal("lines", page.read(path)["lines"], [])
    page.change(f"/api/runs/{run}/cancel", {})
    own.ended(run, "cancelled")
    expect_equal("status", page.get(path).status, 404)


@with_page(WORKFLOWS)
def a_log_of_100_mb_is_read_in_windows_at_once(own, page):
    run = own.run_to_end("lines", "succeeded")
    path = f"/api/runs/{run}/steps/many/log"
    times = []

    def read(query):
        began = time.monotonic()
        answer = page.get(path + query)
        times.append(time.monotonic() - began)
        expect_equal(f"{query}: the status", answer.status, 200)
        expect(len(answer.body) < 12_000_000, "a window", len(answer.body))
        return answer.json

    whole = read("")
    expect(whole["size"] > 100_000_000, "100 MB", whole["size"])
    expect(whole["to"] - whole["from"] <= 256 << 10, "at most 256 KiB", whole["to"])
    expect(len(read(f"?limit={1 << 40}")["lines"]) < 200_000, "at most 4 MiB", "more")
    expect_equal("the last line", read("?from=-100")["lines"][-1]["text"], "end")
    middle = read(f"?from={whole['size'] // 2}&limit=100000")
    expect(middle["from"] <= whole["size"] // 2, "the start of a line", middle["from"])
    expect(middle["lines"][0]["text"].startswith("line "), "a whole line", middle["lines"][0])
    first = middle["lines"][0]
    again = read(f"?from={first['at'] + 3}&limit=1000")["lines"][0]
    expect_equal("from within a line", again, first)
    # A window of 4 MiB is the slowest, with a debug build.
    expect(max(times) < 2, "each window within 2 s", f"{max(times):.2f} s")
    expect_equal("windows join without a gap", read(f"?from={middle['to']}")["from"],
                 middle["to"])
    return f"slowest window {1000 * max(times):.0f} ms"


@with_page(WORKFLOWS)
def a_log_of_100_mb_is_searched_by_the_server(own, page):
    run = own.run_to_end("lines", "succeeded")
    path = f"/api/runs/{run}/steps/many/log"
    began = time.monotonic()
    found = page.read(f"{path}?find=needle")
    took = time.monotonic() - began
    expect_equal("matches", [match["text"] for match in found["matches"]],
                 ["the first Needle", "a second nEEDLE"])
    at = found["matches"][1]["at"]
    lines = page.read(f"{path}?from={at}&limit=2000000")["lines"]
    expect_equal("the line there", lines[0]["text"], "a second nEEDLE")
    expect(lines[1].get("continues"), "a line of 1 MiB in pieces", lines[1].keys())
    longest = [line["text"] for line in lines if line["text"].startswith("x")]
    expect_equal("its length", sum(len(text) for text in longest), 1 << 20)
    expect(max(len(text) for text in longest) <= 65536, "pieces of 64 KiB", "longer ones")
    expect_equal("the line after it", lines[-1]["text"], "end")
    backward = page.read(f"{path}?find=NEEDLE&from={at}&back=1")
    expect_equal("backward", [match["text"] for match in backward["matches"]], ["the first Needle"])
    many = page.read(f"{path}?find=padded")
    expect_equal("matches of an answer", len(many["matches"]), 200)
    more = page.read(f"{path}?find=padded&from={many['next']}")
    expect(more["matches"][0]["at"] > many["matches"][-1]["at"], "the next ones", more["next"])
    expect_equal("no match", page.read(f"{path}?find=nowhere")["matches"], [])
    # Debug builds search ten times as slowly.
    expect(took < 20, "a search within 20 s", f"{took:.1f} s")
    return f"{1000 * took:.0f} ms for 110 MB"


@with_page(WORKFLOWS)
def what_was_not_kept_of_a_log_is_counted(own, page):
    run = own.run_to_end("cut", "succeeded")
    window = page.read(f"/api/runs/{run}/steps/many/log?limit=4194304")
    end = page.read(f"/api/runs/{run}/steps/many/log?from=-100")
    expect_equal("the first and the last line",
                 (window["lines"][0]["text"], end["lines"][-1]["text"]), ("1", "700000"))
    everything, place = 0, 0
    while place < window["size"]:
        part = page.read(f"/api/runs/{run}/steps/many/log?from={place}&limit=4194304")
        expect(part["to"] > place, f"a window after {place}", part["to"])
        everything += part["left-out"]
        place = part["to"]
    expect(everything > 1_000_000, "some megabytes were left out", everything)
