// Follows a run: each event of the socket fetches the live part as it stood after that event, so that
// every stage is seen in its order. Without a socket the page asks every two seconds and says so.
import { morph, parsed, socketAt } from "../site/morph.js";

const POLL_MS = 2000;
const RETRIES_MS = [300, 1000, 2500];
const holder = document.querySelector("[data-run]");
const link = document.getElementById("run-link");
const spoken = document.getElementById("run-status");
const events = [];
let seen = Number(live().dataset.seq);
let busy = false;
let failures = 0;
let polling = false;

function live() {
  return document.getElementById("live");
}

function running() {
  return live().dataset.state === "running";
}

async function refresh(upto) {
  const address = new URL(holder.dataset.page, window.location.href);
  address.searchParams.set("partial", "live");
  if (upto) {
    address.searchParams.set("upto", upto);
  }
  const reply = await fetch(address, { credentials: "same-origin", cache: "no-store" });
  const fresh = reply.ok && !reply.redirected ? parsed(await reply.text(), "live") : null;
  if (!fresh) {
    throw new Error(`The live part answered ${reply.status}.`);
  }
  const said = fresh.dataset.said;
  morph(live(), fresh);
  if (spoken.textContent !== said) {
    spoken.textContent = said;
  }
}

const painted = () =>
  new Promise((done) => {
    const timer = setTimeout(done, 100); // A hidden tab paints nothing.
    requestAnimationFrame(() => {
      clearTimeout(timer);
      setTimeout(done, 0);
    });
  });

async function pump() {
  if (busy) {
    return;
  }
  busy = true;
  try {
    while (events.length) {
      const event = events.shift();
      // Of many pieces of text in a row only the last one needs to be drawn.
      if (event.kind === "answer.delta" && events[0]?.kind === "answer.delta") {
        continue;
      }
      await refresh(isLast(event.kind) ? 0 : event.seq);
      await painted();
    }
  } catch {
    events.length = 0;
    poll();
  } finally {
    busy = false;
  }
}

function isLast(kind) {
  return ["run.finished", "run.failed", "run.interrupted"].includes(kind);
}

function connect() {
  let ended = false;
  const socket = socketAt(`${holder.dataset.socket}?after=${seen}`);
  socket.addEventListener("message", (message) => {
    const event = JSON.parse(message.data);
    seen = event.seq;
    failures = 0;
    ended = isLast(event.kind);
    events.push(event);
    pump();
  });
  socket.addEventListener("close", () => {
    if (ended || polling || !running()) {
      return;
    }
    if (failures < RETRIES_MS.length) {
      setTimeout(connect, RETRIES_MS[failures++]);
    } else {
      poll();
    }
  });
}

function say(text) {
  link.textContent = text;
  link.hidden = !text;
}

async function poll(tries = 0) {
  if (tries === 0) {
    if (polling) {
      return;
    }
    polling = true;
    say(link.dataset.polling);
  }
  let failed = tries;
  try {
    await refresh(0);
    failed = 1;
  } catch {
    failed += 1;
  }
  if (!running()) {
    say("");
    return;
  }
  if (failed > 5) {
    say(link.dataset.signedOut);
    return;
  }
  setTimeout(() => poll(failed), POLL_MS);
}

if (running()) {
  spoken.textContent = live().dataset.said;
  connect();
}
