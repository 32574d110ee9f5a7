// The top of the page: the run, its state, its times, the buttons for it, and the approvals.

import { el, fill, icon } from "./dom.js";
import { beginningText, durationText, secondsBetween } from "./format.js";
import { counts, nameOf, nextOf, questions } from "./model.js";

/** Draws the bar. */
export function drawBar(box, state, actions) {
  const { run } = state;
  const name = state.projects.length > 1 ? encodeURIComponent(state.project.name) : null;
  const brand = el("a", { class: "brand", href: name ? `#project=${name}` : "#",
    "aria-label": "Reprise, all runs" }, icon("brand"), "reprise");
  if (!run) {
    fill(box, brand, el("span", { class: "crumbs" }, state.project?.name ?? ""),
      el("span", { class: "grow" }), themeButton(actions));
    return;
  }
  const generation = run.generations.at(-1);
  const words = run.paused ? "paused" : run.status === "running" && run.phase !== "ended"
    ? run.phase : run.status;
  fill(box, brand,
    el("span", { class: "crumbs" }, el("span", { class: "dim wide" }, state.project?.name ?? ""),
      el("b", {}, run.workflow), el("code", { class: "dim" }, run.id)),
    el("span", { class: "pill" }, icon(run.status), words),
    run.generation > 1 && generation && el("span", { class: "pill" }, icon("again"),
      `generation ${run.generation} · ${beginningText(generation)}`),
    el("span", { class: "grow" }), el("span", { class: "clock", id: "clock" }),
    !state.isStatic && [
      nextOf(run) && el("button", { class: "primary", onclick: actions.restartRun },
        { restart: "Restart", resume: "Resume", again: "Run again" }[nextOf(run)],
        el("kbd", {}, "r")),
      run.live && [
        el("button", { onclick: actions.pauseRun }, run.paused ? "Continue" : "Pause",
          el("kbd", {}, "p")),
        el("button", { onclick: actions.reload, title: "Read the workflow file again" }, "Reload",
          el("kbd", {}, "u")),
        el("button", { onclick: actions.cancelRun }, "Cancel", el("kbd", {}, "c")),
      ],
    ],
    themeButton(actions));
}

function themeButton(actions) {
  return el("button", { "aria-label": "Light or dark", title: "Light or dark",
    onclick: actions.theme }, "◐");
}

/** Updates the clock and the meter, which change while nothing else does. */
export function drawClock(state, now) {
  const { run } = state;
  const clock = document.getElementById("clock");
  const meter = document.getElementById("meter");
  if (!run || !clock) return fill(meter);
  const counted = counts(run);
  const sum = (names) => names.reduce((total, name) => total + (counted[name] ?? 0), 0);
  const ended = sum(["succeeded", "failed", "skipped", "cancelled", "not-run"]);
  const all = sum(Object.keys(counted));
  const took = run.live ? secondsBetween(run.started, now) : run.seconds;
  let rest = null;
  if (run.estimate && run.live) {
    // The estimate is as old as the last message. While nothing runs, nothing gets done.
    const since = counted.running ? secondsBetween(run.estimateAt ?? now, now) : 0;
    rest = Math.max(1, run.estimate.seconds - since);
  }
  fill(clock, el("span", {}, el("b", {}, durationText(took))),
    rest != null && el("span", {}, "about ", el("b", {}, durationText(rest)), " left"),
    el("span", {}, `${counted.succeeded ?? 0} of ${all} done`));
  meter.setAttribute("aria-valuemax", all);
  meter.setAttribute("aria-valuenow", ended);
  const order = ["succeeded", "failed", "cancelled", "not-run", "skipped", "interrupted", "running",
    "waiting", "ready", "pending"];
  return fill(meter, order.filter((name) => counted[name]).map((name) => {
    const part = el("i", { class: `b-${name}` });
    part.style.flex = String(counted[name]);
    return part;
  }));
}

/** Draws the notices of a run, and the questions that wait for an answer. */
export function drawBanner(box, state, actions) {
  const { run } = state;
  const waiting = run?.live && !state.isStatic ? questions(run) : [];
  const notices = run?.notices ?? [];
  box.hidden = waiting.length + notices.length === 0;
  fill(box,
    notices.map((text) => el("div", { class: "notice" }, el("b", {}, "Notice:"), " ", text)),
    waiting.slice(0, 3).map((step) => question(run, step, actions)),
    waiting.length > 3 && el("div", { class: "dim" }, `and ${waiting.length - 3} more`));
}

function question(run, step, actions) {
  return el("div", { class: "question" }, icon("waiting"),
    el("span", {}, el("b", {}, nameOf(run, step.step)), " ", step["awaiting-approval"]),
    el("span", { class: "grow" }),
    el("button", { class: "yes", onclick: () => actions.approve(step.step, true) }, "Approve",
      el("kbd", {}, "a")),
    el("button", { onclick: () => actions.approve(step.step, false) }, "Reject",
      el("kbd", {}, "x")));
}
