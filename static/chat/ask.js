// Ctrl+Enter or Cmd+Enter sends the question; it is sent once.
for (const form of document.querySelectorAll("[data-ask]")) {
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) {
      event.preventDefault();
    }
    form.dataset.sent = "yes";
  });
}
// A page that comes back from the browser's history may send again.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-ask]")) {
    delete form.dataset.sent;
  }
});
