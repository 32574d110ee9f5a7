// The page: its state, what the stream changes in it, and what keys and buttons do.

import { APIError, openSession, openStream, post, read, staticRun } from "./api.js";
import { drawDetail, stepTime } from "./detail.js";
import { byId, el, fill, onceAFrame } from "./dom.js";
import { visible } from "./format.js";
import { legend } from "./graph.js";
import { drawBanner, drawBar, drawClock } from "./head.js";
import { keyListener } from "./keys.js";
import { counts, isActive, questions, runOf, stateOf, takeFrame, takeList, withDependents }
  from "./model.js";
import { buildPage } from "./page.js";
import { answer, ask, closeSheet, isAsking, isForSheet, say, showKeys, showStart, valueInputs }
  from "./sheets.js";
import { drawSide } from "./side.js";
import { showComparison, showSource, showTable } from "./views.js";

const state = {
  project: null, lines: [], workflows: [], watches: [], hasMore: false, filter: "",
  run: null, chosen: null, view: "graph", lower: "timeline", other: null,
  live: true, lostSince: null, isStatic: staticRun !== null, isFollowing: true, now,
};
let stream = null;
let parts = null;
let sideIsStale = true;
let bodyIsStale = true;

function now() {
  // Without a connection nothing is known of the present.
  return new Date(state.lostSince ?? Date.now()).toISOString();
}

// MARK: Drawing

const draw = onceAFrame(() => {
  const { run } = state;
  byId("stage").classList.toggle("single", state.view !== "graph" || !run);
  if (sideIsStale) {
    sideIsStale = false;
    drawSide(byId("runs"), state, actions);
  }
  if (bodyIsStale) {
    bodyIsStale = false;
    drawBar(byId("bar"), state, actions);
    drawBanner(byId("banner"), state, actions);
    drawDetail(parts.detail, state, actions);
    if (run) fill(parts.legend, legend(counts(run)));
    document.title = visible(run ? `${run.workflow} · ${run.status} — Reprise` : "Reprise");
  }
  drawClock(state, now());
  parts.welcome.hidden = run !== null;
  parts.graphBox.hidden = !run || state.view !== "graph";
  parts.other.hidden = !run || state.view === "graph";
  if (run) {
    if (state.view === "graph") parts.graph.show(run, state.chosen);
    parts.timeline.show(run, state.chosen, state.lower === "path");
    const step = run.byStep.get(state.chosen);
    const time = byId("step-time");
    if (step && time) time.textContent = stepTime(step, now());
  }
  for (const tab of document.querySelectorAll("[data-view]")) {
    const isOn = [state.view, state.lower].includes(tab.dataset.view);
    tab.setAttribute("aria-selected", String(isOn));
  }
  const foot = byId("live");
  foot.className = state.live ? "live" : "live lost";
  foot.lastChild.textContent = state.isStatic ? "a file: nothing changes any more"
    : state.live ? `live · ${location.host}` : state.ended
      ? "the session has ended: open the page again with reprise web"
      : `no connection since ${new Date(state.lostSince).toTimeString().slice(0, 8)}; trying again`;
});

/** Draws again all that depends on the run. */
function changed() {
  bodyIsStale = true;
  draw();
}

function changedSide() {
  sideIsStale = true;
  draw();
}

/** Draws the upper panel if it is not the graph. */
async function drawView() {
  if (!state.run || state.view === "graph") return;
  try {
    if (state.view === "table") await showTable(parts.other, state.run, actions);
    if (state.view === "compare") {
      await showComparison(parts.other, state.run, state.lines, state.other, actions);
    }
    if (state.view === "source") await showSource(parts.other, state.run, state.chosen);
  } catch (error) {
    fill(parts.other, el("p", { class: "welcome" }, error.message));
  }
}

// MARK: Addresses

function addressOf(more = {}) {
  const view = state.view === "graph" ? null : state.view;
  const words = { run: state.run?.id, step: state.chosen, view, ...more };
  return `#${Object.entries(words).filter(([, value]) => value != null)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
}

function remember() {
  const address = addressOf();
  if (location.hash !== address) history.pushState(null, "", address);
}

async function followAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const id = words.get("run") ?? (state.isStatic ? staticRun.run.id : null);
  state.view = words.get("view") ?? "graph";
  if (id && id !== state.run?.id) await openRun(id);
  if (!id) {
    state.run = null;
    stream.follow({});
  }
  const line = words.has("line") ? Number(words.get("line")) : undefined;
  if (state.run) chooseStep(words.get("step") ?? firstStep(), line);
  changed();
  changedSide();
  drawView();
}

async function openRun(id) {
  try {
    state.run = runOf(await read(`/api/runs/${id}`));
    state.run.estimateAt = now();
    [state.chosen, state.other] = [null, null];
    stream.follow({ [id]: state.run.number });
  } catch (error) {
    failed(error);
  }
}

/** The step that is worth a look: one that has failed, waits or runs. */
function firstStep() {
  const { run } = state;
  for (const wanted of ["failed", "waiting", "running"]) {
    const found = run.order.find((id) => stateOf(run.byStep.get(id)) === wanted);
    if (found) return found;
  }
  return run.order[0] ?? null;
}

function chooseStep(id, line) {
  if (!state.run?.byStep.has(id)) return;
  const isNew = id !== state.chosen;
  state.chosen = id;
  if (isNew || line !== undefined) {
    parts.log.attempts(state.run.attempts.get(id) ?? []);
    parts.log.open({ run: state.run.id, step: id }, line);
  }
  parts.timeline.reveal(id);
}

// MARK: The stream

function receive({ type, data, ...status }) {
  if (type === "status") {
    [state.live, state.ended] = [status.live, status.ended ?? false];
    state.lostSince = status.live ? null : state.lostSince ?? status.since ?? Date.now();
  } else if (type === "runs") {
    const isFirst = state.project && !state.lines.length;
    state.lines = takeList(state.lines, data);
    sideIsStale = true;
    // A page that waits for a first run shows it.
    if (isFirst && state.lines.length) actions.open(state.lines[0].id);
  } else if (type === "watches") {
    state.watches = data.watches;
    sideIsStale = true;
  } else if (data.run === state.run?.id) {
    receiveRun(type, data);
  }
  draw();
}

function receiveRun(type, data) {
  const { run } = state;
  if (type === "reset") openRun(run.id).then(followAddress);
  if (type === "progress") {
    Object.assign(run.progress, data.steps);
    bodyIsStale = true;
  }
  if (type === "output" && data.steps[state.chosen]) parts.log.grown(data.steps[state.chosen]);
  if (type !== "run") return;
  const ids = takeFrame(run, data);
  if (data.estimate) run.estimateAt = now();
  if (!state.chosen) chooseStep(firstStep());
  const failedNow = data.events.find((event) => event.event === "step-failed");
  // The first failure is shown at once, unless the user reads something else.
  if (failedNow && state.isFollowing && run.byStep.has(failedNow.step)) chooseStep(failedNow.step);
  if (ids === null || ids.includes(state.chosen)) {
    parts.log.attempts(run.attempts.get(state.chosen) ?? []);
    parts.log.grown();
  }
  bodyIsStale = true;
  if (ids === null && state.view === "source") drawView();
}

function failed(error) {
  if (error instanceof APIError && error.status === 401) state.ended = true;
  say(error.message, true);
  draw();
}

async function change(path, body) {
  try {
    const done = await post(path, body);
    say(done.text);
    return done;
  } catch (error) {
    failed(error);
    return null;
  }
}

// MARK: Actions

const runPath = (what) => `/api/runs/${state.run.id}/${what}`;

function move(by) {
  const { run } = state;
  if (!run) return;
  state.isFollowing = false;
  const at = run.order.indexOf(state.chosen);
  const next = run.order[Math.min(run.order.length - 1, Math.max(0, at + by))];
  actions.choose(next);
}

function whenLive(act) {
  if (!state.run || state.isStatic) return;
  if (state.run.live) act();
  else say("the run has ended; r resumes it, R restarts it from the chosen step", true);
}

const actions = {
  // The list, and what is shown.
  filter(name) { state.filter = name; changedSide(); },
  async more() {
    const older = await read(`/api/runs?before=${state.lines.at(-1).id}`);
    state.lines = takeList(state.lines, { runs: older.runs });
    state.hasMore = older.more;
    changedSide();
  },
  async open(id, step) {
    history.pushState(null, "", `#run=${id}${step ? `&step=${encodeURIComponent(step)}` : ""}`);
    await followAddress();
  },
  choose(id) {
    state.isFollowing = false;
    chooseStep(id);
    remember();
    changed();
    if (state.view === "source") drawView();
  },
  show(view) {
    if (view === "timeline" || view === "path") state.lower = view;
    else state.view = view;
    remember();
    changed();
    drawView();
  },
  compare(other) { state.other = other; drawView(); },
  theme() {
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === "light" ? "dark" : "light";
    localStorage.setItem("theme", root.dataset.theme);
    draw();
  },
  start() {
    showStart(state.workflows, state.filter || state.run?.workflow, async (workflow, params) => {
      const done = await post("/api/runs", { workflow, params });
      say(done.text);
      await actions.open(done.run);
    });
  },
  trigger(workflow) {
    const name = typeof workflow === "string" ? workflow : state.watches[0]?.workflow;
    if (name) change(`/api/watches/${encodeURIComponent(name)}/trigger`, {});
  },
  // Keys of the terminal, by the names of its table.
  previous: () => move(-1), next: () => move(1),
  firstStep: () => move(-1e9), lastStep: () => move(1e9),
  back() {
    if (isAsking()) answer(false);
    else if (!closeSheet()) document.activeElement?.blur();
  },
  help() { showKeys(state.project?.keys ?? []); },
  graph: () => actions.show("graph"), timeline: () => actions.show("timeline"),
  restartRun() {
    if (!state.run || state.isStatic) return;
    const { run } = state;
    if (!run.live) change(runPath("restart"), {});
    else ask(`Restart all ${run.order.length} steps?`, () => change(runPath("restart"), {}));
  },
  restartStep() {
    if (!state.run || !state.chosen || state.isStatic) return;
    const from = state.chosen;
    const count = withDependents(state.run, from).size;
    const reload = el("input", { type: "checkbox", id: "reloads" });
    ask(`Restart ${count === 1 ? "1 step" : `${count} steps`} from ${from}?`, () =>
      change(runPath("restart"), { from: [from], reload: state.run.live && reload.checked }),
    state.run.live && el("label", { for: "reloads" }, reload, " read the file again"));
  },
  cancelRun() {
    whenLive(() => ask("Cancel the run?", () => change(runPath("cancel"), {})));
  },
  cancelStep() {
    const step = state.chosen;
    whenLive(() => {
      if (!isActive(state.run.byStep.get(step))) say(`${step} is not running`, true);
      else ask(`Cancel ${step}?`, () => change(runPath("cancel"), { step: [step] }));
    });
  },
  approve(step, isApproved) {
    const own = step ?? actions.question();
    if (!own) return;
    const comment = el("input", { placeholder: "Comment", "aria-label": "Comment" });
    const word = isApproved === false ? "Reject" : "Approve";
    const inputs = isApproved === false ? [] : valueInputs(state.run.byStep.get(own));
    ask(`${word} ${own}?`, () => change(runPath("approve"),
      { step: own, approved: isApproved !== false, comment: comment.value || null,
        values: Object.fromEntries(inputs.filter((input) => input.value !== "")
          .map((input) => [input.name, input.value])) }), [inputs, comment]);
  },
  reject() { if (actions.question()) actions.approve(actions.question(), false); },
  /** The chosen approval, or the only one. */
  question() {
    const waiting = state.run?.live ? questions(state.run).map((step) => step.step) : [];
    if (waiting.includes(state.chosen)) return state.chosen;
    if (waiting.length !== 1) say("choose the step that is awaiting approval", true);
    return waiting.length === 1 ? waiting[0] : null;
  },
  setDone() { setResult("success", "Count"); },
  skip() { setResult("skipped", "Skip"); },
  pauseRun() {
    whenLive(() => change(runPath(state.run.paused ? "unpause" : "pause"), {}));
  },
  reload() {
    whenLive(async () => {
      const body = { reload: true, changed: true };
      const plan = await change(runPath("restart"), { ...body, "dry-run": true });
      if (plan) ask(`${plan.text}. Do it?`, () => change(runPath("restart"), body));
    });
  },
  // The log.
  search: () => parts.log.search(), nextMatch: () => parts.log.next(),
  previousMatch: () => parts.log.previous(), firstError: () => parts.log.firstError(),
  lineUp: () => parts.log.scroll(-19), lineDown: () => parts.log.scroll(19),
  pageUp: () => parts.log.scroll(-1), pageDown: () => parts.log.scroll(1),
  top: () => parts.log.top(), bottom: () => parts.log.bottom(),
  follow: () => parts.log.toggleFollow(), wrap: () => parts.log.toggleWrap(),
  previousAttempt: () => parts.log.step(-1), nextAttempt: () => parts.log.step(1),
};

function setResult(result, word) {
  const step = state.chosen;
  const words = result === "success" ? `${word} ${step} as succeeded?` : `${word} ${step}?`;
  whenLive(() => ask(words, () => change(runPath("set"), { step: [step], result })));
}

// MARK: The beginning

async function begin() {
  const light = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
  document.documentElement.dataset.theme = localStorage.getItem("theme") ?? light;
  parts = buildPage(state, actions, { now, addressOf });
  stream = openStream(receive);
  try {
    await openSession();
    state.project = await read("/api/project");
    const [runs, workflows, watches] = await Promise.all([
      read("/api/runs"), read("/api/workflows"), read("/api/watches")]);
    [state.lines, state.hasMore] = [runs.runs, runs.more];
    [state.workflows, state.watches] = [workflows.workflows, watches.watches];
  } catch (error) {
    failed(error);
    return;
  }
  const keys = keyListener(state.project.keys, { ...actions, open: () => parts.log.focus() }, {
    isInLog: () => document.activeElement === parts.log.element,
    isBusy: isForSheet,
  });
  addEventListener("keydown", keys);
  addEventListener("popstate", followAddress);
  addEventListener("hashchange", followAddress);
  const first = state.lines.find((line) => line.status === "running") ?? state.lines[0];
  if (!location.hash && first) history.replaceState(null, "", `#run=${first.id}`);
  await followAddress();
  // Clocks, only while something runs.
  setInterval(() => { if (state.run?.live && !document.hidden) draw(); }, 250);
}

begin();
