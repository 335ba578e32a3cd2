// A reviewed game: the graph of the expected points, the accuracy of both sides and their mistakes. All of it is
// stored in the game, and therefore in the address of the page.
import { lineAfter } from './game.js';
import { element, makeButton, t, language, GRADES } from './texts.js';
import { addShape } from './board.js';
import { app, go, moveText, numberText } from './study.js';

const [WIDTH, HEIGHT, LEFT, EDGE] = [600, 190, 48, 10];
const BOTTOM = HEIGHT - 24;
const GRADE_COLORS = { 6: '#b8860b', 2: '#d2691e', 4: '#c00020' };

// The text that a review adds to a comment.
const VERDICT = /\[%eval [^\]]*\]( (inaccuracy|mistake|blunder) \(-\d+ %\))?/g;

const mainLine = () => lineAfter(app.game.root);
const grade = (node) => node.glyphs.find((glyph) => glyph in GRADES);
const isReviewed = () => mainLine().some((node) => node.points !== null);

function drawGraph(nodes) {
  element('graph').replaceChildren();
  const attributes = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': t('graph') };
  const svg = addShape(element('graph'), 'svg', attributes);
  const step = (WIDTH - LEFT - EDGE) / Math.max(nodes.length - 1, 1);
  const x = (ply) => LEFT + step * ply;
  const y = (points) => EDGE + ((BOTTOM - EDGE) * (100 - points)) / 100;
  for (const [points, label] of [[100, t('w')], [50, '50'], [0, t('b')]]) {
    addShape(svg, 'line', { x1: LEFT, x2: WIDTH - EDGE, y1: y(points), y2: y(points), stroke: '#9a9a9a' });
    addShape(svg, 'text', { x: LEFT - 4, y: y(points) + 4, 'text-anchor': 'end' }, label);
  }
  const known = nodes.map((node, ply) => [ply, node.points]).filter(([, points]) => points !== null);
  const line = known.map(([ply, points]) => `${x(ply).toFixed(1)},${y(points).toFixed(1)}`);
  addShape(svg, 'polyline', { points: line.join(' '), fill: 'none', stroke: '#c0392b', 'stroke-width': 2 });
  nodes.forEach((node, ply) => {
    const found = grade(node);
    if (found) addShape(svg, 'circle', { cx: x(ply), cy: y(node.points ?? 50), r: 4, fill: GRADE_COLORS[found] });
    if (ply % 20 === 0 && ply) addShape(svg, 'text', { x: x(ply), y: HEIGHT - 5, 'text-anchor': 'middle' }, ply);
    const area = { class: 'ply', 'data-ply': ply, x: x(ply) - step / 2, y: 0, width: step, height: HEIGHT };
    const rectangle = addShape(svg, 'rect', area);
    addShape(rectangle, 'title', {}, node.move ? numberText(node) + moveText(node) : t('fill'));
    rectangle.addEventListener('click', () => go(node));
  });
}

function drawSides(nodes) {
  const row = (kind, cells) => {
    const tr = document.createElement('tr');
    cells.forEach((text, n) => {
      const cell = document.createElement(n === 0 ? 'th' : kind);
      if (cell.tagName === 'TH') cell.scope = kind === 'th' ? 'col' : 'row';
      cell.textContent = text;
      tr.append(cell);
    });
    return tr;
  };
  const rows = [['w', 'RedAccuracy'], ['b', 'BlackAccuracy']].map(([side, tag]) => {
    const own = nodes.filter((node) => node.parent && node.parent.position.side === side);
    const count = (glyph) => own.filter((node) => node.glyphs.includes(glyph)).length;
    const accuracy = app.game.tags[tag];
    return row('td', [t(side), accuracy ? `${accuracy} %` : '', count(6), count(2), count(4)]);
  });
  const head = [t('side'), t('accuracy'), `${t('inaccuracy')} ?!`, `${t('mistake')} ?`, `${t('blunder')} ??`];
  element('sides').replaceChildren(row('th', head), ...rows);
}

function drawMistakes(nodes) {
  const found = nodes.filter((node) => node.parent && grade(node));
  const buttons = found.map((node) => makeButton(numberText(node) + moveText(node), () => go(node)));
  element('mistakes').replaceChildren(...buttons);
}

let drawn = null;

export function showReview({ isForced = false } = {}) {
  const nodes = [app.game.root, ...mainLine()];
  const isShown = isReviewed();
  const key = [language, ...nodes.map((node) => `${node.move}${node.points}${node.glyphs}`)].join();
  if (isForced || key !== drawn) {
    drawn = key;
    for (const id of ['graph', 'sides', 'mistakes']) element(id).hidden = !isShown;
    if (isShown) {
      drawGraph(nodes);
      drawSides(nodes);
      drawMistakes(nodes);
    }
  }
  for (const area of element('graph').querySelectorAll('.ply')) {
    area.classList.toggle('current', nodes[area.dataset.ply] === app.game.node);
  }
  const { points } = app.game.node;
  element('points').textContent = isShown && points !== null ? t('points', points.toFixed(1)) : '';
  if (isShown) element('review-panel').hidden = false;
}

// Copies the verdicts of a reviewed game into the main line of the game on the board. Positions that were not searched,
// because the review was interrupted, keep those of an earlier review.
export function copyReview(reviewed) {
  // The server knows only the moves, not the result.
  const { Result: result = '*', ...tags } = app.game.tags;
  app.game.tags = { ...tags, ...reviewed.tags, Result: result };
  const copy = (to, from) => {
    if (from.points === null) return;
    // A comment of an earlier review names the grade whose glyph it has set; all other glyphs are the user's.
    const earlier = [...to.comment.matchAll(VERDICT)].map(([, , word]) => word);
    const isOwn = (glyph) => !(glyph in GRADES && earlier.includes(GRADES[glyph]));
    const glyphs = [...new Set([...to.glyphs.filter(isOwn), ...from.glyphs])];
    const own = to.comment.replaceAll(VERDICT, '').trim();
    const comment = [own, from.comment].filter(Boolean).join(' ');
    Object.assign(to, { comment, glyphs, points: from.points });
  };
  copy(app.game.root, reviewed.root);
  let [to, from] = [app.game.root, reviewed.root];
  while (to && from && from.children.length) {
    const [main, ...others] = from.children;
    const own = to.children.find((child) => child.move === main.move);
    if (!own) return;
    for (const other of others) graft(to, other);
    copy(own, main);
    [to, from] = [own, main];
  }
}

// Adds a line as a variation, unless it exists.
function graft(parent, node) {
  const known = parent.children.find((child) => child.move === node.move);
  if (known) node.children.forEach((child) => graft(known, child));
  else {
    node.parent = parent;
    parent.children.push(node);
  }
}
