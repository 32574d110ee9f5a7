// What keys and buttons do.

import { post, read } from "./api.js";
import { el } from "./dom.js";
import { canRestart, isActive, nameOf, nextOf, questions, takeList, withDependents }
  from "./model.js";
import { isFiltered, listPath } from "./filter.js";
import { countText } from "./format.js";
import { drawTheme, openDetail, systemTheme } from "./frame.js";
import { answer, ask, closeSheet, isAsking, say, showKeys, showStart, valueInputs }
  from "./sheets.js";

const notEnough = "the record of this run is not enough to run its steps again: it has secrets, "
  + "which are not recorded, or needs the program that has started it";

/** The parameters of a run, in words. */
function withParams(run) {
  const given = Object.entries(run.params).map(([name, value]) =>
    `${name} = ${value.length > 40 ? `${value.slice(0, 40)}…` : value}`);
  return given.length ? ` with ${given.join(", ")}` : "";
}

/**
 * Makes the actions by the names of the table of keys, and those of buttons. `page` has the state,
 * and what draws it again.
 */
export function makeActions(page) {
  const { state, changed, changedSide, chooseStep, draw, drawView, failed, followAddress, remember }
    = page;

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

  const runPath = (what) => `/api/runs/${state.run.id}/${what}`;

  function move(by) {
    const { run } = state;
    if (!run) return;
    state.isFollowing = false;
    const at = run.order.indexOf(state.chosen);
    const next = run.order[Math.min(run.order.length - 1, Math.max(0, at + by))];
    actions.choose(next, { isKey: true });
  }

  function whenLive(act) {
    if (!state.run || state.isStatic) return;
    if (state.run.live) act();
    else if (nextOf(state.run) === "again") say("the run has ended; r runs it again", true);
    else say("the run has ended; r resumes it, R restarts it from the chosen step", true);
  }

  const actions = {
    // The list, and what is shown.
    /** Changes which runs are listed, and reads those that are not known yet. */
    async filter(part) {
      Object.assign(state.filter, part);
      state.found = [];
      changedSide();
      await readList(null);
    },
    async more() {
      const shown = isFiltered(state.filter) ? state.found : state.lines;
      await readList(shown.at(-1)?.id);
    },
    async open(id, step) {
      history.pushState(null, "", page.addressOf({ run: id, step, view: null, other: null }));
      await followAddress();
    },
    async openProject(name) {
      history.pushState(null, "", `#project=${encodeURIComponent(name)}`);
      await followAddress();
    },
    choose(id, { isKey = false } = {}) {
      state.isFollowing = false;
      chooseStep(id);
      // Back leads to what was chosen on purpose, not through all that keys have passed.
      remember(isKey);
      if (!isKey) openDetail(true);
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
    compare(other) {
      state.other = other;
      remember();
      drawView();
    },
    theme() {
      const next = document.documentElement.dataset.theme === "light" ? "dark" : "light";
      // A theme that is that of the system follows it from then on.
      if (next === systemTheme()) localStorage.removeItem("theme");
      else localStorage.setItem("theme", next);
      drawTheme();
      draw();
    },
    start() {
      const chosen = state.filter.workflow || state.run?.workflow;
      showStart(state.workflows, chosen, async (workflow, params) => {
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
      if (isAsking()) {
        answer(false);
      } else if (!closeSheet() && !openDetail(false) && !page.timeline().showWhole()) {
        document.activeElement?.blur();
      }
    },
    help() { showKeys(state.project?.keys ?? []); },
    graph: () => actions.show("graph"), timeline: () => actions.show("timeline"),
    restartRun() {
      if (!state.run || state.isStatic) return;
      const { run } = state;
      const next = nextOf(run);
      const restart = () => change(runPath("restart"), {});
      if (next === "resume") restart();
      else if (next === "restart") {
        const { length } = run.order;
        ask(length === 1 ? "Restart the step?" : `Restart all ${length} steps?`, restart);
      }
      else if (next === "again") ask(`Run ${run.workflow} again${withParams(run)}?`, runAgain);
      else say(notEnough, true);
    },
    restartStep() {
      if (!state.run || !state.chosen || state.isStatic) return;
      if (!canRestart(state.run)) {
        say(notEnough, true);
        return;
      }
      const from = state.chosen;
      const count = withDependents(state.run, from).size;
      const reload = el("input", { type: "checkbox", id: "reloads" });
      ask(`Restart ${countText(count, "step")} from ${nameOf(state.run, from)}?`, () =>
        change(runPath("restart"), { from: [from], reload: state.run.live && reload.checked }),
      state.run.live && el("label", { for: "reloads" }, reload, " read the file again"));
    },
    restartService() {
      whenLive(() => {
        const { run, chosen } = state;
        if (!chosen) return;
        if (!run.planned.get(chosen)?.service) {
          say("not a service; R restarts from it", true);
          return;
        }
        ask(`Restart only ${nameOf(run, chosen)}? What uses it goes on.`, () =>
          change(runPath("restart"), { only: [chosen] }));
      });
    },
    cancelRun() {
      whenLive(() => ask("Cancel the run?", () => change(runPath("cancel"), {})));
    },
    cancelStep() {
      const step = state.chosen;
      whenLive(() => {
        const name = nameOf(state.run, step);
        if (!isActive(state.run.byStep.get(step))) say(`${name} is not running`, true);
        else ask(`Cancel ${name}?`, () => change(runPath("cancel"), { step: [step] }));
      });
    },
    async approve(step, isApproved) {
      const own = step ?? actions.question();
      if (!own) return;
      const comment = el("input", { placeholder: "Comment", "aria-label": "Comment" });
      const word = isApproved === false ? "Reject" : "Approve";
      const path = `/api/runs/${state.run.id}/steps/${encodeURIComponent(own)}/approval`;
      const { values } = isApproved === false ? { values: [] }
        : await read(path).catch((error) => {
          failed(error);
          return { values: null };
        });
      if (!values) return;
      const inputs = valueInputs(values);
      ask(`${word} ${nameOf(state.run, own)}?`, () => change(runPath("approve"),
        { step: own, approved: isApproved !== false, comment: comment.value || null,
          values: inputs.given() }), [inputs.labels, comment]);
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
    search: () => page.log().search(), nextMatch: () => page.log().next(),
    previousMatch: () => page.log().previous(), firstError: () => page.log().firstError(),
    lineUp: () => page.log().scroll(-19), lineDown: () => page.log().scroll(19),
    pageUp: () => page.log().scroll(-1), pageDown: () => page.log().scroll(1),
    top: () => page.log().top(), bottom: () => page.log().bottom(),
    follow: () => page.log().toggleFollow(), wrap: () => page.log().toggleWrap(),
    previousAttempt: () => page.log().step(-1), nextAttempt: () => page.log().step(1),
  };

  async function readList(before) {
    const asked = JSON.stringify(state.filter);
    try {
      const { runs, more } = await read(listPath(state.filter, before));
      if (JSON.stringify(state.filter) !== asked) return;
      const list = isFiltered(state.filter) ? "found" : "lines";
      state[list] = takeList(state[list], { runs });
      state.hasMore = more;
      changedSide();
    } catch (error) {
      failed(error);
    }
  }

  async function runAgain() {
    const done = await change(runPath("again"), {});
    if (done) await actions.open(done.run);
  }

  function setResult(result, word) {
    const step = state.chosen;
    const name = nameOf(state.run, step);
    const words = result === "success" ? `${word} ${name} as succeeded?` : `${word} ${name}?`;
    whenLive(() => ask(words, () => change(runPath("set"), { step: [step], result })));
  }

  return actions;
}
