// Keeps the list of documents, or one document, fresh while something is being read.
import { morph, parsed, socketAt } from "../site/morph.js";

const POLL_MS = 2000;
const holder = document.querySelector("[data-corpus]");
const link = document.getElementById("corpus-link");
let waiting = false;
let again = false;
let failures = 0;

async function refresh() {
  if (waiting) {
    again = true;
    return;
  }
  waiting = true;
  try {
    const reply = await fetch(holder.dataset.rows, { credentials: "same-origin", cache: "no-store" });
    const fresh = reply.ok && !reply.redirected ? parsed(await reply.text(), "rows") : null;
    if (!fresh) {
      throw new Error(`The rows answered ${reply.status}.`);
    }
    morph(document.getElementById("rows"), fresh);
    failures = 0;
    link.hidden = true;
  } catch {
    failures += 1;
    if (failures > 4) {
      link.textContent = link.dataset.lost;
      link.hidden = false;
    }
  } finally {
    waiting = false;
  }
  if (again) {
    again = false;
    setTimeout(refresh, 150);
  }
}

const busy = () => Boolean(holder.querySelector("[data-busy], #no-worker"));

function connect(delay) {
  const socket = socketAt(holder.dataset.socket);
  let open = false;
  socket.addEventListener("open", () => {
    open = true;
  });
  socket.addEventListener("message", refresh);
  socket.addEventListener("close", () => {
    const next = open ? 1000 : Math.min(delay * 2, 30000);
    setTimeout(() => connect(next), next);
  });
}

connect(1000);
// Messages may be lost on the way; while something is being read the list is asked again anyway.
setInterval(() => {
  if (busy() && failures <= 4 && !document.hidden) {
    refresh();
  }
}, POLL_MS);
// The upload script on the same page says when a file has been taken.
document.addEventListener("corpus:changed", refresh);
