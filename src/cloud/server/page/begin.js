'use strict';

// The page begins with the position that its address names.
async function begin() {
  translate();
  element('token').value = token;
  drawBoard();
  showStats();
  setInterval(showStats, 15000);
  let first = '';
  try {
    first = decodeURIComponent(location.hash.slice(1));
  } catch {
    // A broken address begins with the starting position.
  }
  if (!first || !await setUp(first)) await setUp(START);
}

begin();
