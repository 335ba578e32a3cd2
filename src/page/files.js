// Opens files and pasted text, which the server parses.
import { element, t, errorText } from './texts.js';
import { app, beginOpening, gameOfLink, isFen, openGame, openGames, say, setUp } from './study.js';
import { request } from './server.js';

// Largest file that `chuhe board` reads, in bytes. `chuhe serve` has a lower limit, which it reports by status 413.
const MAX_FILE = 16 << 20;

// Opens the game of a link that this page or another one has made. Returns false if the link has another form.
function openLink(text) {
  try {
    const game = gameOfLink(new URL(text));
    if (game) openGame(game);
    return game !== null;
  } catch {
    return false;
  }
}

// Opens a text or a file. `others` is the number of files that were given with it. `isConfirmed` is whether the user
// has confirmed that a game against the engine may end.
async function readText(body, { others = 0, isConfirmed = false } = {}) {
  if (body.size > MAX_FILE || body.length > MAX_FILE) { say(t('too large')); return; }
  const text = typeof body === 'string' ? body.trim() : '';
  if (isFen(text)) { await setUp(text); return; }
  const isWanted = beginOpening(isConfirmed);
  if (!isWanted) return;
  // Messengers add text before a link.
  const [, link] = /(?:^|\s)(https?:\S+)$/.exec(text) || [];
  if (link && openLink(link)) return;
  app.problem = '';
  say(t('reading'));
  try {
    const reply = await request('api/read', { method: 'POST', body });
    if (!isWanted()) return;
    openGames(reply.games);
    // For a position, the side to move is shown instead of the number of games.
    const isPosition = reply.games.length === 1 && !app.game.root.children.length;
    const parts = isPosition ? [] : [t('loaded', reply.games.length)];
    parts.push(...reply.problems.map((problem) => t('part omitted', problem)));
    if (others) parts.push(t('other files', others));
    if (app.problem) parts.push(app.problem);
    if (parts.length) say(parts.join(' · '));
  } catch (error) {
    if (isWanted()) say([errorText(error), ...(link === text ? [t('no game in link')] : [])].join(' · '));
  }
}

export function buildFiles() {
  app.read = readText;
  element('load').hidden = false;
  // The question whether a game may end comes before the dialog for the file, in which the user may stay for a long time.
  element('file').addEventListener('click', (event) => { if (!app.mayLeave()) event.preventDefault(); });
  element('file').addEventListener('change', () => {
    const [file] = element('file').files;
    if (file) readText(file, { isConfirmed: true });
    element('file').value = '';
  });
  element('read').addEventListener('click', () => readText(element('paste').value));
  const hasFiles = (event) => event.dataTransfer.types.includes('Files');
  addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    document.body.classList.add('dropping');
  });
  addEventListener('dragleave', () => document.body.classList.remove('dropping'));
  addEventListener('drop', (event) => {
    document.body.classList.remove('dropping');
    if (!hasFiles(event)) return;
    event.preventDefault();
    const { files } = event.dataTransfer;
    readText(files[0], { others: files.length - 1 });
  });
  addEventListener('paste', (event) => {
    if (event.target.closest?.('input, textarea')) return;
    const { files } = event.clipboardData;
    const text = event.clipboardData.getData('text');
    if (files.length) readText(files[0], { others: files.length - 1 });
    else if (text.trim()) readText(text);
  });
}
