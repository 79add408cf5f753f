// Turns one element into another while it keeps what the reader holds: focus, open details, scroll.
// Children with an id are matched by it, others by their place.

function attributes(from, to) {
  for (const { name } of [...from.attributes]) {
    // Whether a <details> is open is the reader's choice.
    if (!to.hasAttribute(name) && !(name === "open" && from.nodeName === "DETAILS")) {
      from.removeAttribute(name);
    }
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value) {
      from.setAttribute(name, value);
    }
  }
}

export function morph(from, to) {
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName || (from.id || "") !== (to.id || "")) {
    from.replaceWith(to);
    return;
  }
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.nodeValue !== to.nodeValue) {
      from.nodeValue = to.nodeValue;
    }
    return;
  }
  if (from.isEqualNode(to)) {
    return;
  }
  attributes(from, to);
  const wanted = [...to.childNodes];
  wanted.forEach((child, index) => {
    const there = child.id ? from.querySelector(`:scope > #${CSS.escape(child.id)}`) : null;
    const place = from.childNodes[index] || null;
    if (there) {
      if (there !== place) {
        from.insertBefore(there, place);
      }
      morph(there, child);
    } else if (place && !place.id) {
      morph(place, child);
    } else {
      from.insertBefore(child, place);
    }
  });
  while (from.childNodes.length > wanted.length) {
    from.lastChild.remove();
  }
}

// The element with `id` out of a fetched piece of page.
export function parsed(html, id) {
  return new DOMParser().parseFromString(html, "text/html").getElementById(id);
}

// A socket at a path of this site: wss on https, and under whatever path the site is mounted.
export function socketAt(path) {
  const address = new URL(path, window.location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(address);
}
