// The left column: the history of a workflow as bars, the runs, and what starts runs.

import { calendarOf } from "./calendar.js";
import { el, fill, icon } from "./dom.js";
import { isFiltered, matches, periods, statuses } from "./filter.js";
import { durationText, momentText } from "./format.js";
import { takeList } from "./model.js";

/** Draws the column; `actions` has what its controls do. */
export function drawSide(box, state, actions) {
  const names = [...new Set([...state.workflows.map((workflow) => workflow.name),
    ...state.lines.map((line) => line.workflow)])].sort();
  const { filter } = state;
  const shown = shownLines(state);
  const workflow = filter.workflow || state.run?.workflow || shown[0]?.workflow;
  const past = state.lines.filter((line) => line.workflow === workflow).slice(0, 20).reverse();
  const lists = [".projects", ".list"];
  const tops = lists.map((one) => box.querySelector(one)?.scrollTop ?? 0);
  fill(box,
    state.projects.length > 1 && [
      el("div", { class: "side" }, "Projects"),
      el("div", { class: "projects", role: "group", "aria-label": "Projects" },
        state.projects.map((project) => projectRow(project, state, actions))),
    ],
    workflow && [
      el("div", { class: "side" }, el("span", {}, workflow), el("span", {}, median(past))),
      historyBars(past, state.run?.id, actions),
    ],
    el("div", { class: "side" }, "Runs",
      el("button", { class: "chip", onclick: () => actions.start(), disabled: state.isStatic },
        "Start…")),
    !state.isStatic && [
      el("div", { class: "filters" },
        choiceOf("Workflow", "workflow", [["", "all workflows"], ...names.map((name) =>
          [name, name])]),
        choiceOf("Status", "status", [["", "any status"], ...statuses.map((one) => [one, one])]),
        choiceOf("Time", "days", [["", "any time"], ...periods,
          ...(filter.day ? [["day", filter.day]] : [])])),
      calendarOf(state.past.filter((line) => !filter.workflow || line.workflow === filter.workflow),
        state.pastFrom, filter.day, (day) => actions.filter({ day, days: "" })),
    ],
    el("div", { class: "list" },
      shown.map((line) => runRow(line, state, actions)),
      !shown.length && isFiltered(filter) && el("p", { class: "dim note" }, "No such runs."),
      state.hasMore && el("button", { class: "plain", onclick: actions.more }, "Older runs")),
    state.watches.length > 0 && [
      el("div", { class: "side" }, "Triggers"),
      state.watches.map((watch) => trigger(watch, actions)),
    ]);
  lists.forEach((one, at) => {
    const list = box.querySelector(one);
    if (list) list.scrollTop = tops[at];
  });

  function choiceOf(label, name, options) {
    const value = String((name === "days" && filter.day ? "day" : filter[name]) ?? "");
    return el("select", { "aria-label": label, onchange: ({ target }) => {
      if (target.value !== "day") actions.filter({ [name]: target.value, day: null });
    } }, options.map(([option, text]) =>
      el("option", { value: option, selected: String(option) === value }, text)));
  }
}

function projectRow({ name, folder, lines }, state, actions) {
  const count = lines.filter((line) => ["running", "queued"].includes(line.status)).length;
  return el("button", { class: "run", title: folder, "aria-current": String(
    name === state.project.name), onclick: () => actions.openProject(name) },
  icon(count ? "running" : "pending"), el("span", {}, el("b", {}, name)),
  el("span", { class: "took" }, count ? `${count} live` : ""));
}

/** The runs of the list: those that are known, and those that were found for the filter. */
function shownLines(state) {
  if (!isFiltered(state.filter)) return state.lines;
  return takeList(state.found, { runs: state.lines }).filter((line) => matches(state.filter, line));
}

function median(past) {
  const times = past.filter((line) => line.status === "succeeded").map((line) => line.seconds)
    .sort((a, b) => a - b);
  return times.length ? `median ${durationText(times[Math.floor(times.length / 2)])}` : "";
}

function historyBars(past, current, actions) {
  const longest = Math.max(1, ...past.map((line) => line.seconds ?? 0));
  const box = el("div", { class: "history", role: "group", "aria-label": "History" });
  for (const line of past) {
    const words = `run ${line.id}, ${line.status}, ${durationText(line.seconds)}`;
    const bar = el("button", { class: `b-${line.status}`, title: words, "aria-label": words,
      onclick: () => actions.open(line.id) });
    if (line.id === current) bar.setAttribute("aria-current", "true");
    bar.style.height = `${4 + 42 * ((line.seconds ?? 0) / longest)}px`;
    box.append(bar);
  }
  return box;
}

function runRow(line, state, actions) {
  const waits = line["awaiting-approval"]?.length ? "waiting" : line.status;
  const doing = waits === "waiting" ? `awaiting approval: ${line["awaiting-approval"].join(", ")}`
    : (line.running ?? []).slice(0, 3).join(", ");
  const generation = line.generation > 1 ? `generation ${line.generation}` : "";
  const isLive = line.status === "running" || line.status === "queued";
  const took = isLive ? momentText(line.started) : durationText(line.seconds);
  const more = [isLive ? line.status : momentText(line.started), generation, doing].filter(Boolean);
  return el("button", { class: "run", "aria-current": String(line.id === state.run?.id),
    onclick: () => actions.open(line.id) },
  icon(waits), el("span", {}, el("b", {}, line.workflow)), el("span", { class: "took" }, took),
  el("span", { class: "more" }, `${line.id} · ${more.join(" · ")}`),
  el("span", { class: "aside" }, line.status));
}

function trigger(watch, actions) {
  const what = watch.state === "watching" ? watch.triggers.join("; ") : watch.state;
  const waiting = watch.waiting ? `${watch.waiting} waiting` : "";
  const next = watch.next ? `next ${momentOf(watch.next)}` : "";
  return el("div", { class: "trigger", title: watch.triggers.join("; ") }, icon("trigger"),
    el("span", {}, watch.workflow, " ",
      el("span", { class: "dim" }, [what, waiting, next].filter(Boolean).join(" · "))),
    watch.state === "watching" && el("button", { class: "chip",
      onclick: () => actions.trigger(watch.workflow) }, "Trigger"));
}

function momentOf(iso) {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date().toDateString();
  const clock = date.toTimeString().slice(0, 5);
  return isToday ? clock : `${date.toLocaleDateString("en", { weekday: "short" })} ${clock}`;
}
