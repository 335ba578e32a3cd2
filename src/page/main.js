// Starts the page. `chuhe board` provides the engine, `chuhe serve` a library, and `chuhe review --html` reviewed
// games, which are in the page itself.
import { newGame, encodeGame, decodeGame, writePgn } from './game.js';
import { element, t, errorText, language, translate, switchLanguage, tryStorage } from './texts.js';
import { view, buildBoard, picture } from './board.js';
import { app, buildStudy, keepListed, openGame, openGames, openAddress, redraw, say, setUp, show } from './study.js';
import { buildEditor, drawEditor } from './editor.js';
import { showReview } from './review.js';
import { buildFiles } from './files.js';
import { buildKnowledge } from './knowledge.js';
import { buildEngine, resumePlay } from './engine.js';
import { allowWriting, buildLibrary } from './library.js';

// Width of a saved picture in pixels.
const PICTURE_WIDTH = 900;

function download(name, content) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Saves all games of the list if one of them is on the board, or else the game on the board.
function savePgn() {
  keepListed();
  try {
    const content = app.listed
      ? app.games.map(({ text }) => writePgn(decodeGame(text), view.notation)) : [writePgn(app.game, view.notation)];
    download(content.length > 1 ? 'games.pgn' : 'game.pgn', new Blob(content, { type: 'application/x-chess-pgn' }));
  } catch (error) {
    say(errorText(error));
  }
}

function savePicture() {
  const image = new Image();
  const source = URL.createObjectURL(new Blob([picture()], { type: 'image/svg+xml' }));
  image.addEventListener('load', () => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [PICTURE_WIDTH, Math.round((PICTURE_WIDTH * 548) / 450)];
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download('board.png', blob));
    URL.revokeObjectURL(source);
  });
  image.src = source;
}

async function copyLink() {
  const address = `${location.origin}${location.pathname}#${encodeGame(app.game)}`;
  const copied = navigator.clipboard?.writeText(address);
  say(t(await (copied || Promise.reject()).then(() => 'copied', () => 'not copied')));
}

// Draws everything again in the current language and notation.
function redrawAll() {
  redraw();
  showReview({ isForced: true });
  for (const draw of app.onLanguage) draw();
}

// Whether a font with Chinese characters is installed. Its characters are as wide as they are high. Without one, all
// characters are drawn as the same box.
function hasChineseFont() {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  context.font = '20px serif';
  context.textBaseline = 'top';
  const draw = (text) => {
    context.clearRect(0, 0, 40, 40);
    context.fillText(text, 0, 0);
    return context.getImageData(0, 0, 40, 40).data.join();
  };
  return Math.abs(context.measureText('車').width - 20) < 3 && draw('車') !== draw('馬');
}

// The settings that the user has chosen.
const chosen = new Set();

// Sets the notation that fits the language, unless the user has chosen one. Players who read no Chinese expect WXF.
function setDefaultNotation() {
  if (chosen.has('notation')) return;
  view.notation = language === 'zh' && hasChineseFont() ? 'chinese' : 'wxf';
  element('notation').value = view.notation;
}

// The settings, which the browser keeps.
function buildSettings() {
  setDefaultNotation();
  if (!hasChineseFont()) element('letters').value = 'latin';
  for (const id of ['notation', 'letters']) {
    const kept = tryStorage(() => localStorage.getItem(id));
    if ([...element(id).options].some((option) => option.value === kept)) {
      element(id).value = kept;
      chosen.add(id);
    }
    view[id] = element(id).value;
    element(id).addEventListener('change', () => {
      chosen.add(id);
      view[id] = element(id).value;
      tryStorage(() => localStorage.setItem(id, view[id]));
      redrawAll();
    });
  }
}

function buildPage() {
  buildBoard();
  buildStudy();
  buildEditor();
  buildSettings();
  element('new-game').addEventListener('click', () => { if (app.mayLeave()) openGame(newGame()); });
  element('save-pgn').addEventListener('click', savePgn);
  element('save-picture').addEventListener('click', savePicture);
  element('copy-link').addEventListener('click', copyLink);
  element('position').addEventListener('submit', (event) => {
    event.preventDefault();
    setUp(element('fen').value);
  });
  element('language').addEventListener('click', () => {
    switchLanguage();
    setDefaultNotation();
    translate(app.title);
    drawEditor();
    redrawAll();
  });
  app.listeners.push(() => showReview());
}

async function start() {
  const data = JSON.parse(element('data').textContent);
  app.title = { library: 'title library', review: 'title review' }[data.use] || 'title';
  const hasLibrary = data.use.includes('library');
  translate(app.title);
  buildPage();
  const hasGame = openAddress();
  if (!hasGame) show({ keepsAddress: true });
  if (hasLibrary) buildLibrary({ hasToken: data.use === 'library' });
  let games = data.games || [];
  if (data.use !== 'review') {
    buildFiles();
    const state = await buildEngine();
    buildKnowledge(state.books);
    games = state.games;
    if (hasLibrary) allowWriting(state.may_search);
  }
  if (games.length) openGames(games, { keepsGame: hasGame });
  if (!games.length || hasGame) show({ keepsAddress: true });
  if (data.use !== 'review') resumePlay();
  if (app.problem) say(app.problem);
  document.body.dataset.ready = 'true';
}

start().catch((error) => say(errorText(error)));
