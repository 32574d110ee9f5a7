// Durations, times and words of states. Pure.

/** The time between two ISO times, in seconds; null without a start. */
export function secondsBetween(from, to) {
  return from ? Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000) : null;
}

/** A duration such as `0.4 s`, `12 s`, `3:34` or `1:02:03`. */
export function durationText(seconds) {
  if (seconds == null) return "";
  if (seconds < 0) return durationText(0);
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** When something happened, in words: `now`, `12 s ago`, `14:05`, `Friday 14:05`, `2026-11-20`. */
export function momentText(iso, now = Date.now()) {
  const then = Date.parse(iso);
  const seconds = (now - then) / 1000;
  if (seconds < 5) return "now";
  if (seconds < 60) return `${Math.floor(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  const date = new Date(then);
  const clock = date.toTimeString().slice(0, 5);
  if (date.toDateString() === new Date(now).toDateString()) return clock;
  if (seconds < 6 * 86400) {
    return `${date.toLocaleDateString("en", { weekday: "long" })} ${clock}`;
  }
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The local time of day with milliseconds. */
export function clockText(iso) {
  const date = new Date(iso);
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** A number with its noun: `1 step`, `2 steps`. */
export function countText(count, noun) { return `${count} ${noun}${count === 1 ? "" : "s"}`; }

/** Bytes in a readable unit. */
export function bytesText(count) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (count >= 1024 && unit < units.length - 1) {
    count /= 1024;
    unit += 1;
  }
  return unit ? `${count.toFixed(1)} ${units[unit]}` : countText(count, "byte");
}

/** Why a step ended as it did, in words. */
export function reasonText(step) {
  const { reason } = step;
  if (reason) {
    switch (reason.kind) {
      case "exited": return `exited with status ${reason.status}`;
      case "signalled": return `terminated by signal ${reason.signal}`;
      case "timed-out": return `timed out after ${durationText(reason.seconds)}`;
      case "rejected": return "its approval was rejected";
      default: return reason.text ?? reason.kind;
    }
  }
  return step["not-run"] ?? step.text ?? "";
}

/** Who asked for something, in words. */
export function requesterText(by) {
  if (!by) return "";
  const person = by.user ? `${by.user}, ` : "";
  const isKey = by.kind === "key" || by.kind === "attach";
  const name = isKey ? `key ${by.name ?? ""}` : by.name ?? by.kind;
  return ` by ${person}${name}${by.comment ? `: ${by.comment}` : ""}`;
}

/** How a generation began, in words. */
export function beginningText(generation) {
  const from = generation.from?.length ? ` from ${generation.from.join(", ")}` : "";
  switch (generation.beginning) {
    case "restarted": return `restarted${from}${requesterText(generation.by)}`;
    case "resumed": return `resumed${requesterText(generation.by)}`;
    default: return "started";
  }
}

// Characters that would be invisible, or reorder others.
const hidden = new RegExp("[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e"
  + "\\u2066-\\u2069\\ufeff]", "g");

/** Text in which characters that would be invisible, or reorder others, are shown as numbers. */
export function visible(text) {
  return text.replace(hidden, numberOf);
}

/** Whether {@link visible} changes a character. */
export function isHidden(character) { return visible(character) !== character; }

function numberOf(character) {
  return `‹U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}›`;
}
