// Opens files and pasted text, which the server parses.
import { element, t, errorText } from './texts.js';
import { app, gameOfLink, isFen, openGame, openGames, say, setUp } from './study.js';
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

// Opens a text or a file. `others` is the number of files that were given with it.
async function readText(body, others = 0) {
  if (body.size > MAX_FILE || body.length > MAX_FILE) { say(t('too large')); return; }
  const text = typeof body === 'string' ? body.trim() : '';
  if (isFen(text)) { await setUp(text); return; }
  if (/^https?:\S+$/.test(text) && openLink(text)) return;
  app.problem = '';
  try {
    const reply = await request('api/read', { method: 'POST', body });
    openGames(reply.games);
    const parts = [t('loaded', reply.games.length), ...reply.problems.map((problem) => t('part omitted', problem))];
    if (others) parts.push(t('other files', others));
    if (app.problem) parts.push(app.problem);
    say(parts.join(' · '));
  } catch (error) {
    say(errorText(error));
  }
}

export function buildFiles() {
  app.read = readText;
  element('load').hidden = false;
  element('file').addEventListener('change', () => {
    const [file] = element('file').files;
    if (file) readText(file);
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
    readText(files[0], files.length - 1);
  });
  addEventListener('paste', (event) => {
    if (event.target.closest?.('input, textarea')) return;
    const { files } = event.clipboardData;
    const text = event.clipboardData.getData('text');
    if (files.length) readText(files[0], files.length - 1);
    else if (text.trim()) readText(text);
  });
}
