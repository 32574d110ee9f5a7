// The page: its state, what the stream changes in it, and what keys and buttons do.

import { makeActions } from "./actions.js";
import { APIError, openSession, openStream, read, staticRun, useProject } from "./api.js";
import { calendarDays } from "./calendar.js";
import { drawDetail, stepTime } from "./detail.js";
import { byId, el, fill, onceAFrame } from "./dom.js";
import { showFiles } from "./files.js";
import { listPath, startOfDays } from "./filter.js";
import { visible } from "./format.js";
import { followTheme, openDetail } from "./frame.js";
import { legend } from "./graph.js";
import { drawBanner, drawBar, drawClock } from "./head.js";
import { keyListener } from "./keys.js";
import { counts, firstStep, isAllowedToFail, isDone, nameOf, runOf, takeFrame, takeLine, takeList }
  from "./model.js";
import { buildPage } from "./page.js";
import { isForSheet, say } from "./sheets.js";
import { drawSide } from "./side.js";
import { showComparison, showSource, showTable } from "./views.js";

const state = {
  project: null, projects: [], lines: [], workflows: [], watches: [], hasMore: false,
  filter: {}, found: [], past: [], pastFrom: null,
  run: null, chosen: null, view: "graph", lower: "timeline", other: null,
  live: true, lostSince: null, isStatic: staticRun !== null, isFollowing: true, now,
};
let stream = null;
// The project that is being read: its name, and what becomes of it.
let opening = null;
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
  for (const part of parts.logParts) part.hidden = !run;
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
  const isLost = !state.live || state.ended;
  foot.className = isLost ? "live lost" : "live";
  foot.lastChild.textContent = state.isStatic ? "a file: nothing changes any more"
    : state.live && !state.ended ? `live · ${location.host}` : state.ended
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
    if (state.view === "files") await showFiles(parts.other, state.run, failed);
  } catch (error) {
    fill(parts.other, el("p", { class: "welcome" }, error.message));
  }
}

// MARK: Addresses

function addressOf(more = {}) {
  const view = state.view === "graph" ? null : state.view;
  const other = view === "compare" ? state.other : null;
  const project = state.projects.length > 1 ? state.project?.name : null;
  const words = { project, run: state.run?.id, step: state.chosen, view, other, ...more };
  return `#${Object.entries(words).filter(([, value]) => value != null)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
}

/** Puts what is shown into the address: in place of the last one, or as one to go back to. */
function remember(isReplaced = false) {
  const address = addressOf();
  if (location.hash === address) return;
  if (isReplaced) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
}

async function followAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const isOpened = await openProject(words.get("project"));
  if (!state.project) return;
  let id = words.get("run") ?? (state.isStatic ? staticRun.run.id : null);
  if (isOpened && !id) {
    // What is worth a look in a project that has just been opened.
    id = (state.lines.find((line) => line.status === "running") ?? state.lines[0])?.id;
    history.replaceState(null, "", addressOf({ run: id, step: null }));
  }
  state.view = words.get("view") ?? "graph";
  if (id && id !== state.run?.id) await openRun(id);
  if (!id) {
    state.run = null;
    stream.follow({});
  }
  state.other = words.get("other");
  const line = words.has("line") ? Number(words.get("line")) : undefined;
  state.isFollowing = !words.has("step");
  openDetail(words.has("step"));
  if (state.run) chooseStep(words.get("step") ?? firstStep(state.run), line);
  changed();
  changedSide();
  drawView();
}

/**
 * Shows a project, unless it is shown; null means the one that is shown, or else the first.
 *
 * Returns whether another one is shown now.
 */
async function openProject(name) {
  if (state.project && (name ?? state.project.name) === state.project.name) {
    // One that was being read is not wanted any more.
    opening = null;
    useProject(state.project.name);
    return false;
  }
  // One change of the address can have several events.
  if (opening?.name !== name) opening = { name, done: readProject(name) };
  return opening.done;
}

async function readProject(name) {
  const before = state.project?.name ?? null;
  useProject(name);
  try {
    const project = await read("/api/project");
    const [runs, workflows, watches] = await Promise.all([
      read("/api/runs"), read("/api/workflows"), read("/api/watches")]);
    // The user may have chosen yet another one.
    if (opening?.name !== name) return false;
    opening = null;
    const known = new Map(state.projects.map((one) => [one.name, one.lines]));
    Object.assign(state, { project, lines: runs.runs, hasMore: runs.more, run: null, chosen: null,
      workflows: workflows.workflows, watches: watches.watches, found: [], past: [], pastFrom: null,
      filter: { workflow: "", status: "", days: "", day: null },
      projects: project.projects.map((one) => ({ ...one, lines: known.get(one.name) ?? [] })) });
    useProject(project.name);
    readPast();
    return true;
  } catch (error) {
    failed(error);
    if (opening?.name !== name) return false;
    opening = null;
    useProject(before);
    // An address may be older than the page.
    return !state.project && error.status === 404 && openProject(null);
  }
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

function chooseStep(id, line) {
  if (!state.run?.byStep.has(id)) return;
  const isNew = id !== state.chosen;
  state.chosen = id;
  if (isNew || line !== undefined) {
    parts.log.attempts(state.run.attempts.get(id) ?? []);
    // Another project may have been chosen already, of which nothing is shown yet.
    const project = state.project.name;
    parts.log.open({ project, run: state.run.id, step: id, name: nameOf(state.run, id) }, line);
  }
  parts.timeline.reveal(id);
}

// MARK: The stream

function receive({ type, data, ...status }) {
  if (type === "status") {
    [state.live, state.ended] = [status.live, status.ended ?? false];
    state.lostSince = status.live ? null : state.lostSince ?? status.since ?? Date.now();
  } else if (data.project && data.project !== state.project.name) {
    if (type === "runs") countRuns(data);
  } else if (type === "runs") {
    countRuns(data);
    const isFirst = state.project && !state.lines.length;
    state.lines = takeList(state.lines, data);
    state.past = takeList(state.past, data);
    state.found = state.found.filter((one) => !data.removed?.includes(one.id));
    sideIsStale = true;
    const line = data.runs.find((one) => one.id === state.run?.id);
    if (line && takeLine(state.run, line)) readAgain(line.id);
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

/** Takes what the list says of how many runs of a project are live. */
function countRuns(data) {
  const own = state.projects.find((one) => one.name === data.project);
  if (own) own.lines = takeList(own.lines, data);
  sideIsStale = true;
}

/** Reads the run again that is shown, since it has ended without an event that says so. */
async function readAgain(id) {
  changed();
  try {
    const run = runOf(await read(`/api/runs/${id}`));
    if (state.run?.id !== id || run.number < state.run.number) return;
    state.run = run;
    parts.log.attempts(run.attempts.get(state.chosen) ?? []);
    stream.follow({ [id]: run.number });
    changed();
  } catch (error) {
    failed(error);
  }
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
  if (!state.chosen) chooseStep(firstStep(run));
  const failedNow = data.events.find((event) => event.event === "step-failed"
    && run.byStep.has(event.step) && !isAllowedToFail(run, event.step));
  // The first failure is shown at once, and else what runs, unless the user reads something else.
  if (state.isFollowing && failedNow) chooseStep(failedNow.step);
  else if (state.isFollowing && run.live && isDone(run, state.chosen)) chooseStep(firstStep(run));
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

const actions = makeActions({ state, changed, changedSide, chooseStep, draw, drawView, failed,
  followAddress, remember, addressOf, log: () => parts.log, timeline: () => parts.timeline });

// MARK: The beginning

/** Reads the runs of the calendar: of the last weeks, or the newest ones if they are too many. */
async function readPast() {
  if (state.isStatic) return;
  try {
    const past = await read(listPath({ days: calendarDays }, null, 500));
    state.past = takeList(state.past, { runs: past.runs });
    const oldest = past.more ? new Date(past.runs.at(-1).started) : startOfDays(calendarDays);
    // Of the oldest day, not all runs are known.
    state.pastFrom = past.more ? new Date(oldest.getTime() + 86_400_000) : oldest;
    changedSide();
  } catch (error) {
    failed(error);
  }
}

async function begin() {
  followTheme(draw);
  parts = buildPage(state, actions, { now, addressOf });
  stream = openStream(receive);
  try {
    await openSession();
  } catch (error) {
    failed(error);
    return;
  }
  await followAddress();
  if (!state.project) return;
  const keys = keyListener(state.project.keys, { ...actions, open: () => parts.log.focus() }, {
    isInLog: () => document.activeElement === parts.log.element,
    isBusy: isForSheet,
  });
  addEventListener("keydown", keys);
  byId("scrim").addEventListener("click", () => actions.back());
  addEventListener("popstate", followAddress);
  addEventListener("hashchange", followAddress);
  // Clocks, only while something runs.
  setInterval(() => { if (state.run?.live && !document.hidden) draw(); }, 250);
}

begin();
