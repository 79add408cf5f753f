// Follows a run: each event fetches the live part as it stood after that event, so that every stage is
// seen in its order; text that is being written is appended. Events come by a socket, else as server-sent
// events; without either the page asks every two seconds and says so.
import { morph, parsed, socketAt } from "../site/morph.js";

const POLL_MS = 2000;
const RETRIES_MS = [300, 1000, 2500];
// The server says something at least every 15 seconds.
const SILENCE_MS = 40000;
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

// Text that is being written is appended where it stands; gives whether it could be.
function written(event) {
  const place = document.getElementById(`writing-${event.payload.position ?? 0}`);
  if (!place || event.payload.withdrawn) {
    return false;
  }
  if (event.payload.replace) {
    place.textContent = event.payload.text;
  } else {
    place.append(event.payload.text);
  }
  return true;
}

async function pump() {
  if (busy) {
    return;
  }
  busy = true;
  try {
    while (events.length) {
      const event = events.shift();
      if (event.kind === "answer.delta" && written(event)) {
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

// Takes an event from either road; gives whether it was the last one. An event that came before is dropped.
function take(event) {
  failures = 0;
  if (event.seq > seen) {
    seen = event.seq;
    events.push(event);
    pump();
  }
  return isLast(event.kind);
}

function connect() {
  let ended = false;
  let opened = false;
  const socket = socketAt(`${holder.dataset.socket}?after=${seen}`);
  let silence = setTimeout(() => socket.close(), SILENCE_MS);
  socket.addEventListener("open", () => {
    opened = true;
  });
  socket.addEventListener("message", (message) => {
    clearTimeout(silence);
    silence = setTimeout(() => socket.close(), SILENCE_MS);
    ended = take(JSON.parse(message.data));
  });
  socket.addEventListener("close", () => {
    clearTimeout(silence);
    if (ended || polling || !running()) {
      return;
    }
    // What cannot even be opened is rather blocked than broken, so it is tried twice only.
    if (failures < (opened ? RETRIES_MS.length : 1)) {
      setTimeout(connect, RETRIES_MS[failures++]);
    } else {
      failures = 0;
      stream();
    }
  });
}

// Where sockets do not get through, the same events come as server-sent events.
function stream() {
  const source = new EventSource(`${holder.dataset.events}?after=${seen}`);
  const give = () => {
    source.close();
    if (running()) {
      poll();
    }
  };
  // A proxy that holds replies back until they are whole gives nothing at all.
  let silence = setTimeout(give, SILENCE_MS);
  let heard = false;
  source.addEventListener("message", (message) => {
    heard = true;
    clearTimeout(silence);
    silence = setTimeout(give, SILENCE_MS);
    if (take(JSON.parse(message.data))) {
      clearTimeout(silence);
      source.close();
    }
  });
  source.addEventListener("error", () => {
    failures += 1;
    // The browser opens it again by itself and names the last event that it had.
    if (!heard || source.readyState === EventSource.CLOSED || failures > RETRIES_MS.length) {
      clearTimeout(silence);
      give();
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
