'use strict';

// Starts with the position in the URL.
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
    // An invalid URL starts with the starting position.
  }
  if (!first || !await setUp(first)) await setUp(START);
}

begin();
