// The right column: the chosen step, its facts, what can be done with it, and above its log.

import { el, fill, icon } from "./dom.js";
import { findingText } from "./findings.js";
import { clockText, durationText, reasonText, requesterText, secondsBetween } from "./format.js";
import { afterFailure, canRestart, isActive, isOver, nameOf, stateOf, stateWord, usualOf,
  withDependents } from "./model.js";

/** Draws title and facts of the chosen step. */
export function drawDetail(box, state, actions) {
  const { run, chosen } = state;
  const step = run?.byStep.get(chosen);
  if (!step) {
    fill(box, el("div", { class: "title" }, el("h2", {}, run ? "Choose a step" : "No run")));
    return;
  }
  const shown = stateOf(step);
  const count = withDependents(run, chosen).size;
  const label = count > 1 ? `Restart from here (${count} steps)` : "Restart this step";
  const progress = run.progress[chosen];
  const words = progress ? `${Math.round(progress.part * 100)} % ${progress.text ?? ""}`
    : stateWord(shown);
  fill(box,
    el("div", { class: "title" },
      el("h2", {}, icon(shown), nameOf(run, step.step),
        el("span", { class: "pill" }, words),
        el("button", { class: "plain close", "aria-label": "Close", onclick: () => actions.back() },
          "✕")),
      !state.isStatic && el("div", { class: "actions" },
        canRestart(run) && el("button", { class: "primary",
          onclick: () => actions.restartStep() }, label, el("kbd", {}, "R")),
        run.live && isActive(step) && run.planned.get(step.step)?.service
          && el("button", { onclick: () => actions.restartService() }, "Restart only it",
            el("kbd", {}, "O")),
        run.live && isActive(step)
          && el("button", { onclick: () => actions.cancelStep() }, "Cancel", el("kbd", {}, "C")),
        run.live && step.state !== "succeeded" && [
          el("button", { onclick: () => actions.setDone() }, "Count as done", el("kbd", {}, "D")),
          el("button", { onclick: () => actions.skip() }, "Skip", el("kbd", {}, "S")),
        ])),
    el("dl", { class: "facts" }, facts(run, step, state, actions).map(([name, value]) =>
      [el("dt", {}, name), el("dd", {}, value)])));
}

function facts(run, step, state, actions) {
  const usual = usualOf(run, step.step);
  const shown = stateOf(step);
  const found = [];
  if (nameOf(run, step.step) !== step.step) found.push(["id", step.step]);
  if (step.started && shown !== "interrupted") {
    found.push(["time", [el("b", { id: "step-time" }, stepTime(step, state.now())),
      usual && el("span", { class: "dim" }, `usually ${durationText(usual)}`)]]);
    const waited = step.ready ? secondsBetween(step.ready, step.started) : 0;
    const tries = step.attempt > 1 ? `attempt ${step.attempt}` : "";
    const held = waited > 0.05 ? `waited ${durationText(waited)}` : "";
    found.push(["started", [clockText(step.started),
      el("span", { class: "dim" }, [tries, held].filter(Boolean).join(", "))]]);
  } else if (step.started) {
    found.push(["started", clockText(step.started)]);
    const goesOn = run.surviving?.includes(step.step) ? "; its processes may go on" : "";
    found.push(["interrupted", `the engine of the run has ended${goesOn}`]);
  } else if (usual) {
    found.push(["usually", durationText(usual)]);
  }
  if (step.runner) found.push(["on", `${step.runner}${step.host ? ` (${step.host})` : ""}`]);
  if (step.queued !== undefined) found.push(["queued", step.queued || "waits there"]);
  if (step["out-of-sight"]) found.push(["out of sight", step["out-of-sight"]]);
  const reason = reasonText(step);
  if (reason && isOver(step)) {
    found.push([["failed", "not-run"].includes(shown) ? stateWord(shown) : "why",
      reason + afterFailure(run, step.step)]);
  }
  const planned = run.planned.get(step.step);
  const chips = (ids) => ids.slice(0, 30).map((id) =>
    el("button", { class: "chip", onclick: () => actions.choose(id) },
      icon(stateOf(run.byStep.get(id))), nameOf(run, id)));
  if (planned?.needs.length) found.push(["needs", chips(planned.needs)]);
  const next = run.dependents.get(step.step) ?? [];
  if (next.length) found.push(["needed by", chips(next)]);
  if (run.critical.has(step.step)) found.push(["critical", "on the critical path"]);
  for (const approval of run.generations.flatMap((generation) => generation.approvals)) {
    if (approval.step !== step.step || !approval.answer) continue;
    found.push(["approval", `${approval.answer}${requesterText(approval.by)}`]);
  }
  for (const finding of run.files?.findings ?? []) {
    if (finding.step === step.step || finding.other === step.step) {
      found.push(["files", findingText(finding)]);
    }
  }
  const outputs = Object.entries(step.outputs ?? {});
  for (const [name, value] of outputs) found.push([name, el("code", {}, value)]);
  return found;
}

/** How long a step has taken so far, or took. */
export function stepTime(step, now) {
  return durationText(secondsBetween(step.started, step.ended ?? now));
}
