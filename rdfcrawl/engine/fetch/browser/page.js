// What rdfcrawl asks a page. Runs in a JavaScript world of its own: the page's scripts neither see nor change it.
globalThis.rdfcrawl ??= (() => {
  const HIDDEN = "data-rdfcrawl-hidden";
  const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
  const RAW = new Set("script style xmp noembed noframes".split(" "));
  const EMPTIED = new Set(["noscript", "iframe"]);
  const NEVER_SHOWN = new Set("head script style template noscript source track param area".split(" "));
  const MOST_SCREENS = 20;
  const HTML = "http://www.w3.org/1999/xhtml";

  // Forms and documents let elements named "childNodes" or "body" hide their own members; the prototypes do not.
  const reader = (prototype, name) => {
    const read = Object.getOwnPropertyDescriptor(prototype, name).get;
    return (node) => read.call(node);
  };
  const childNodes = reader(Node.prototype, "childNodes");
  const nodeType = reader(Node.prototype, "nodeType");
  const nodeValue = reader(Node.prototype, "nodeValue");
  const textContent = reader(Node.prototype, "textContent");
  const parentElement = reader(Node.prototype, "parentElement");
  const localName = reader(Element.prototype, "localName");
  const namespace = reader(Element.prototype, "namespaceURI");
  const attributes = reader(Element.prototype, "attributes");
  const characterSet = reader(Document.prototype, "characterSet");
  const shadowRoot = reader(Element.prototype, "shadowRoot");
  const rootElement = () => reader(Document.prototype, "documentElement")(document);
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name);
  const all = (root, selector) =>
    (root === document ? Document : root instanceof Element ? Element : DocumentFragment).prototype.querySelectorAll.call(root, selector);

  let lastChange = performance.now();
  const observer = new MutationObserver(() => {
    lastChange = performance.now();
  });
  const OBSERVED = {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
    attributeFilter: ["class", "hidden", "href", "disabled", "aria-busy", "aria-disabled"],
  };

  function* shadowRoots(root) {
    for (const element of all(root, "*")) {
      const shadow = shadowRoot(element);
      if (shadow) {
        yield shadow;
        yield* shadowRoots(shadow);
      }
    }
  }

  function observe() {
    observer.observe(document, OBSERVED);
    for (const shadow of shadowRoots(document)) observer.observe(shadow, OBSERVED);
  }
  observer.observe(document, OBSERVED);

  // An XPath may select attributes or texts; what can be clicked, counted or framed is the element around them.
  // Paths with variables or extension functions are the extractor's business; here they select nothing.
  function select(path) {
    const elements = [];
    try {
      const found = Document.prototype.evaluate.call(document, path, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
      for (let index = 0; index < found.snapshotLength; index++) {
        const node = found.snapshotItem(index);
        const owner = nodeType(node) === Node.ATTRIBUTE_NODE ? node.ownerElement : parentElement(node);
        const element = nodeType(node) === Node.ELEMENT_NODE ? node : owner;
        if (element) elements.push(element);
      }
    } catch {
      return [];
    }
    return elements;
  }

  // Two 32-bit hashes (FNV and a mix of it) side by side: enough to tell the states of one list apart.
  function hash(texts) {
    let low = 0x811c9dc5;
    let high = 0x9e3779b9;
    const add = (code) => {
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x85ebca6b) + low;
    };
    for (const text of texts) {
      for (let index = 0; index < text.length; index++) add(text.charCodeAt(index));
      add(0xffff);
    }
    return (high >>> 0).toString(36) + (low >>> 0).toString(36);
  }

  function entryText(element) {
    const links = [attribute(element, "href") ?? ""];
    for (const link of all(element, "[href]")) links.push(attribute(link, "href"));
    return `${textContent(element)}\n${links.join("\n")}`;
  }

  function wholeText() {
    const body = reader(Document.prototype, "body")(document) ?? rootElement();
    const texts = body ? [textContent(body)] : [];
    for (const shadow of shadowRoots(document)) texts.push(textContent(shadow));
    return texts;
  }

  // The list as it stands: its elements, or the whole document where the page has no list that XPath finds here.
  function state(path) {
    const entries = select(path);
    if (entries.length) {
      const busy = Boolean(entries[0].closest('[aria-busy="true"]'));
      return { list: true, size: entries.length, print: hash(entries.map(entryText)), busy };
    }
    return { list: false, size: all(document, "*").length, print: hash(wholeText()), busy: false };
  }

  const inert = () => !all(document, "script,[onload],[onerror]").length;
  const turn = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  // Resolves when the list has changed from `before` and is still, or when `bound` milliseconds are over.
  // A document that never rests (a clock, a carousel) counts as still when its list has been for `calm`.
  async function watch({ path, before, expected, quiet, calm, bound }) {
    observe();
    const begin = performance.now();
    let now = begin;
    let current = state(path);
    let readAt = begin;
    let listSince = begin;
    for (;;) {
      if (lastChange >= readAt && now - readAt >= quiet / 2) {
        const next = state(path);
        if (next.print !== current.print) listSince = now;
        current = next;
        readAt = now;
      }
      const changed = !before || (current.print !== before.print && (current.list || !before.list));
      const fulfilled = changed && (current.list || !expected || now - begin >= expected);
      const documentStill = now - lastChange >= quiet || (!before && inert());
      const listStill = current.list && now - listSince >= calm;
      if ((fulfilled && !current.busy && (documentStill || listStill)) || now - begin >= bound) return { ...current, changed };
      await turn(Math.min(quiet / 2, Math.max(1, bound - (now - begin))));
      now = performance.now();
    }
  }

  // The place, in the list of paths, of the first whose element shows itself; nothing if none does within the bound.
  async function appearing(paths, bound) {
    const begin = performance.now();
    for (;;) {
      const index = paths.findIndex((path) => select(path).some(isShown));
      if (index >= 0) return index;
      if (performance.now() - begin >= bound) return null;
      await turn(20);
    }
  }

  function isShown(element) {
    return element.getClientRects().length > 0 && getComputedStyle(element).visibility === "visible";
  }

  function isDisabled(element) {
    if (element.matches(':disabled,[aria-disabled="true"],[inert],[inert] *')) return true;
    if (getComputedStyle(element).pointerEvents === "none") return true;
    const item = parentElement(element)?.closest("li");
    return [element, item].some((one) => one && /(^|[\s_-])disabled(\s|$)/i.test(attribute(one, "class") ?? ""));
  }

  const isUsable = (element) => isShown(element) && !isDisabled(element);

  // As the extractor sees it: the element's own link, else the one around it, else the only one inside.
  function hrefOf(element) {
    const link = element.closest("[href]");
    if (link) return attribute(link, "href");
    const inside = new Set(Array.from(all(element, "a[href],area[href]"), (one) => attribute(one, "href")));
    return inside.size === 1 ? [...inside][0] : null;
  }

  function addressOf(element) {
    const href = hrefOf(element);
    if (!href?.trim()) return null;
    try {
      const address = new URL(href, document.baseURI);
      if (!/^https?:$/.test(address.protocol)) return null;
      address.hash = "";
      const here = new URL(location.href);
      here.hash = "";
      return address.href === here.href ? null : address.href;
    } catch {
      return null;
    }
  }

  // What a path's button offers: "none", an "address" that is a page of its own, "off", or a "click".
  function button(path) {
    const found = select(path);
    if (!found.length) return "none";
    if (addressOf(found[0])) return "address";
    return found.some(isUsable) ? "click" : "off";
  }

  function canClick(path) {
    return select(path).some(isUsable);
  }

  // The events of a click, on the element itself: no layer above it can catch them, no moving element escapes them.
  function click(path) {
    const element = select(path).find(isUsable);
    if (!element) return false;
    element.scrollIntoView({ block: "center", behavior: "instant" });
    const { x, y, width, height } = element.getBoundingClientRect();
    const at = { bubbles: true, cancelable: true, composed: true, clientX: x + width / 2, clientY: y + height / 2 };
    element.dispatchEvent(new PointerEvent("pointerdown", { ...at, pointerId: 1, isPrimary: true }));
    element.dispatchEvent(new MouseEvent("mousedown", at));
    element.dispatchEvent(new PointerEvent("pointerup", { ...at, pointerId: 1, isPrimary: true }));
    element.dispatchEvent(new MouseEvent("mouseup", at));
    inThisWindow(element, () => HTMLElement.prototype.click.call(element));
    return true;
  }

  // Gives a field a value as typing does, so that scripts notice; returns what is wrong, if anything is.
  function fill(path, value) {
    const element = select(path)[0];
    if (!element) return "is not on the page";
    const off = ["", "false", "0", "off", "no"].includes(value.trim().toLowerCase());
    if (element.matches("input[type=checkbox],input[type=radio]")) {
      if (element.checked === off) inThisWindow(element, () => HTMLElement.prototype.click.call(element));
      return null;
    }
    if (element instanceof HTMLSelectElement) {
      const chosen = [...element.options].find((one) => one.value === value || one.label.trim() === value);
      if (!chosen) return "has no option " + value;
      element.value = chosen.value;
    } else if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
      // Frameworks replace the setter on the element itself.
      const prototype = Object.getPrototypeOf(element);
      Object.getOwnPropertyDescriptor(prototype, "value").set.call(element, value);
    } else if (element.isContentEditable) {
      element.textContent = value;
    } else {
      return "is not a field";
    }
    element.dispatchEvent(new InputEvent("input", { bubbles: true }));
    element.dispatchEvent(new Event("change", { bubbles: true }));
    return null;
  }

  function submit(path) {
    const element = select(path)[0];
    if (!element) return false;
    if (!(element instanceof HTMLFormElement)) return click(path);
    inThisWindow(element, () => HTMLFormElement.prototype.requestSubmit.call(element));
    return true;
  }

  async function present(path, bound) {
    const begin = performance.now();
    while (!select(path).length) {
      if (performance.now() - begin >= bound) return false;
      await turn(20);
    }
    return true;
  }

  function inThisWindow(element, act) {
    const opener = element.closest("a[href],area[href]") ?? element.form ?? element.closest("form");
    const target = opener && attribute(opener, "target");
    opener?.setAttribute("target", "_self");
    act();
    if (target) opener.setAttribute("target", target);
    else opener?.removeAttribute("target");
  }

  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  function scrollers(path) {
    const found = [document.scrollingElement ?? rootElement()];
    const entries = select(path);
    for (let box = entries.at(-1); box; box = parentElement(box)) {
      if (box.scrollHeight > box.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(box).overflowY)) found.push(box);
    }
    return found;
  }

  // In steps of a screen, as a reader would, from the end of the list: what loads may stand before a long tail.
  // The end is where it was at the start: what grows meanwhile is left to the next time.
  async function scrollToEnd(path) {
    const last = select(path).at(-1);
    const page = document.scrollingElement ?? rootElement();
    for (const box of scrollers(path)) {
      if (box !== page) box.scrollIntoView({ block: "nearest", behavior: "instant" });
      const screen = Math.max(100, box === page ? innerHeight : box.clientHeight);
      const end = box.scrollHeight - screen;
      const edge = box === page ? 0 : box.getBoundingClientRect().top;
      const tail = last ? last.getBoundingClientRect().top - edge + box.scrollTop : box.scrollTop - MOST_SCREENS * screen;
      for (let top = Math.max(0, Math.min(tail, box.scrollTop) - screen); top < end; top += screen * 0.8) {
        box.scrollTo({ top, behavior: "instant" });
        await frame();
      }
      box.scrollTo({ top: end, behavior: "instant" });
      await frame();
    }
    await frame();
  }

  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quoted = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

  const LINKS = [
    [HTMLAnchorElement, "href"],
    [HTMLAreaElement, "href"],
    [HTMLFrameElement, "src"],
    [HTMLIFrameElement, "src"],
  ].map(([kind, name]) => ({ kind, name, address: reader(kind.prototype, name) }));

  // Browsers send the query of a link in the character set of its page; what is written here no longer states that.
  function valueOf(element, { name, value }) {
    const link = /\?[^#]*[^\0-\x7f]/.test(value) ? LINKS.find((one) => one.name === name && element instanceof one.kind) : null;
    return link && !/^UTF-/i.test(characterSet(document)) ? link.address(element) : value;
  }

  function openTag(element, name, hidden) {
    let tag = `<${name}`;
    for (const one of attributes(element)) if (one.name !== HIDDEN) tag += ` ${one.name}="${quoted(valueOf(element, one))}"`;
    return `${tag}${hidden ? ` ${HIDDEN}=""` : ""}>`;
  }

  // The flat tree as HTML: open shadow roots stand in place of their host's children, what is hidden is marked.
  // Nothing comes back of a document with more than `most` characters.
  function serialise(most) {
    const pieces = [];
    let shown = 0;

    function writeAll(nodes, boxless, texts) {
      for (const node of nodes) {
        const type = nodeType(node);
        if (type === Node.ELEMENT_NODE) writeElement(node, boxless);
        else if (type === Node.TEXT_NODE) texts.push(pieces.push(escaped(nodeValue(node))) - 1);
        else if (type === Node.COMMENT_NODE) pieces.push(`<!--${nodeValue(node).replaceAll(/--|^-?>|-$/g, " ")}-->`);
      }
    }

    // Below an element without a box nothing is shown, whatever its style says.
    function writeElement(element, boxless) {
      const isHtml = namespace(element) === HTML;
      const name = localName(element) === "plaintext" ? "pre" : localName(element);
      if (isHtml && name === "slot" && element.getRootNode() instanceof ShadowRoot) {
        const assigned = element.assignedNodes();
        writeAll(assigned.length ? assigned : childNodes(element), boxless, []);
        return;
      }
      boxless ||= isHtml && NEVER_SHOWN.has(name);
      const style = boxless ? null : getComputedStyle(element);
      const gone = style !== null && (style.display === "none" || style.contentVisibility === "hidden");
      const invisible = style !== null && !gone && style.visibility !== "visible";
      const place = pieces.push(openTag(element, name, gone)) - 1;
      if (style && !gone && !invisible) shown++;
      if (isHtml && VOID.has(name)) return;
      const shownBefore = shown;
      const texts = [];
      writeContent(element, isHtml ? name : "", boxless || gone, texts);
      if (invisible && shown === shownBefore) {
        pieces[place] = openTag(element, name, true);
      } else if (invisible) {
        // Something inside is shown again, so the mark cannot stand here: the element's own texts are left out.
        for (const index of texts) pieces[index] = "";
      }
      pieces.push(`</${name}>`);
    }

    function writeContent(element, name, boxless, texts) {
      if (EMPTIED.has(name)) return;
      if (RAW.has(name)) {
        pieces.push(textContent(element).replaceAll(new RegExp(`</(?=${name})`, "gi"), "<\\/"));
      } else if (name === "template") {
        pieces.push(element.innerHTML);
      } else {
        // Parsers drop a line break at the start of these.
        if (name === "pre" || name === "textarea" || name === "listing") pieces.push("\n");
        writeAll(childNodes(shadowRoot(element) ?? element), boxless, texts);
      }
    }

    const doctype = reader(Document.prototype, "doctype")(document);
    if (doctype) pieces.push(new XMLSerializer().serializeToString(doctype));
    const root = rootElement();
    if (root) writeElement(root, false);
    return pieces.reduce((length, piece) => length + piece.length, 0) > most ? null : pieces.join("");
  }

  // Frames around what the paths select, each with its label; returns how many there are of each.
  function mark(marks) {
    const layer = rootElement().appendChild(document.createElement("div"));
    layer.style.cssText = "all:initial;position:absolute;left:0;top:0;z-index:2147483647;pointer-events:none";
    const taken = [];
    return marks.map(([path, label], index) => {
      const colour = `hsl(${(index * 137) % 360} 85% 38%)`;
      const found = select(path);
      for (const element of found) {
        const box = element.getBoundingClientRect();
        const edge = layer.appendChild(document.createElement("div"));
        edge.style.cssText = `position:absolute;box-sizing:border-box;border:2px solid ${colour};left:${box.left + scrollX}px;top:${box.top + scrollY}px;width:${box.width}px;height:${box.height}px`;
        const text = edge.appendChild(document.createElement("span"));
        text.textContent = label;
        text.style.cssText = `position:absolute;left:-2px;top:-14px;font:11px/14px sans-serif;white-space:nowrap;color:#fff;background:${colour};padding:0 4px`;
        // An object and its first property often begin at the same corner: the later label moves to the right.
        let place = text.getBoundingClientRect();
        for (const other of taken) {
          if (other.top < place.bottom && place.top < other.bottom && other.left < place.right && place.left < other.right) {
            text.style.left = `${parseFloat(text.style.left) + other.right - place.left}px`;
            place = text.getBoundingClientRect();
          }
        }
        taken.push(place);
      }
      return found.length;
    });
  }

  return { state, watch, appearing, button, canClick, click, fill, submit, present, scrollToEnd, serialise, mark };
})();
