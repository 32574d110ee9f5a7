// Which runs are listed: of a workflow, with a status, since some days or of one day. Pure.

/** The statuses by which runs can be chosen. */
export const statuses = ["running", "queued", "succeeded", "failed", "cancelled", "timed-out",
  "interrupted", "abandoned", "skipped"];

/** The times by which runs can be chosen, in days. */
export const periods = [[1, "today"], [7, "7 days"], [30, "30 days"], [90, "90 days"]];

/** The local day of a time, such as `2026-11-28`. */
export function dayOf(time) {
  const date = new Date(time);
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The midnight before a number of days, counted with today. */
export function startOfDays(days, now = new Date()) {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days + 1);
}

/** Whether anything is left out of the list. */
export function isFiltered(filter) {
  return Boolean(filter.workflow || filter.status || filter.days || filter.day);
}

/** The first and the last moment; null where there is no limit. */
function limits({ days, day }) {
  if (day) {
    const [year, month, date] = day.split("-").map(Number);
    return [new Date(year, month - 1, date), new Date(year, month - 1, date + 1)];
  }
  return [days ? startOfDays(days) : null, null];
}

/** Whether a run is listed. */
export function matches(filter, line) {
  const [since, until] = limits(filter);
  const started = Date.parse(line.started);
  return (!filter.workflow || line.workflow === filter.workflow)
    && (!filter.status || line.status === filter.status)
    && (!since || started >= since) && (!until || started < until);
}

/** The request for the runs that are listed, before one of them if it is given. */
export function listPath(filter, before, limit) {
  const [since, until] = limits(filter);
  const iso = (date) => date?.toISOString().replace("Z", "000Z");
  const words = { workflow: filter.workflow, status: filter.status, since: iso(since),
    until: iso(until), before, limit };
  const query = Object.entries(words).filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return `/api/runs${query ? `?${query}` : ""}`;
}
