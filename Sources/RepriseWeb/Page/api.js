// Talks to the server, or reads the data of a page in one file.

/** The data of a page without a server; null on a live page. */
export const staticRun = JSON.parse(document.getElementById("static-run")?.textContent ?? "null");

/** An answer that is an error. */
export class APIError extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/**
 * The session: a field of each request. The storage belongs to this address with its port and is
 * shared by all tabs, while a cookie would also be sent to the servers of other users.
 */
const session = () => localStorage.getItem("session") ?? "";

/** Trades the token in the address for the session, and removes it from the address. */
export async function openSession() {
  const token = /[#&]token=([0-9a-f]+)/.exec(location.hash)?.[1];
  if (!token || staticRun) return;
  const rest = location.hash.replace(/&?token=[0-9a-f]+/, "").replace(/^#&?/, "#");
  history.replaceState(null, "", location.pathname + rest);
  const answer = await post("/api/session", { token });
  localStorage.setItem("session", answer.session);
}

let project = null;

/** Chooses the project that all further requests are about; null for the first one. */
export function useProject(name) { project = name; }

/** The path of a request about the project, unless it names one. */
function ofProject(path) {
  return path.startsWith("/api/projects/") ? path : within(project, path);
}

function within(name, path) {
  return name === null ? path : path.replace("/api", `/api/projects/${encodeURIComponent(name)}`);
}

/** Reads a document of the API. */
export async function read(path) {
  if (staticRun) return readStatic(path);
  return answerOf(await requested(ofProject(path), { headers: { "X-Reprise": session() } }));
}

/** Reads bytes. */
export async function readBytes(path) {
  const response = await requested(ofProject(path), { headers: { "X-Reprise": session() } });
  return response.ok ? response.arrayBuffer() : answerOf(response);
}

/** Asks for a change. */
export async function post(path, body) {
  const response = await requested(ofProject(path), {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Reprise": session() || "none" },
    body: JSON.stringify(body),
  });
  return answerOf(response);
}

/** Sends a request; a server that does not answer is an error in words of ours. */
async function requested(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new APIError(0, "the server of the page does not answer; it may have ended");
  }
}

async function answerOf(response) {
  const document = await response.json().catch(() => ({}));
  if (response.ok) return document;
  throw new APIError(response.status, document.error ?? `the server answers ${response.status}`);
}

/** The path of the log of a step of a project; by default the chosen one. */
export function logPath(run, step, query = {}, name = project) {
  const words = Object.entries(query).filter(([, value]) => value != null)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const path = `/api/runs/${run}/steps/${encodeURIComponent(step)}/log`;
  return within(staticRun ? null : name, path + (words ? `?${words}` : ""));
}

function readStatic(path) {
  const parts = path.split("?")[0].split("/").slice(2).map(decodeURIComponent);
  if (parts[0] === "project") return staticRun.project;
  if (parts[0] === "runs" && parts.length === 1) return { runs: [staticRun.run], more: false };
  if (parts[0] === "runs" && parts.length === 2) return staticRun.run;
  if (parts[2] === "source") return staticRun.source;
  if (parts[2] === "steps" && staticRun.logs[parts[3]]) {
    const wanted = new URLSearchParams(path.split("?")[1]).get("find");
    const log = staticRun.logs[parts[3]];
    if (!wanted) return log;
    const found = log.lines.filter((line) =>
      line.text.toLowerCase().includes(wanted.toLowerCase()));
    return { size: log.size, matches: found };
  }
  if (parts[0] === "workflows") return { workflows: [] };
  if (parts[0] === "watches") return { watches: [] };
  throw new APIError(404, "this page has no server");
}

/**
 * The stream of all projects, shared by all tabs: browsers allow six connections to a host, and
 * each stream takes one. Calls back with the messages, and with `{ type: "status" }` when the
 * connection is lost or back.
 */
export function openStream(receive) {
  if (staticRun) return { follow() {} };
  if (typeof SharedWorker === "function") {
    try {
      const { port } = new SharedWorker("/stream-worker.js");
      port.onmessage = (event) => receive(event.data);
      addEventListener("pagehide", () => port.postMessage({ leaves: true }));
      return { follow: (positions) => port.postMessage({ follow: positions, session: session() }) };
    } catch {
      // Some browsers refuse shared workers in private windows.
    }
  }
  const worker = new Worker("/stream-worker.js");
  worker.onmessage = (event) => receive(event.data);
  return { follow: (positions) => worker.postMessage({ follow: positions, session: session() }) };
}
