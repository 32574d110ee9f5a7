// A run as the page shows it: the report of the server, and what the stream changes in it. Pure.

/** Makes a run of its report. */
export function runOf(report) {
  const run = { ...report, progress: {}, outputs: {} };
  run.byStep = new Map(report.steps.map((step) => [step.step, step]));
  run.attempts = new Map();
  for (const generation of report.generations) {
    for (const attempt of generation.attempts) addAttempt(run, attempt, generation.generation);
  }
  indexPlan(run);
  markLost(run);
  return run;
}

/**
 * Takes the line of the list for a run. Returns whether the run has to be read again: nothing is
 * recorded when an engine dies, so that only the list says that a run has ended.
 */
export function takeLine(run, line) {
  if (!run.live || !["interrupted", "abandoned"].includes(line.status)) return false;
  Object.assign(run, line, { live: false, estimate: null, paused: undefined });
  markLost(run);
  return true;
}

/** Marks the steps of a run without an engine that nobody watches any more. */
function markLost(run) {
  if (run.live) return;
  for (const [id, step] of run.byStep) {
    if (isActive(step)) run.byStep.set(id, { ...step, state: "interrupted" });
  }
  run.progress = {};
  run.countedAt = null;
}

function indexPlan(run) {
  const steps = run.plan?.steps ?? [];
  run.order = steps.map((step) => step.id);
  run.planned = new Map(steps.map((step) => [step.id, step]));
  run.dependents = new Map(run.order.map((id) => [id, []]));
  for (const step of steps) for (const need of step.needs) run.dependents.get(need)?.push(step.id);
  indexPath(run);
}

function indexPath(run) {
  run.critical = new Set((run["critical-path"] ?? []).map((link) => link.step));
}

function addAttempt(run, attempt, generation) {
  let all = run.attempts.get(attempt.step);
  if (!all) run.attempts.set(attempt.step, (all = []));
  const entry = { ...attempt, generation };
  const at = all.findIndex((other) =>
    other.generation === generation && other.attempt === attempt.attempt);
  if (at >= 0) all[at] = entry;
  else all.push(entry);
}

/**
 * Takes a message of the stream.
 *
 * Returns the ids of the steps that it changes; null if it changes the plan or everything.
 */
export function takeFrame(run, frame) {
  // One without events has the same number, and what takes the server longer.
  if (frame.number < run.number) return [];
  run.number = frame.number;
  Object.assign(run, frame.line, { phase: frame.phase, paused: frame.paused });
  if (!frame.line["awaiting-approval"]) delete run["awaiting-approval"];
  run.live = ["running", "queued"].includes(run.status);
  if (frame.estimate || run.phase === "ended") run.estimate = frame.estimate;
  if (frame["critical-path"]) run["critical-path"] = frame["critical-path"];
  if (frame.notices) run.notices = frame.notices;
  if (frame.generations) {
    run.generations = frame.generations;
    run.attempts = new Map();
    for (const generation of frame.generations) {
      for (const attempt of generation.attempts) addAttempt(run, attempt, generation.generation);
    }
  }
  for (const attempt of frame.attempts) addAttempt(run, attempt, attempt.generation);
  const ids = frame.steps.map((step) => step.step);
  if (frame.plan) {
    run.plan = frame.plan;
    run.byStep = new Map(frame.steps.map((step) => [step.step, step]));
  } else {
    for (const step of frame.steps) run.byStep.set(step.step, step);
  }
  for (const id of ids) if (!isActive(run.byStep.get(id))) delete run.progress[id];
  markLost(run);
  if (frame.plan) indexPlan(run);
  else if (frame["critical-path"]) indexPath(run);
  return frame.plan ? null : ids;
}

/** What is shown for a step or group: its name, or `compile (O2, cc)` for the id `compile[3]`. */
export function nameOf(run, id) {
  const planned = run.planned.get(id);
  const name = planned?.name ?? run.plan?.["group-names"]?.[id];
  if (name) return name;
  const label = planned?.label ?? run.byStep.get(id)?.label;
  return label ? `${id.replace(/\[\d+\]$/, "")} (${label})` : id;
}

/**
 * The state of a step as it is drawn: `waiting` is one that awaits an approval, `not-run` one that
 * was cancelled before it began.
 */
export function stateOf(step) {
  if (!step) return "pending";
  if (step["not-run"] != null) return "not-run";
  return ["ready", "running"].includes(step.state) && step["awaiting-approval"] ? "waiting"
    : step.state;
}

/** The word for a state as it is drawn. */
export function stateWord(state) { return state === "not-run" ? "not run" : state; }

/** Whether a step is at work, or waits for somebody. */
export function isActive(step) {
  return ["running", "waiting"].includes(stateOf(step));
}

/** Whether a step has ended. */
export function isOver(step) {
  return ["succeeded", "failed", "cancelled", "skipped"].includes(step?.state);
}

/** The number of steps in each state; counted once for each message. */
export function counts(run) {
  if (run.countedAt === run.number) return run.counted;
  const result = {};
  for (const id of run.order) {
    // What was expanded does not count: its items do.
    if (run.planned.get(id)?.items) continue;
    const state = stateOf(run.byStep.get(id));
    result[state] = (result[state] ?? 0) + 1;
  }
  [run.countedAt, run.counted] = [run.number, result];
  return result;
}

/** The usual duration of a step in seconds; undefined if it is unknown. */
export function usualOf(run, id) {
  return run.planned.get(id)?.["usual-seconds"];
}

/** A step and all that depends on it; found once for each plan. */
export function withDependents(run, id) {
  if (run.closureOf?.id === id && run.closureOf.plan === run.plan) return run.closureOf.found;
  const found = new Set([id]);
  const rest = [id];
  while (rest.length) {
    for (const next of run.dependents.get(rest.pop()) ?? []) {
      if (!found.has(next)) {
        found.add(next);
        rest.push(next);
      }
    }
  }
  run.closureOf = { id, plan: run.plan, found };
  return found;
}

/** What the first button does to a run, by the name of its path in the API; null if nothing. */
export function nextOf(run) {
  if (run.live) return "restart";
  if (["succeeded", "skipped"].includes(run.status)) return run["can-start-again"] ? "again" : null;
  return run["can-resume"] ? "resume" : null;
}

/** Whether steps of a run can run again. */
export function canRestart(run) { return run.live || run["can-resume"]; }

/** The questions that wait for an answer. */
export function questions(run) {
  return run.order.map((id) => run.byStep.get(id))
    .filter((step) => stateOf(step) === "waiting");
}

/** Applies a message about the list of runs, newest first. */
export function takeList(lines, { runs, removed }) {
  const known = new Map(lines.map((line) => [line.id, line]));
  for (const id of removed ?? []) known.delete(id);
  for (const line of runs) known.set(line.id, line);
  return [...known.values()].sort((a, b) => (a.started < b.started ? 1 : -1));
}

/** Whether the run goes on when the step fails. */
export function isAllowedToFail(run, id) {
  return run.planned.get(id)?.["continue-on-error"] === true;
}

/** What is said after a step that has failed, if the run goes on all the same. */
export function afterFailure(run, id) {
  return run.byStep.get(id)?.state === "failed" && isAllowedToFail(run, id)
    ? "; the run continues" : "";
}

/** Whether there is nothing more to see of a step: it has ended, and has not stopped the run. */
export function isDone(run, id) {
  const step = run.byStep.get(id);
  return isOver(step) && (step.state !== "failed" || isAllowedToFail(run, id));
}

/**
 * The step that is worth a look: one that has failed, unless the run goes on all the same, or that
 * waits or runs.
 */
export function firstStep(run) {
  for (const wanted of ["failed", "waiting", "running", "interrupted"]) {
    const found = run.order.find((id) => stateOf(run.byStep.get(id)) === wanted
      && !(wanted === "failed" && isAllowedToFail(run, id)));
    if (found) return found;
  }
  const states = (id) => stateOf(run.byStep.get(id));
  return run.order.find((id) => states(id) === "failed") ?? run.order[0] ?? null;
}
