// The board editor.
import { START, parseFen, writeFen, otherSide } from './rules.js';
import { fenOf } from './game.js';
import { element, makeButton, t, pieceName, LETTERS } from './texts.js';
import { view, drawBoard, setDrawing, keepFocus } from './board.js';
import { app, show, say, setUp, stopEditing } from './study.js';

// The position that is being edited, or was edited last.
let edited = null;
// The piece that a click puts down; '' removes pieces, null moves them.
let brush = null;

// Shows the edited board and the pieces to choose from.
export function drawEditor() {
  if (!view.onSquare) return;
  Object.assign(view, { position: edited, legal: [], last: null, check: null, arrows: [], drawn: [] });
  element('fen').value = writeFen(edited);
  element('side').textContent = t(`to move ${edited.side}`);
  for (const button of element('palette').children) {
    const { piece } = button.dataset;
    button.textContent = piece ? LETTERS[view.letters][piece] : t('remove');
    button.setAttribute('aria-label', piece ? pieceName(piece) : t('remove'));
    button.setAttribute('aria-pressed', String(brush === piece));
  }
  drawBoard();
}

function paletteButton(piece) {
  const button = makeButton('', () => {
    [brush, view.selected] = [brush === piece ? null : piece, null];
    drawEditor();
  });
  button.className = piece === '' ? 'remove' : piece < 'a' ? 'red' : 'black';
  button.dataset.piece = piece;
  return button;
}

function editSquare(square) {
  const { pieces } = edited;
  if (brush !== null) pieces[square] = pieces[square] === brush ? '' : brush;
  else if (view.selected !== null) {
    const piece = pieces[view.selected];
    pieces[view.selected] = '';
    pieces[square] = piece;
    view.selected = null;
  } else if (pieces[square]) view.selected = square;
  say('');
  drawEditor();
}

export function buildEditor() {
  element('palette').append(...[...'KABNRCPkabnrcp', ''].map(paletteButton));
  element('edit').addEventListener('click', () => {
    const { pieces, side } = app.game.node.position;
    setDrawing(false);
    edited = { pieces: pieces.slice(), side };
    [brush, view.selected, view.onSquare] = [null, null, editSquare];
    document.body.classList.add('editing');
    element('editor').hidden = false;
    say('');
    drawEditor();
    element('palette').querySelector('button').focus();
  });
  element('side').addEventListener('click', () => {
    edited.side = otherSide(edited.side);
    drawEditor();
  });
  element('clear').addEventListener('click', () => {
    [edited.pieces, view.selected] = [Array(90).fill(''), null];
    drawEditor();
  });
  element('fill').addEventListener('click', () => {
    [edited, view.selected] = [parseFen(START), null];
    drawEditor();
  });
  const cancel = () => keepFocus(() => {
    stopEditing();
    show();
  });
  element('done').addEventListener('click', () => {
    // An unchanged position keeps its moves and counters.
    if (writeFen(edited) === fenOf(app.game.node)) cancel();
    else setUp(writeFen(edited));
  });
  element('cancel').addEventListener('click', cancel);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select');
    if (view.onSquare && event.key === 'Escape' && !isTyping) cancel();
  });
}
