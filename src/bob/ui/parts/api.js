// Calls Bob's HTTP API, on the origin that this page came from and on no other.

/** What the server refused, as problem+json says it. `field` names the wrong field, if one is. */
export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail ?? body?.error?.message ?? body?.title ?? `the server answered ${status}`);
    this.status = status;
    this.body = body ?? {};
  }
}

const OWN = { "X-Bob-Page": "1" };

async function send(method, path, body, signal, more = {}) {
  const headers = { ...OWN, ...more };
  if (body !== undefined && !(body instanceof FormData)) headers["Content-Type"] = "application/json";
  let reply;
  try {
    reply = await fetch(path, {
      method,
      headers,
      body: body === undefined || body instanceof FormData ? body : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { detail: "No answer from the server. Is `bob serve` still running?" });
  }
  if (!reply.ok) {
    if (reply.status === 401 && path !== "/session") dispatchEvent(new Event("signed-out"));
    throw new Problem(reply.status, await reply.json().catch(() => null));
  }
  return reply;
}

async function json(method, path, body, signal) {
  const reply = await send(method, path, body, signal);
  return reply.status === 204 ? null : reply.json();
}

export const get = (path, signal) => json("GET", path, undefined, signal);
export const post = (path, body, signal) => json("POST", path, body ?? {}, signal);
export const put = (path, body, signal) => json("PUT", path, body, signal);
export const patch = (path, body, signal) => json("PATCH", path, body, signal);
export const remove = (path, signal) => json("DELETE", path, undefined, signal);

/** Make this browser the session of an API key's or token's owner. */
export const signIn = (credential) =>
  send("POST", "/session", {}, undefined, { Authorization: `Bearer ${credential}` });

/** An address with a query; values that are null or "" are left out, lists are repeated. */
export function address(path, query = {}) {
  const said = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== null && each !== undefined && each !== "") said.append(key, each);
  return said.size ? `${path}?${said}` : path;
}

/**
 * Reads server-sent events: yields {id, name, data}. A lost connection is taken up again where it was, three times
 * at the most: what only reads is asked for once more, what began something goes on through /streams/{id}.
 */
export async function* events(method, path, body, signal) {
  let reply = await send(method, path, body, signal, { Accept: "text/event-stream" });
  const stream = reply.headers.get("X-Bob-Stream");
  const again = method === "GET" ? path : stream && `/streams/${encodeURIComponent(stream)}`;
  let last = "";
  for (let lost = 0; ;) {
    try {
      for await (const event of read(reply)) {
        last = event.id || last;
        lost = 0;
        yield event;
      }
      return;
    } catch (error) {
      if (signal?.aborted || !again || ++lost > 3) throw error;
      await new Promise((wait) => setTimeout(wait, 300 * lost));
      reply = await send("GET", again, undefined, signal, { "Last-Event-ID": last });
    }
  }
}

async function* read(reply) {
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    for (let end; (end = rest.indexOf("\n\n")) >= 0; rest = rest.slice(end + 2)) {
      const event = { id: "", name: "message", data: "" };
      for (const line of rest.slice(0, end).split("\n")) {
        const colon = line.indexOf(":");
        if (colon <= 0) continue;
        const value = line.slice(colon + 1).replace(/^ /, "");
        if (line.startsWith("id")) event.id = value;
        if (line.startsWith("event")) event.name = value;
        if (line.startsWith("data")) event.data += value;
      }
      if (event.data) yield { ...event, data: JSON.parse(event.data) };
    }
  }
}
