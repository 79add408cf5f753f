// Sends files one by one with their progress; takes files and folders that are dropped on the form.

const AT_ONCE = 2;
const form = document.querySelector("[data-drop]");
const input = form.querySelector("input[name=files]");
const folder = form.querySelector("[data-folder]");
const list = form.querySelector("[data-chosen]");
const told = form.querySelector("[data-told]");
const words = form.dataset;
let queue = [];
let active = 0;
let refused = 0;

function line(file, path) {
  const item = document.createElement("li");
  const name = document.createElement("span");
  name.className = "file";
  name.textContent = path || file.name;
  const said = document.createElement("span");
  said.className = "meta";
  item.append(name, said);
  return { file, path, item, name, said };
}

function choose(files) {
  queue = files.map(({ file, path }) => line(file, path));
  list.replaceChildren(...queue.map((entry) => entry.item));
  told.textContent = "";
  input.required = queue.length === 0;
}

const plain = (files) => [...files].map((file) => ({ file, path: file.webkitRelativePath || "" }));
// Hidden files of a folder (.DS_Store) are no documents.
const visible = ({ file }) => !file.name.startsWith(".");

input.addEventListener("change", () => choose(plain(input.files)));
folder.addEventListener("change", () => choose(plain(folder.files).filter(visible)));

function say(entry, text, bad) {
  entry.said.textContent = text;
  entry.said.classList.toggle("trouble", Boolean(bad));
  // The server's word names the file itself.
  entry.name.hidden = text.includes(entry.name.textContent);
  refused += bad ? 1 : 0;
}

// The server's word on one file; null when it gave none.
function verdict(request) {
  try {
    return JSON.parse(request.responseText).files[0];
  } catch {
    return null;
  }
}

function send(entry) {
  if (entry.file.size > Number(words.max)) {
    say(entry, words.large, true);
    return Promise.resolve();
  }
  const bar = document.createElement("progress");
  bar.max = 100;
  bar.value = 0;
  bar.setAttribute("aria-label", entry.path || entry.file.name);
  entry.item.append(bar);
  entry.said.textContent = words.sending;
  const body = new FormData();
  body.append("csrfmiddlewaretoken", form.querySelector("[name=csrfmiddlewaretoken]").value);
  body.append("files", entry.file, entry.file.name);
  body.append("path", entry.path);
  for (const [name, value] of new FormData(form)) {
    if (name === "visibility" || name === "groups") {
      body.append(name, value);
    }
  }
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", (event) => {
      bar.value = event.lengthComputable ? (100 * event.loaded) / event.total : 0;
    });
    request.addEventListener("loadend", () => {
      bar.remove();
      const found = verdict(request);
      if (found) {
        say(entry, found.said, found.outcome === "refused");
      } else if (request.status && new URL(request.responseURL).pathname !== new URL(form.action).pathname) {
        say(entry, words.out, true);
      } else {
        say(entry, words.lost, true);
      }
      document.dispatchEvent(new Event("corpus:changed"));
      done();
    });
    request.send(body);
  });
}

async function work(waiting) {
  while (waiting.length) {
    await send(waiting.shift());
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (active || queue.length === 0) {
    return;
  }
  active = 1;
  refused = 0;
  told.textContent = "";
  const waiting = [...queue];
  waiting.forEach((entry) => say(entry, words.waiting));
  await Promise.all(Array.from({ length: AT_ONCE }, () => work(waiting)));
  active = 0;
  queue = [];
  input.value = "";
  folder.value = "";
  input.required = true;
  told.textContent = refused ? words.part : words.end;
});

window.addEventListener("beforeunload", (event) => {
  if (active) {
    event.preventDefault();
  }
});

// All files below a dropped folder, each with its path.
async function below(entry) {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    return [{ file, path: entry.fullPath.replace(/^\//, "") }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    // A reader gives at most a hundred entries a time.
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) {
      return found;
    }
    for (const inner of some) {
      found.push(...(await below(inner)));
    }
  }
}

async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.some((entry) => entry.isDirectory)) {
    return (await Promise.all(entries.map(below))).flat().filter(visible);
  }
  return plain(transfer.files);
}

let depth = 0;
function over(change) {
  depth = Math.max(0, depth + change);
  form.classList.toggle("over", depth > 0);
}
form.addEventListener("dragenter", () => over(1));
form.addEventListener("dragleave", () => over(-1));
form.addEventListener("dragover", (event) => event.preventDefault());
form.addEventListener("drop", async (event) => {
  event.preventDefault();
  depth = 0;
  over(0);
  if (!active) {
    choose(await dropped(event.dataTransfer));
  }
});
