// Requests to the server of the page.
import { pathTo, movesOf } from './game.js';
import { t, hasText, language } from './texts.js';
import { app } from './study.js';

// The access token of `chuhe serve`; it is kept in this tab.
export const access = { token: '' };

// The parameters of requests about the position after a line of moves.
export function positionQuery(nodes, more = {}) {
  return new URLSearchParams({ start: app.game.start, moves: movesOf(nodes), ...more });
}

export const currentQuery = (more) => positionQuery(pathTo(app.game.node), more);

// The reason in the reply to a rejected request, if there is one: the API of the engine sends an object with `error`.
// The API of the library sends an object with `status`, or plain text in the language of the page.
function reasonOf(status, text) {
  let reply = { status: text.trim() };
  try {
    reply = JSON.parse(text) ?? reply;
  } catch {
    // The reply is plain text.
  }
  if (reply.error) return reply.error;
  if (hasText(reply.status)) return t(reply.status);
  // Proxies send HTML. If the role of the user does not allow the request, the text is only the name of the status.
  const isPlain = text.length < 200 && !/^\s*[<{]/.test(text) && !['Forbidden', '没有权限'].includes(reply.status);
  return [400, 403, 503].includes(status) && isPlain ? reply.status : '';
}

// Sends a request; an error has a message for the user, from the server if it has sent one.
async function send(path, options = {}) {
  // Messages of the server are in the language of the page.
  const headers = { 'Accept-Language': language };
  if (access.token) headers.Authorization = `Bearer ${access.token}`;
  const response = await fetch(path, { ...options, headers }).catch((error) => {
    throw error.name === 'AbortError' ? error : new Error(t('network'));
  });
  if (response.ok) return response;
  const key = `status ${response.status}`;
  throw new Error(reasonOf(response.status, await response.text()) || (hasText(key) ? t(key) : t('status', response.status)));
}

// Sends a request and returns the reply, which must be an object.
export async function request(path, options) {
  const response = await send(path, options);
  const reply = await response.json().catch(() => null);
  if (reply === null || typeof reply !== 'object') throw new Error(t('invalid reply'));
  return reply;
}

async function readEvents(path, on, signal) {
  const { body } = await send(path, { signal });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(t('network'));
    const events = (text + value).split('\n\n');
    text = events.pop();
    for (const event of events) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event);
      if (signal.aborted) return;
      on[name](JSON.parse(data));
    }
    if (/^event: (done|failed)/.test(events.at(-1))) return;
  }
}

// Reads server-sent events; `on` has a function for each kind of event. `done` or `failed` is the last one. Returns a
// function that ends the stream.
export function stream(path, on) {
  const abort = new AbortController();
  readEvents(path, on, abort.signal).catch((error) => {
    if (!abort.signal.aborted) on.failed({ error: error.message });
  });
  return () => abort.abort();
}
