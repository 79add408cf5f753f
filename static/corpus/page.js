// Leafs with the arrow keys, and brings the marked place into view.

const typing = (element) => element.closest("input, textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const plain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
  // A picture that is wider than its frame is scrolled by the same keys.
  const scroller = event.target.closest(".sheet-scroll");
  const scrolls = scroller && scroller.scrollWidth > scroller.clientWidth;
  if (rel && plain && !scrolls && !typing(event.target)) {
    document.querySelector(`.leaf a[rel=${rel}]`)?.click();
  }
});

const mark = document.getElementById("mark");
const picture = document.querySelector(".sheet img");
function show() {
  if (!window.location.hash) {
    mark.scrollIntoView({ block: "center" });
  }
}
if (mark && picture) {
  if (picture.complete) {
    show();
  } else {
    picture.addEventListener("load", show);
  }
}
