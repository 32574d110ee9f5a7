// The worker that holds the one stream of a browser, for all tabs.

const ports = new Map(); // port → the runs that its page shows, with their positions
const positions = new Map(); // run → the number of its events that have been received
let session = "";
let source = null;
let retry = null;
let delay = 500;
let lostSince = null;

function send(message, onlyTo = () => true) {
  for (const [port, runs] of ports) if (onlyTo(runs)) port.postMessage(message);
}

function followed() {
  const ids = new Set();
  for (const runs of ports.values()) for (const id of Object.keys(runs)) ids.add(id);
  return ids;
}

/** Connects again, from where the last connection ended. */
function connect() {
  clearTimeout(retry);
  source?.close();
  const marks = [...followed()].map((id) => `${id}:${positions.get(id) ?? 0}`).join(",");
  source = new EventSource(`/api/events?session=${session}${marks ? `&run=${marks}` : ""}`);
  source.onopen = () => {
    delay = 500;
    lostSince = null;
    send({ type: "status", live: true });
  };
  source.onerror = () => {
    source.close();
    lostSince ??= Date.now();
    send({ type: "status", live: false, since: lostSince });
    retry = setTimeout(connect, delay);
    delay = Math.min(delay * 2, 5000);
    if (delay >= 2000) checkSession();
  };
  for (const type of ["runs", "watches", "progress", "output", "run", "reset"]) {
    source.addEventListener(type, (event) => received(type, JSON.parse(event.data)));
  }
}

async function checkSession() {
  const response = await fetch("/api/project", { headers: { "X-Reprise": session } })
    .catch(() => null);
  if (response?.status === 401) send({ type: "status", live: false, ended: true });
}

function received(type, data) {
  if (type === "run") {
    positions.set(data.run, data.number);
    // The state is in the message; of the events, pages only look for failures.
    data.events = data.events.filter((event) => event.event === "step-failed");
  }
  if (type === "reset") positions.delete(data.run);
  send({ type, data }, (runs) => !data.run || data.run in runs);
}

function follow(port, runs, itsSession) {
  const isNew = !ports.has(port) || session !== itsSession;
  session = itsSession;
  const before = followed();
  ports.set(port, runs);
  let isChanged = isNew || [...before].some((id) => !followed().has(id));
  for (const [id, number] of Object.entries(runs)) {
    const known = positions.get(id);
    if (before.has(id) && known > number) {
      // What came in between went to other tabs only.
      port.postMessage({ type: "reset", data: { run: id } });
    } else if (!before.has(id)) {
      positions.set(id, number);
      isChanged = true;
    }
  }
  // A new page needs the list, with which each connection begins.
  if (isChanged || !source) connect();
  else if (lostSince == null) port.postMessage({ type: "status", live: true });
}

function serve(port) {
  port.onmessage = (event) => {
    if (event.data.leaves) {
      ports.delete(port);
      if (!ports.size) {
        clearTimeout(retry);
        source?.close();
        source = null;
      }
    } else {
      follow(port, event.data.follow, event.data.session);
    }
  };
}

if (typeof self.SharedWorkerGlobalScope === "function") {
  self.onconnect = (event) => serve(event.ports[0]);
} else {
  serve({ postMessage: (message) => self.postMessage(message),
    set onmessage(listener) { self.onmessage = listener; } });
}
