// Shows what the books and tablebases of the server contain about the position, and whether the rules have ended the
// game.
import { otherSide } from './rules.js';
import { element, t } from './texts.js';
import { keepFocus } from './board.js';
import { app, say, end, moveButton } from './study.js';
import { currentQuery, request } from './server.js';

let bookNames = '';
// The current request, which a new one aborts.
let asked = null;
// A promise that resolves when the server has replied whether the rules have ended the game, or when the request has
// failed; null before the first request.
export let judged = null;

// `limit` shows whether a mate comes before the no-capture limit.
function outcomeText({ result, plies, by, no_capture_limit: limit }) {
  if (by === 'rules') return t(`${result} by rule`);
  const text = t(result === 'unknown' ? 'unknown result' : result, plies);
  return !limit || limit === 'in time' ? text : t('with limit', text, t(`limit ${limit}`));
}

function knowledgeTable(title, entries, text) {
  if (!entries.length) return [];
  const [heading, list] = [document.createElement('h3'), document.createElement('table')];
  heading.textContent = title;
  for (const entry of entries) {
    const [row, name, value] = ['tr', 'td', 'td'].map((tag) => document.createElement(tag));
    name.append(moveButton(entry.move));
    value.textContent = text(entry);
    row.append(name, value);
    list.append(row);
  }
  return [heading, list];
}

// Shows that the rules have ended the game, and ends the game against the engine.
export function endByRules({ cause, loser }) {
  app.isOver = true;
  end(() => t('by rule', t(cause), loser ? t(`wins ${otherSide(loser)}`) : t('result draw')));
  app.onEnd(loser);
}

async function askPosition() {
  if (asked) asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  let reply;
  try {
    reply = await request(`api/position?${currentQuery()}`, { signal });
  } catch (error) {
    if (signal.aborted) return;
    keepFocus(() => ['knowledge', 'opening', 'tablebase-value'].forEach((id) => element(id).replaceChildren()));
    say(error.message);
    return;
  }
  if (signal.aborted) return;
  const total = reply.book.reduce((sum, entry) => sum + entry.weight, 0) || 1;
  const weight = (entry) => `${Math.round((100 * entry.weight) / total)} %`;
  const tables = [
    ...knowledgeTable(t('book', bookNames.replaceAll('<builtin>', t('builtin'))), reply.book, weight),
    ...knowledgeTable(t('tablebase', reply.ending), reply.tablebase, outcomeText),
  ];
  keepFocus(() => element('knowledge').replaceChildren(...(tables.length ? tables : [t('no knowledge')])));
  element('opening').textContent = reply.opening ? t('opening', reply.opening) : '';
  element('tablebase-value').textContent = reply.value ? outcomeText(reply.value) : '';
  if (reply.end && app.legal.length) endByRules(reply.end);
}

export function buildKnowledge(books) {
  bookNames = books;
  element('knowledge-panel').hidden = false;
  app.check = async (fen) => (await request(`api/position?${new URLSearchParams({ start: fen, moves: '' })}`)).fen;
  const ask = () => { judged = askPosition(); };
  app.listeners.push(ask);
  app.onLanguage.push(ask);
}
