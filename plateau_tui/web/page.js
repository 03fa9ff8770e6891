// Tells the terminal of textual-serve where its web socket is: beside the page, whatever name and
// port the page was opened by (a tunnel's, for one). Runs before the terminal is made.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const asked = Number(new URLSearchParams(location.search).get("fontsize"));
  const size = Number.isInteger(asked) && asked >= 6 && asked <= 48 ? asked : 16;
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
