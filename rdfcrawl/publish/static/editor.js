// Makes the SPARQL form answer in place; without this script the form does the same by loading a page.
"use strict";

(() => {
  const form = document.getElementById("editor");
  const field = document.getElementById("query");
  const answer = document.getElementById("answer");
  const endpoint = form.dataset.endpoint;
  const SHOWN = 1000;

  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const cell = (term) => {
    const made = element("td");
    if (!term) return made;
    const text = element("bdi", term.value.length > 300 ? term.value.slice(0, 299) + "…" : term.value);
    if (term.type === "uri") {
      const link = element("a");
      link.href = "/resource?iri=" + encodeURIComponent(term.value);
      link.append(text);
      made.append(link);
    } else {
      text.className = "text";
      made.append(text);
      if (term["xml:lang"]) made.append(" ", element("span", term["xml:lang"], "mark"));
    }
    return made;
  };

  const table = (result) => {
    const rows = result.results.bindings;
    const count = rows.length + (rows.length === 1 ? " row" : " rows");
    const note = element("p", rows.length > SHOWN ? `${count}, the first ${SHOWN} are shown` : count, "small");
    const made = element("table");
    const head = made.createTHead().insertRow();
    for (const name of result.head.vars) {
      const title = element("th", name);
      title.scope = "col";
      head.append(title);
    }
    const body = made.createTBody();
    for (const row of rows.slice(0, SHOWN)) {
      const line = body.insertRow();
      for (const name of result.head.vars) line.append(cell(row[name]));
    }
    const frame = element("div", undefined, "scroll");
    frame.tabIndex = 0;
    frame.append(made);
    return [note, frame];
  };

  const show = async (response) => {
    const text = await response.text();
    if (!response.ok) return [element("pre", text, "error")];
    if (!response.headers.get("content-type").includes("json")) return [element("pre", text, "graph")];
    const result = JSON.parse(text);
    return "boolean" in result ? [element("p", result.boolean ? "Yes" : "No", "lead")] : table(result);
  };

  const run = async () => {
    form.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(endpoint, {
        method: "POST",
        headers: {
          Accept: "application/sparql-results+json, text/turtle",
          "Content-Type": "application/sparql-query",
        },
        body: field.value,
      });
      answer.replaceChildren(...(await show(response)));
      history.replaceState(null, "", endpoint + "?query=" + encodeURIComponent(field.value));
    } catch (error) {
      answer.replaceChildren(element("pre", "The server could not be reached: " + error.message, "error"));
    } finally {
      form.removeAttribute("aria-busy");
    }
  };

  const rich = document.getElementById("rich");
  let yasqe = null;
  if (rich && window.Yasqe) {
    form.prepend(rich);
    rich.hidden = false;
    field.hidden = true;
    // Completion of prefixes and classes would ask other hosts.
    yasqe = new window.Yasqe(rich, {
      value: field.value,
      persistenceId: null,
      showQueryButton: false,
      createShareableLink: null,
      // It would put the query of the address in place of what the page has.
      consumeShareLink: null,
      autocompleters: ["variables"],
      extraKeys: { "Ctrl-Enter": () => run(), "Cmd-Enter": () => run() },
    });
    yasqe.on("change", () => { field.value = yasqe.getValue(); });
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  form.querySelector(".keys").hidden = false;
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  for (const example of document.querySelectorAll(".example")) {
    example.addEventListener("click", (event) => {
      event.preventDefault();
      field.value = example.dataset.query;
      if (yasqe) yasqe.setValue(field.value);
      form.scrollIntoView({ block: "start" });
      run();
    });
  }
})();
