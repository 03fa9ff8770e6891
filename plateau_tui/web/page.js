// Tells the terminal of textual-serve where its web socket is: beside the page, whatever name and
// port the page was opened by (a tunnel's, for one). Runs before the terminal is made.
"use strict";
// The largest usual size in which the console's 60x20 fit a small window, a phone's for one: a cell
// of the font is 0.6 of it wide and 1.34 high; a scroll bar takes 16 pixels.
function fitting() {
  const wide = (window.innerWidth - 16) / (60 * 0.6);
  const high = window.innerHeight / (20 * 1.34);
  return Math.max(6, Math.min(16, Math.floor(Math.min(wide, high))));
}
document.addEventListener("DOMContentLoaded", () => {
  const asked = Number(new URLSearchParams(location.search).get("fontsize"));
  const size = Number.isInteger(asked) && asked >= 6 && asked <= 48 ? asked : fitting();
  const socket = new URL("ws", location.href);
  socket.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  socket.search = "";
  socket.hash = "";
  const terminal = document.getElementById("terminal");
  terminal.dataset.sessionWebsocketUrl = socket.href;
  terminal.dataset.fontSize = String(size);
  // The keys go to the terminal as soon as its socket is open.
  const watch = new MutationObserver(() => {
    if (document.body.classList.contains("-loaded")) {
      watch.disconnect();
      terminal.querySelector("textarea")?.focus();
    }
  });
  watch.observe(document.body, { attributes: true });
  document.getElementById("again").addEventListener("click", () => location.reload());
});
