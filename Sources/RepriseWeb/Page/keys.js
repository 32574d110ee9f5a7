// The keys of the page: those of the terminal, from the table that the server sends.

/** Returns a listener for keys; `actions` are called by the names of the table. */
export function keyListener(table, actions, { isInLog, isBusy }) {
  const byPlace = { steps: new Map(), log: new Map(), watch: new Map() };
  for (const row of table) {
    for (const key of row.keys) byPlace[row.place]?.set(key, row.action);
  }
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isBusy(event)) return;
    if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
    if (event.target.tagName === "BUTTON" && ["Enter", " "].includes(event.key)) return;
    const places = isInLog() ? ["log", "steps"] : ["steps", "watch", "log"];
    for (const place of places) {
      const action = byPlace[place].get(event.key);
      // Outside the log, its keys would hide those of the browser.
      const isFree = place !== "log" || isInLog() || event.key === "/";
      if (!action || !isFree || !actions[action]) continue;
      event.preventDefault();
      actions[action]();
      return;
    }
  };
}
