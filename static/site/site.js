// Small helpers for every page. All pages work without them.

// A choice that is sent as soon as it is made needs no button.
for (const form of document.querySelectorAll("[data-autosubmit]")) {
  form.querySelector("button").hidden = true;
  form.querySelector("select").addEventListener("change", () => form.requestSubmit());
}

// What only works with this script is shown only with it.
for (const piece of document.querySelectorAll("[data-js]")) {
  piece.hidden = false;
}

// What is shown once can be taken along with one click.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    source.select();
    await navigator.clipboard.writeText(source.value);
    button.textContent = button.dataset.done;
  });
}
