'use strict';

// The board editor. The edited board, as `parse` returns it, or null.
let edited = null;
// The piece that a click puts down; '' removes pieces, null moves them.
let brush = null;
// The square of the piece that is being moved.
let current = null;

function startEditing() {
  edited = boardNow();
  [brush, current, chosen] = [null, null, null];
  // Pending replies are not shown, and the library does not move.
  query++;
  setPlaying(null);
  say('');
  showEditor();
}

function stopEditing() {
  edited = null;
  showEditor();
}

// Shows the edited board and the pieces to choose from.
function showEditor() {
  document.body.classList.toggle('editing', edited !== null);
  element('editor').hidden = edited === null;
  if (edited === null) return;
  element('fen').value = write(edited);
  element('side').textContent = text(edited.side);
  const choices = [...Object.keys(PIECES), ''].map((piece) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = PIECES[piece] || text('remove');
    button.className = piece === '' ? 'remove' : piece < 'a' ? 'red' : 'black';
    button.dataset.piece = piece;
    button.setAttribute('aria-label', piece === '' ? text('remove') : pieceName(piece));
    button.setAttribute('aria-pressed', String(brush === piece));
    button.addEventListener('click', () => {
      [brush, current] = [brush === piece ? null : piece, null];
      showEditor();
    });
    return button;
  });
  element('palette').replaceChildren(...choices);
  drawBoard();
}

// Handles a click on a square of the edited board.
function editSquare(square) {
  const { squares } = edited;
  if (brush === '') {
    delete squares[square];
  } else if (brush !== null) {
    if (squares[square] === brush) delete squares[square];
    else squares[square] = brush;
  } else if (current !== null) {
    const piece = squares[current];
    delete squares[current];
    squares[square] = piece;
    current = null;
  } else if (squares[square]) {
    current = square;
  }
  say('');
  showEditor();
}

element('edit').addEventListener('click', startEditing);
element('side').addEventListener('click', () => {
  edited.side = edited.side === 'w' ? 'b' : 'w';
  showEditor();
});
element('clear').addEventListener('click', () => {
  [edited.squares, current] = [{}, null];
  showEditor();
});
element('fill').addEventListener('click', () => {
  [edited, current] = [parse(START), null];
  showEditor();
});
element('done').addEventListener('click', () => setUp(write(edited)));
element('cancel').addEventListener('click', () => {
  stopEditing();
  show();
});
