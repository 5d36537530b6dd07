// The picture of the links of a survey: zoomed with the wheel, two fingers or the buttons, moved by dragging; the links
// of the page below the pointer stand out. Without this script the picture is a plain drawing.
"use strict";

for (const svg of document.querySelectorAll("svg.links")) {
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const view = { x: 0, y: 0, size: 1 };
  const fingers = new Map();
  let moved = false;

  const show = () => {
    view.size = Math.min(1, Math.max(0.05, view.size));
    view.x = Math.min(width * (1 - view.size), Math.max(0, view.x));
    view.y = Math.min(height * (1 - view.size), Math.max(0, view.y));
    svg.setAttribute("viewBox", [view.x, view.y, width * view.size, height * view.size].join(" "));
    label();
  };
  // Labels keep their size on the screen, so that zooming makes room for more of them; the most central page is first.
  const label = () => {
    const unit = width * view.size / (svg.getBoundingClientRect().width || width);
    svg.setAttribute("font-size", 11 * unit);
    const taken = [];
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBBox();
      const free = box.x > view.x && box.x + box.width < view.x + width * view.size
        && box.y > view.y && box.y + box.height < view.y + height * view.size
        && taken.every((one) => box.x > one.x + one.width || one.x > box.x + box.width
          || box.y > one.y + one.height || one.y > box.y + box.height);
      if (free) taken.push(box);
      text.setAttribute("visibility", free ? "visible" : "hidden");
    }
  };
  const at = (clientX, clientY) => {
    const box = svg.getBoundingClientRect();
    return [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
  };
  const zoom = (factor, px = 0.5, py = 0.5) => {
    const size = Math.min(1, Math.max(0.05, view.size * factor));
    view.x += px * width * (view.size - size);
    view.y += py * height * (view.size - size);
    view.size = size;
    show();
  };

  svg.addEventListener("wheel", (event) => {
    // The wheel alone scrolls the page, as everywhere else.
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
    event.preventDefault();
    zoom((event.deltaY || event.deltaX) > 0 ? 1.2 : 1 / 1.2, ...at(event.clientX, event.clientY));
  }, { passive: false });

  svg.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    moved = false;
  });
  svg.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const box = svg.getBoundingClientRect();
    if (fingers.size === 2) {
      const [other] = [...fingers.values()].filter((one) => one.pointerId !== event.pointerId);
      const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
      zoom(apart(before) / apart(event), ...at((event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2));
    } else {
      view.x -= (event.clientX - before.clientX) / box.width * width * view.size;
      view.y -= (event.clientY - before.clientY) / box.height * height * view.size;
      show();
    }
    moved = moved || Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY) > 2;
    fingers.set(event.pointerId, event);
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
    svg.addEventListener(name, (event) => fingers.delete(event.pointerId));
  }
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener("click", (event) => {
    if (moved) event.preventDefault();
  }, true);

  const mark = (page) => {
    for (const one of svg.querySelectorAll(".marked")) one.classList.remove("marked");
    svg.classList.toggle("marking", page !== null);
    if (page === null) return;
    for (const one of svg.querySelectorAll(`[data-page="${page}"]`)) one.classList.add("marked");
  };
  const pageOf = (event) => event.target.closest("g[data-page], a")?.querySelector("[data-page]")?.dataset.page
    ?? event.target.closest("[data-page]")?.dataset.page ?? null;
  svg.addEventListener("pointerover", (event) => mark(pageOf(event)));
  svg.addEventListener("focusin", (event) => mark(pageOf(event)));
  svg.addEventListener("pointerleave", () => mark(null));

  const buttons = document.createElement("div");
  buttons.className = "zoom";
  const choices = [["+", "Zoom in", () => zoom(1 / 1.5)], ["−", "Zoom out", () => zoom(1.5)], ["↺", "Show all", () => zoom(20)]];
  for (const [sign, name, act] of choices) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sign;
    button.title = name;
    button.setAttribute("aria-label", name);
    button.addEventListener("click", act);
    buttons.append(button);
  }
  svg.parentElement.append(buttons);
  svg.classList.add("live");
  label();
  addEventListener("resize", label);
}
