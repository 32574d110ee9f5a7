// The runs of the last weeks, a square for each day.

import { el } from "./dom.js";
import { dayOf, startOfDays } from "./filter.js";
import { countText } from "./format.js";

/** The number of days that are drawn: whole weeks, the last one up to today. */
export const calendarDays = 84;

/**
 * Makes the calendar of some runs. `from` is the first moment of which all runs are known; days
 * before it are not drawn. Null if there are no two days with runs.
 */
export function calendarOf(lines, from, chosen, choose) {
  const days = new Map();
  for (const line of lines) {
    const day = dayOf(line.started);
    const counted = days.get(day) ?? { runs: 0, bad: 0 };
    counted.runs += 1;
    if (["failed", "timed-out", "abandoned", "interrupted"].includes(line.status)) counted.bad += 1;
    days.set(day, counted);
  }
  if (days.size < 2) return null;
  const most = Math.max(...[...days.values()].map(({ runs }) => runs));
  const today = new Date();
  const weekday = (today.getDay() + 6) % 7;
  const box = el("div", { class: "calendar", role: "group", "aria-label": "Runs of each day" });
  for (let back = calendarDays - 7 + weekday; back >= 0; back -= 1) {
    const date = startOfDays(back + 1, today);
    box.append(square(date, days.get(dayOf(date)), most, from, chosen, choose));
  }
  return box;
}

function square(date, counted, most, from, chosen, choose) {
  const day = dayOf(date);
  if (date < from && dayOf(from) !== day) return el("i");
  const name = date.toLocaleDateString("en", { weekday: "long", day: "numeric", month: "long" });
  const count = counted?.runs ?? 0;
  const bad = counted?.bad ? `, ${counted.bad} failed` : "";
  const words = `${name}: ${countText(count, "run")}${bad}`;
  if (!count) return el("i", { class: "day", title: words });
  const button = el("button", { class: `day b-${bad ? "failed" : "succeeded"}`, title: words,
    "aria-label": words, "aria-pressed": String(day === chosen),
    onclick: () => choose(day === chosen ? null : day) });
  button.style.opacity = String(0.4 + 0.6 * (count / most));
  return button;
}
