// The moves of a cloud library, for `chuhe serve` and `chuhe board --library`.
import { notate } from './rules.js';
import { pathTo, fenOf } from './game.js';
import { element, makeButton, t, tryStorage, hasText, moveMarks, positionMarks, glyphText } from './texts.js';
import { view, keepFocus } from './board.js';
import { app, say, side, playMove, moveButton, lineText, moveText, redraw } from './study.js';
import { access, request } from './server.js';
import { judged } from './knowledge.js';
import { connectEngine } from './engine.js';

// The interval at which the page queries the result of a requested search or a move of the library, in milliseconds,
// and the maximum number of repetitions.
const RETRY_INTERVAL = 1000;
const MAX_RETRIES = 300;

let entries = [];
// Number of the current query; replies to earlier ones are not shown.
let query = 0;
// The latest statistics of the library; null before the first reply and after an error.
let stats = null;
// The notes on the moves of the position on the board.
let notes = [];
// A function that returns the text of the line of the library in the current language and notation.
let lineOfLibrary = () => '';
// The note on the last move; null without a note, undefined before the reply of the library.
let lastNote;
// The node whose note is in the form.
let editedNode = null;

function ask(action, more = {}) {
  const parameters = new URLSearchParams({ action, json: '1', board: fenOf(app.game.node), ...more });
  return request('chessdb.php', { method: 'POST', body: parameters });
}

const sayStatus = (key) => say(hasText(key) ? t(key) : t('other', key));

// A note in words, with its author and date.
function noteText({ name, comment, author, time, private: isPrivate }) {
  const signed = t('signed', author, new Date(time * 1000).toISOString().slice(0, 10));
  return [name, comment, isPrivate ? t('private') : '', signed].filter(Boolean).join(' · ');
}

// The rows of a move: one with its score and, if it has a note, one with the note.
function entryRows(entry, note) {
  const row = document.createElement('tr');
  row.className = `rank${entry.rank}`;
  const moveCell = document.createElement('td');
  moveCell.append(moveButton(entry.uci), note ? glyphText(note.glyphs) : '');
  row.append(moveCell);
  for (const value of [entry.score, entry.note, entry.winrate || '']) {
    const cell = document.createElement('td');
    cell.textContent = value;
    row.append(cell);
  }
  if (!note) return [row];
  const [noteRow, cell] = [document.createElement('tr'), document.createElement('td')];
  cell.colSpan = 4;
  cell.className = 'comment';
  cell.textContent = noteText(note);
  noteRow.append(cell);
  return [row, noteRow];
}

function drawEntries() {
  const noteOf = (entry) => notes.find((note) => note.move === entry.uci);
  const isListed = (entry) => entry.score !== '??' || noteOf(entry);
  const rows = entries.filter(isListed).flatMap((entry) => entryRows(entry, noteOf(entry)));
  keepFocus(() => element('library-moves').replaceChildren(...rows));
  const unknown = entries.filter((entry) => !isListed(entry));
  element('unknown-moves').hidden = !unknown.length;
  element('unknown-count').textContent = t('show unknown', unknown.length);
  element('unknown-list').replaceChildren(...unknown.map((entry) => moveButton(entry.uci)));
}

function drawLine() {
  element('library-line').textContent = lineOfLibrary();
}

function showLine(text) {
  lineOfLibrary = text;
  drawLine();
}

function drawLastNote() {
  const { node } = app.game;
  const shown = lastNote && t('last note', moveText({ ...node, glyphs: lastNote.glyphs }), noteText(lastNote));
  element('library-note').textContent = shown || '';
  element('save-note').disabled = lastNote === undefined;
  // Keeps what the user is writing, also what was written before the server has answered that there is no note.
  if (editedNode === node) return;
  const isNew = editedNode === null && lastNote === null;
  editedNode = lastNote === undefined ? null : node;
  if (isNew) return;
  const { name = '', comment = '', glyphs = [], private: isPrivate = false } = lastNote || {};
  element('note-name').value = name;
  element('note-comment').value = comment;
  element('note-verdict').value = glyphs.find((glyph) => moveMarks[glyph]) || '';
  element('note-position').value = glyphs.find((glyph) => positionMarks[glyph]) || '';
  element('note-private').checked = isPrivate;
}

// Reports a failed query, and offers to repeat it.
function failed(error) {
  element('retry').hidden = false;
  say(error.message);
}

// As `failed`, for a query on which the move of the library depends: the library stops playing. The error of an earlier
// query is not reported.
function stopPlaying(requested, error) {
  if (requested !== query) return;
  element('library-side').value = '';
  failed(error);
}

// Shows the notes on the moves of the position and on the last move.
async function showNotes(requested) {
  const { node } = app.game;
  const ofPosition = async (other) => (await request(`notes?${new URLSearchParams({ board: fenOf(other) })}`)).notes || [];
  try {
    const [here, before] = await Promise.all([ofPosition(node), node.parent ? ofPosition(node.parent) : []]);
    if (requested !== query) return;
    notes = here;
    lastNote = before.find((note) => note.move === node.move) || null;
    drawEntries();
    drawLastNote();
  } catch (error) {
    if (requested === query) failed(error);
  }
}

async function saveNote(event) {
  event.preventDefault();
  const { node } = app.game;
  if (!node.parent) { say(t('no last move')); return; }
  const others = (lastNote?.glyphs || []).filter((glyph) => !moveMarks[glyph] && !positionMarks[glyph]);
  const glyphs = [element('note-verdict').value, element('note-position').value, ...others].filter(Boolean).join(' ');
  const body = new URLSearchParams({
    board: fenOf(node.parent), move: node.move, name: element('note-name').value, comment: element('note-comment').value,
    glyphs, private: element('note-private').checked ? '1' : '0',
  });
  try {
    await request('notes', { method: 'POST', body });
    if (editedNode === node) editedNode = null;
    await showNotes(query);
    say(t('note saved'));
  } catch (error) {
    say(error.message);
  }
}

const legalEntries = (list) => (list.moves || []).filter((entry) => app.legal.includes(entry.uci));

// Queries the position on the board and shows the known moves. Returns whether one has a score.
async function showEntries() {
  const requested = ++query;
  [entries, notes, lastNote] = [[], [], undefined];
  drawEntries();
  drawLastNote();
  showNotes(requested);
  showLine(() => '');
  element('retry').hidden = true;
  if (!app.legal.length) return false;
  try {
    const list = await ask('queryall', { showall: '1' });
    if (requested !== query) return false;
    if (list.status === 'rate limit exceeded') throw new Error(t(list.status));
    entries = legalEntries(list);
    drawEntries();
    if (!entries.length) { sayStatus(list.status || 'invalid reply'); return false; }
    const isKnown = entries[0].score !== '??';
    if (!isKnown) {
      showLine(() => t('unknown'));
      await showEngineMove(requested);
    } else {
      const line = await ask('querypv', { stable: '1' });
      if (requested === query && line.pv) showLine(() => t('line', lineText(app.game.node.position, line.pv).join(' ')));
    }
    await judged;
    if (requested === query && isLibrarysTurn()) await answer(requested, 0);
    return isKnown;
  } catch (error) {
    stopPlaying(requested, error);
    return false;
  }
}

// Shows a move of the engine in a position with so few pieces that the library does not search it.
async function showEngineMove(requested) {
  const board = new URLSearchParams({ board: fenOf(app.game.node) });
  if (!(await request(`board?${board}`)).note || requested !== query) return;
  say(t('filtered'));
  const reply = await request(`engine?${board}`);
  if (requested !== query || !reply.move) return;
  showLine(() => t('engine move', notate(app.game.node.position, reply.move, view.notation)));
}

// Whether the library plays the next move: at the end of the line, if the game is not over and it is not the engine's
// turn.
function isLibrarysTurn() {
  const isEnd = !app.game.node.children.length;
  return element('library-side').value.includes(side()) && isEnd && !app.ending && !app.refusal();
}

// Plays a move of the library. Without one it requests a search and tries again.
async function answer(requested, tries) {
  const path = pathTo(app.game.node);
  const ban = [];
  if (path.length >= 3) {
    const movelist = path.map((node) => node.move).join('|');
    const rules = await ask('queryrule', { board: fenOf(app.game.root), movelist });
    if (requested !== query) return;
    ban.push(...(rules.moves || []).filter((move) => move.rule === 'ban').map((move) => `move:${move.uci}`));
  }
  const reply = await ask('querybest', { ban: ban.join('|') });
  if (requested !== query) return;
  const known = entries.find((entry) => entry.score !== '??' && !ban.includes(`move:${entry.uci}`));
  const move = reply.move || reply.egtb || (reply.search_moves || []).map((found) => found.uci)[0] || known?.uci;
  if (move) { playMove(move); return; }
  const queued = await ask('queue');
  if (requested !== query) return;
  if (queued.status !== 'ok' && queued.status !== 'rate limit exceeded' || tries > MAX_RETRIES) {
    element('library-side').value = '';
    sayStatus(queued.status || 'no game');
    return;
  }
  say(t(queued.status !== 'ok' ? queued.status : stats?.workers === 0 ? 'idle' : 'waiting library'));
  const retry = () => requested === query && answer(requested, tries + 1).catch((error) => stopPlaying(requested, error));
  setTimeout(retry, RETRY_INTERVAL);
}

// Requests a search, and queries the position again until its result is there.
async function requestSearch() {
  const requested = query;
  try {
    const reply = await ask('queue');
    if (requested !== query) return;
    if (reply.status !== 'ok') { sayStatus(reply.status || 'filtered'); return; }
    say(t('queued'));
    await waitForResult(requested, 0);
  } catch (error) {
    if (requested === query) say(error.message);
  }
}

async function waitForResult(requested, tries) {
  await new Promise((resolve) => { setTimeout(resolve, RETRY_INTERVAL); });
  if (requested !== query || tries > MAX_RETRIES) return;
  const before = JSON.stringify(entries);
  const list = await ask('queryall', { showall: '1' });
  if (requested !== query) return;
  const found = legalEntries(list);
  if (JSON.stringify(found) === before) { await waitForResult(requested, tries + 1); return; }
  await showEntries();
}

// A time as hours:minutes, rounded up.
function duration(seconds) {
  const minutes = Math.ceil(seconds / 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

async function showStats() {
  try {
    stats = await request('stats');
    element('stats').textContent = t('stats', stats.positions, stats.waiting_to_be_scored, stats.waiting_to_be_sieved);
    const left = duration(stats.backlog_seconds);
    element('workers').textContent = t('workers', stats.workers, stats.scored_last_minute, left);
  } catch (error) {
    stats = null;
    element('stats').textContent = t('no stats', error.message);
    element('workers').textContent = '';
  }
}

function jobItem(job) {
  const [item, bar] = [document.createElement('li'), document.createElement('progress')];
  const state = t(`job ${job.state}`);
  const text = t('job', job.job, job.name || job.writer, t(job.priority), job.done, job.total, state);
  [bar.max, bar.value] = [job.total, job.done + job.failed];
  bar.setAttribute('aria-label', text);
  item.append(job.failed ? t('job failed', text, job.failed) : text, ' ', bar);
  if (job.state === 'running') {
    const cancel = () => request(`jobs/${job.job}/cancel`, { method: 'POST' }).then(showJobs, (error) => say(error.message));
    item.append(' ', makeButton(t('cancel'), cancel));
  }
  return item;
}

// The jobs that are shown, to draw them again only if they have changed.
let shownJobs = '';

async function showJobs() {
  if (element('jobs-panel').hidden || !element('jobs-panel').open) return;
  try {
    const { jobs } = await request('jobs');
    if (JSON.stringify(jobs) === shownJobs) return;
    shownJobs = JSON.stringify(jobs);
    element('jobs').replaceChildren(...jobs.map(jobItem));
    element('no-jobs').hidden = jobs.length > 0;
  } catch (error) {
    say(error.message);
  }
}

async function uploadFile() {
  const [file] = element('job-file').files;
  if (!file) return;
  const parameters = new URLSearchParams({ name: [...file.name].slice(0, 100).join(''), priority: element('job-priority').value });
  element('job-file').value = '';
  try {
    const job = await request(`jobs?${parameters}`, { method: 'POST', body: file });
    say([t('job added', job.job, job.games, job.total), ...job.problems].join(' · '));
    await showJobs();
  } catch (error) {
    say(error.message);
  }
}

// Shows or hides what needs the role `write`.
export function allowWriting(mayWrite) {
  for (const id of ['note-editor', 'jobs-panel']) element(id).hidden = !mayWrite;
}

function buildNotes() {
  for (const [id, marks] of [['note-verdict', moveMarks], ['note-position', positionMarks]]) {
    const none = new Option('', '');
    none.dataset.text = 'no verdict';
    none.textContent = t('no verdict');
    element(id).append(none, ...Object.entries(marks).map(([glyph, mark]) => new Option(mark, glyph)));
  }
  element('note-form').addEventListener('submit', saveNote);
  element('job-file').addEventListener('change', uploadFile);
  element('jobs-panel').addEventListener('toggle', showJobs);
  setInterval(showJobs, 3000);
}

function buildToken() {
  access.token = tryStorage(() => sessionStorage.getItem('token')) || '';
  element('token').value = access.token;
  element('token-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const token = element('token').value.trim();
    if (!/^[-._~A-Za-z0-9]*$/.test(token)) { say(t('token form')); return; }
    access.token = token;
    tryStorage(() => sessionStorage.setItem('token', token));
    // Removes the message of an earlier error.
    redraw();
    // Until the server has checked the new token, nothing is requested that needs it.
    allowWriting(false);
    connectEngine().then((state) => allowWriting(state.may_search));
    showEntries();
    showStats();
  });
}

export function buildLibrary({ hasToken }) {
  element('library-panel').hidden = false;
  element('token-panel').hidden = !hasToken;
  if (hasToken) buildToken();
  buildNotes();
  element('queue').addEventListener('click', requestSearch);
  element('retry').addEventListener('click', () => { redraw(); showEntries(); showStats(); });
  element('library-side').addEventListener('change', showEntries);
  app.listeners.push(showEntries);
  app.onLanguage.push(drawEntries, drawLine, drawLastNote, showStats, () => { shownJobs = ''; showJobs(); });
  showStats();
  setInterval(showStats, 15000);
}
