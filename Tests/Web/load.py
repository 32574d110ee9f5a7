# A run of 10,000 steps with much output and progress: what it costs the browser and the server.

import json
import threading
import time

from browser import Browser
from project import Project, check, eventually, expect, resident

STEPS = 10000
TALKERS = 5
SECONDS = 30
# The talkers print and report progress as fast as a loop of the shell can; more than 2,000 a second
# each. The quick steps use the other slots.
LARGE = f"""
name: large
max-parallel: {TALKERS + 2}
steps:
  - id: talk
    needs: []
    foreach: {list(range(TALKERS))}
    run: |
      end=$(($(date +%s) + {SECONDS})); i=0
      while [ $(($i % 500)) -gt 0 ] || [ $(date +%s) -lt $end ]; do
        i=$((i + 1)); echo "line $i of a talker"; echo "$((i % 100)) part $i" >&3
      done 3>> $REPRISE_PROGRESS
  - {{ id: quick, needs: [], foreach: {list(range(STEPS))}, run: 'true' }}
"""
WATCH = """
window.seen = { frames: [], long: [] };
let last = performance.now();
(function frame() {
  const now = performance.now();
  window.seen.frames.push(now - last);
  last = now;
  requestAnimationFrame(frame);
})();
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.seen.long.push(entry.duration);
}).observe({ type: 'longtask' });
"""


def counted_events(own, run, counts, is_over):
    """Counts the events that the run tells to those who attach."""
    import subprocess
    process = subprocess.Popen([own.reprise, "attach", run, "--format", "json"],
                               cwd=own.folder, env=own.environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    own.processes.append(process)
    for line in process.stdout:
        counts.append(1)
        if is_over.is_set():
            break
    process.terminate()


@check
def ten_thousand_steps_stay_smooth(reprise):
    with Project(reprise, {"large": LARGE}) as own, Browser() as browser:
        page = own.serve()
        page.session()
        browser.open(page.url)
        browser.sees("Choose a run")
        run = own.run("large")
        counts, is_over = [], threading.Event()
        threading.Thread(target=counted_events, args=(own, run, counts, is_over),
                         daemon=True).start()
        browser.sees(run, "#bar")
        browser.sees("running", "#upper")
        # The group of 10,000 steps is opened: each of them is drawn.
        browser.click('#graph .node[aria-label^="quick,"]')
        eventually("they are drawn", lambda: browser.script(
            "return document.querySelector('#graph canvas') !== null"))
        browser.script(WATCH)
        began, heap, server = time.monotonic(), 0, 0
        while time.monotonic() - began < SECONDS - 4:
            time.sleep(0.5)
            metrics = browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
            heap = max([heap] + [metric["value"] / 2 ** 20 for metric in metrics
                                 if metric["name"] == "JSHeapUsedSize"])
            server = max(server, resident(page.process.pid))
        took = time.monotonic() - began
        seen = browser.script("return window.seen")
        is_over.set()
        browser.keep("load")
        frames = sorted(seen["frames"])
        slow = [frame for frame in frames if frame > 50]
        note = (f"{len(counts) / took:.0f} events a second, {len(frames) / took:.0f} frames, "
                f"{100 * len(slow) / len(frames):.1f} % over 50 ms, 99 % under "
                f"{frames[int(len(frames) * 0.99)]:.0f} ms, heap {heap:.0f} MiB, "
                f"server {server:.0f} MiB, {len(seen['long'])} long tasks")
        print("       " + note, flush=True)
        expect(frames[int(len(frames) * 0.99)] < 50, "99 % of the frames under 50 ms", note)
        expect(heap < 300, "a heap under 300 MiB", note)
        expect(server < 300, "a server under 300 MiB", note)
        own.command("cancel", run, "--now")
        own.ended(run, "cancelled", 60)
        expect(json.dumps(own.show(run))[:1], "the run can be shown", "")
        return note


ten_thousand_steps_stay_smooth.is_long = False
