// The board: an SVG picture, and a button over each square for mouse, touch, keyboard and screen readers.
import { sideOf, squareName, squareOf, fromOf, toOf } from './rules.js';
import { element, t, pieceName, LETTERS } from './texts.js';

const SVG = 'http://www.w3.org/2000/svg';
const STEP = 50;
const TOP = 24;
const COLORS = {
  wood: '#f0d9a8', line: '#6b4a1e', disc: '#fbf1dc', w: '#b3201c', b: '#1c1c1c', mark: '#1266c4', best: '#1f7a34', drawn: '#d07000',
};
// The smallest movement of a pointer, in pixels, that is a drag and not a click.
const DRAG = 6;
// The time in milliseconds after which a press of a finger starts to draw.
const LONG_PRESS = 500;

// The state that the board shows, and two functions: `onMove(from, to)` plays a move of the user, and
// `onSquare(square)` handles all clicks while a position is edited (null otherwise).
export const view = {
  position: null, flipped: false, letters: 'traditional', notation: 'chinese', last: null, check: null, legal: [],
  arrows: [], drawn: [], selected: null, isDrawing: false, onMove: null, onSquare: null,
};
// The drag or press of one pointer, or null. All other pointers are ignored until it ends.
let dragged = null;
let pressTimer = 0;

// The column and row of a square in the picture.
function cell(square) {
  const [x, y] = [square % 9, 9 - Math.floor(square / 9)];
  return view.flipped ? [8 - x, 9 - y] : [x, y];
}

function center(square) {
  const [x, y] = cell(square);
  return [STEP * x + STEP / 2, STEP * y + STEP / 2 + TOP];
}

// Appends an SVG element.
export function addShape(parent, name, attributes, content) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (content !== undefined) node.textContent = content;
  parent.append(node);
  return node;
}

function addText(parent, x, y, size, fill, content) {
  const style = { 'text-anchor': 'middle', 'dominant-baseline': 'central', 'font-family': 'serif' };
  return addShape(parent, 'text', { x, y, fill, 'font-size': size, ...style }, content);
}

function drawGrid(svg) {
  addShape(svg, 'rect', { width: 9 * STEP, height: 10 * STEP + 2 * TOP, fill: COLORS.wood });
  const at = (x, y) => `${STEP * x + STEP / 2} ${STEP * y + STEP / 2 + TOP}`;
  let path = '';
  const line = (x1, y1, x2, y2) => { path += `M${at(x1, y1)}L${at(x2, y2)}`; };
  for (let y = 0; y < 10; y++) line(0, y, 8, y);
  for (let x = 0; x < 9; x++) {
    if (x === 0 || x === 8) { line(x, 0, x, 9); continue; }
    line(x, 0, x, 4);
    line(x, 5, x, 9);
  }
  for (const y of [0, 7]) { line(3, y, 5, y + 2); line(5, y, 3, y + 2); }
  addShape(svg, 'path', { d: path, stroke: COLORS.line, fill: 'none' });
  if (view.letters === 'latin') return;
  const river = ['楚', '河', view.letters === 'simplified' ? '汉' : '漢', '界'];
  river.forEach((sign, n) => addText(svg, [75, 125, 325, 375][n], 250 + TOP, 22, COLORS.line, sign));
}

// File numbers from the right of each side, or letters and ranks.
function drawCoordinates(svg) {
  for (let file = 0; file < 9; file++) {
    const [x] = center(file);
    const letters = view.notation === 'coordinates';
    const number = view.notation === 'chinese' ? '一二三四五六七八九'[8 - file] : String(9 - file);
    const [red, black] = letters ? ['abcdefghi'[file], 'abcdefghi'[file]] : [number, String(file + 1)];
    addText(svg, x, 10 * STEP + 1.5 * TOP, 14, COLORS.line, view.flipped ? black : red);
    addText(svg, x, TOP / 2, 14, COLORS.line, view.flipped ? red : black);
  }
  if (view.notation !== 'coordinates') return;
  for (let rank = 0; rank < 10; rank++) addText(svg, 5, center(9 * rank)[1] - 14, 11, COLORS.line, String(rank));
}

function drawPiece(svg, square, piece) {
  const [cx, cy] = center(square);
  const color = COLORS[sideOf(piece)];
  const group = addShape(svg, 'g', { class: 'piece', 'data-square': squareName(square) });
  addShape(group, 'circle', { cx, cy, r: 22, fill: COLORS.disc, stroke: color, 'stroke-width': 1.5 });
  // Red pieces have a second ring, which shows the side without its color.
  if (sideOf(piece) === 'w') addShape(group, 'circle', { cx, cy, r: 19, fill: 'none', stroke: color, 'stroke-width': 1 });
  addText(group, cx, cy + 1, 25, color, LETTERS[view.letters][piece]);
}

function drawArrow(svg, move, color, width) {
  const [[x1, y1], [x2, y2]] = [center(fromOf(move)), center(toOf(move))];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - 16 * dx, y2 - 16 * dy];
  const [wx, wy] = [-dy * 9, dx * 9];
  const head = `${bx + wx},${by + wy} ${x2},${y2} ${bx - wx},${by - wy}`;
  const group = addShape(svg, 'g', { class: 'arrow', opacity: 0.75, 'data-move': move });
  addShape(group, 'line', { x1, y1, x2: bx, y2: by, stroke: color, 'stroke-width': width });
  addShape(group, 'polygon', { points: head, fill: color });
}

function drawRing(svg, square, attributes) {
  const [cx, cy] = center(square);
  addShape(svg, 'circle', { cx, cy, fill: 'none', ...attributes });
}

// Draws the board as in a saved picture, without the marks of the current selection.
function drawPicture(svg) {
  drawGrid(svg);
  drawCoordinates(svg);
  const { position, last } = view;
  position.pieces.forEach((piece, square) => piece && drawPiece(svg, square, piece));
  if (last) {
    for (const square of [fromOf(last), toOf(last)]) {
      drawRing(svg, square, { r: 24, class: 'last', stroke: COLORS.mark, 'stroke-width': 2, 'stroke-dasharray': '5 3' });
    }
  }
  if (view.check !== null) drawRing(svg, view.check, { r: 24, class: 'check', stroke: '#d0021b', 'stroke-width': 4 });
  view.arrows.forEach((move, n) => drawArrow(svg, move, COLORS.best, n === 0 ? 7 : 4));
  for (const mark of view.drawn) {
    if (mark.length === 4) drawArrow(svg, mark, COLORS.drawn, 6);
    else drawRing(svg, squareOf(mark), { r: 24, class: 'circle', stroke: COLORS.drawn, 'stroke-width': 4 });
  }
}

const targets = () => (view.selected === null || view.isDrawing ? [] : view.legal.filter((m) => fromOf(m) === view.selected).map(toOf));

function describe(square) {
  const piece = view.position.pieces[square];
  const parts = [squareName(square), piece ? pieceName(piece) : t('empty')];
  if (square === view.selected) parts.push(t('selected'));
  if (targets().includes(square)) parts.push(t('target'));
  for (const mark of view.drawn.filter((other) => other.startsWith(squareName(square)))) {
    parts.push(mark.length === 4 ? t('arrow to', mark.slice(2)) : t('circled'));
  }
  return parts.join(t('comma'));
}

export function drawBoard() {
  const svg = element('board');
  svg.replaceChildren();
  drawPicture(svg);
  if (view.selected !== null) {
    drawRing(svg, view.selected, { r: 23, class: 'selected', stroke: COLORS.mark, 'stroke-width': 4 });
  }
  for (const square of targets()) {
    drawRing(svg, square, { r: 8, class: 'target', fill: COLORS.mark, 'fill-opacity': 0.7 });
  }
  // The arrow or circle that is being drawn.
  if (dragged?.isMark && dragged.target !== null && dragged.target !== dragged.square) {
    drawArrow(svg, squareName(dragged.square) + squareName(dragged.target), COLORS.drawn, 6);
  } else if (dragged?.isPressed && dragged.target === dragged.square) {
    drawRing(svg, dragged.square, { r: 24, class: 'pressed', stroke: COLORS.drawn, 'stroke-width': 4 });
  }
  for (const button of element('squares').children) {
    const square = Number(button.dataset.index);
    const [x, y] = cell(square);
    button.style.left = `${(100 * x) / 9}%`;
    button.style.top = `${10 * y}%`;
    button.setAttribute('aria-label', describe(square));
    // A drag may start at a piece, and anywhere in drawing mode or while a piece is selected. Elsewhere a finger
    // scrolls the page.
    const mayDrag = view.position.pieces[square] || view.selected !== null || view.isDrawing;
    button.style.touchAction = mayDrag ? 'none' : 'manipulation';
  }
}

// The picture as a complete SVG file.
export function picture() {
  const [width, height] = [9 * STEP, 10 * STEP + 2 * TOP];
  const svg = addShape(new DocumentFragment(), 'svg', { viewBox: `0 0 ${width} ${height}`, width, height });
  drawPicture(svg);
  return new XMLSerializer().serializeToString(svg);
}

function isOwn(square) {
  const piece = view.position.pieces[square];
  return piece && sideOf(piece) === view.position.side;
}

// Handles a click or key press on a square.
function choose(square) {
  if (view.onSquare) { view.onSquare(square); return; }
  const { selected } = view;
  if (view.isDrawing) {
    view.selected = selected === null ? square : null;
    if (selected === null) drawBoard();
    else toggleMark(selected, square);
    return;
  }
  if (selected !== null && selected !== square && !isOwn(square)) {
    view.selected = null;
    view.onMove(selected, square);
    return;
  }
  view.selected = isOwn(square) && square !== selected ? square : null;
  drawBoard();
}

// The square under a pointer; null outside the board.
function squareAt({ clientX, clientY }) {
  const box = element('squares').getBoundingClientRect();
  let x = Math.floor((9 * (clientX - box.left)) / box.width);
  let y = Math.floor((10 * (clientY - box.top)) / box.height);
  if (x < 0 || x > 8 || y < 0 || y > 9) return null;
  if (view.flipped) [x, y] = [8 - x, 9 - y];
  return 9 * (9 - y) + x;
}

function startPointer(event) {
  const square = squareAt(event);
  // A second finger is not primary.
  if (square === null || !event.isPrimary) return;
  const { pointerId } = event;
  // The mouse does not move the focus, so that the arrow keys still walk through the game.
  event.preventDefault();
  if (document.activeElement !== document.body) document.activeElement.blur();
  if (event.button === 2 || (event.button === 0 && view.isDrawing && !view.onSquare)) {
    dragged = { pointerId, square, isMark: true, target: square };
    element('squares').setPointerCapture(pointerId);
    return;
  }
  if (event.button !== 0) return;
  const [x, y] = [event.clientX, event.clientY];
  const mayPress = event.pointerType === 'touch' && !view.onSquare && (isOwn(square) || view.selected === null);
  if (mayPress) pressTimer = setTimeout(startMark, LONG_PRESS);
  if (view.onSquare || !isOwn(square)) {
    choose(square);
    if (mayPress) dragged = { pointerId, square, x, y, isWaiting: true };
    // In the editor, a piece that is selected to be moved may be dragged.
    if (view.onSquare && view.selected === square) startDrag({ pointerId, square, x, y });
    return;
  }
  startDrag({ pointerId, square, x, y, wasSelected: view.selected === square });
  view.selected = square;
  drawBoard();
}

function startDrag(drag) {
  dragged = { ...drag, piece: null, onSquare: view.onSquare };
  element('squares').setPointerCapture(drag.pointerId);
}

// A long press: the finger now draws an arrow, or a circle if it stays on the square.
function startMark() {
  if (!dragged) return;
  const { pointerId, square } = dragged;
  dragged = { pointerId, square, isMark: true, isPressed: true, target: square };
  view.selected = null;
  navigator.vibrate?.(20);
  drawBoard();
}

function movePointer(event) {
  if (event.pointerId !== dragged?.pointerId) return;
  if (dragged.isMark) {
    const target = squareAt(event);
    if (target === dragged.target) return;
    dragged.target = target;
    drawBoard();
    return;
  }
  const [dx, dy] = [event.clientX - dragged.x, event.clientY - dragged.y];
  if (!dragged.piece && Math.hypot(dx, dy) < DRAG) return;
  clearTimeout(pressTimer);
  if (dragged.isWaiting) { dragged = null; return; }
  dragged.piece = element('board').querySelector(`[data-square=${squareName(dragged.square)}]`);
  // The position may have changed during the drag, and the piece may be gone.
  if (!dragged.piece) { dragged = null; return; }
  const scale = (9 * STEP) / element('board').getBoundingClientRect().width;
  element('board').append(dragged.piece);
  dragged.piece.setAttribute('transform', `translate(${dx * scale} ${dy * scale})`);
}

function endPointer(event) {
  if (event.pointerId !== dragged?.pointerId) return;
  clearTimeout(pressTimer);
  const { square, isMark, isPressed, isWaiting, piece, wasSelected, onSquare } = dragged;
  dragged = null;
  if (isWaiting) return;
  // The editor has been closed during the drag.
  if (!isMark && onSquare !== view.onSquare) { drawBoard(); return; }
  const target = event.type === 'pointercancel' ? null : squareAt(event);
  if (isMark) {
    // In drawing mode a click chooses the start or the end of an arrow.
    if (target === square && event.button === 0 && !isPressed) choose(square);
    else if (target !== null) {
      view.selected = null;
      toggleMark(square, target);
    } else drawBoard();
  } else if (target !== null && target !== square) {
    if (view.onSquare) { choose(target); return; }
    view.selected = null;
    view.onMove(square, target);
  } else {
    if (wasSelected && !piece) view.selected = null;
    drawBoard();
  }
}

// Draws or removes an arrow of the user, or a circle if both squares are the same.
function toggleMark(from, to) {
  const mark = squareName(from) + (to === from ? '' : squareName(to));
  const isDrawn = view.drawn.includes(mark);
  view.drawn = isDrawn ? view.drawn.filter((other) => other !== mark) : [...view.drawn, mark];
  drawBoard();
}

// On a focused square the arrow keys move the focus; Escape deselects the piece.
function pressKey(event) {
  const steps = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  const square = Number(event.target.dataset.index);
  if (event.key === 'Escape' && view.selected !== null) {
    view.selected = null;
    drawBoard();
  } else if (event.key in steps) {
    const direction = view.flipped ? -1 : 1;
    const [dx, dy] = steps[event.key];
    const [x, y] = [(square % 9) + direction * dx, Math.floor(square / 9) - direction * dy];
    if (x >= 0 && x < 9 && y >= 0 && y < 10) focusSquare(9 * y + x);
    event.preventDefault();
  } else return;
  event.stopPropagation();
}

// Focuses a square. The Tab key reaches only this square of the board.
function focusSquare(square) {
  for (const button of element('squares').children) button.tabIndex = Number(button.dataset.index) === square ? 0 : -1;
  element('squares').querySelector('[tabindex="0"]').focus();
}

// Calls `change`. If it hides or removes the control that has the focus of the keyboard, the board gets the focus.
export function keepFocus(change) {
  const focused = document.activeElement;
  const isByKeyboard = focused.matches(':focus-visible');
  change();
  if (isByKeyboard && !focused.checkVisibility()) element('squares').querySelector('[tabindex="0"]').focus();
}

// Switches between playing moves and drawing arrows and circles.
export function setDrawing(isOn) {
  Object.assign(view, { isDrawing: isOn, selected: null });
  element('draw').setAttribute('aria-pressed', String(isOn));
  element('draw-hint').hidden = !isOn;
  drawBoard();
}

export function buildBoard() {
  const squares = element('squares');
  for (let index = 89; index >= 0; index--) {
    const square = 9 * Math.floor(index / 9) + 8 - (index % 9);
    const button = document.createElement('button');
    button.type = 'button';
    button.dataset.index = square;
    button.dataset.name = squareName(square);
    button.tabIndex = square === 4 ? 0 : -1;
    squares.append(button);
  }
  element('draw').addEventListener('click', () => setDrawing(!view.isDrawing));
  squares.addEventListener('pointerdown', startPointer);
  squares.addEventListener('pointermove', movePointer);
  squares.addEventListener('pointerup', endPointer);
  squares.addEventListener('pointercancel', endPointer);
  squares.addEventListener('contextmenu', (event) => event.preventDefault());
  // After a long press the finger does not scroll the page.
  squares.addEventListener('touchmove', (event) => { if (dragged?.isMark) event.preventDefault(); }, { passive: false });
  squares.addEventListener('keydown', pressKey);
  // Clicks by keyboards and screen readers have `detail` 0.
  squares.addEventListener('click', (event) => {
    if (event.detail === 0) choose(Number(event.target.dataset.index));
  });
}
