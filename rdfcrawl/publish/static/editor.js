// Makes the SPARQL form answer in place; without this script the form does the same by loading a page.
"use strict";

(() => {
  const form = document.getElementById("editor");
  const field = document.getElementById("query");
  const answer = document.getElementById("answer");
  const endpoint = form.dataset.endpoint;

  const fail = (message) => {
    const made = document.createElement("pre");
    made.className = "error";
    made.textContent = message;
    answer.replaceChildren(made);
  };

  // The server makes the page with the answer, as for browsers without script; only the answer is taken from it.
  const show = async (response) => {
    const text = await response.text();
    if (!response.headers.get("content-type").includes("html")) return fail(text);
    const found = new DOMParser().parseFromString(text, "text/html").getElementById("answer");
    if (!found) return fail("The server sent something else than an answer.");
    answer.replaceChildren(...found.childNodes);
  };

  const run = async () => {
    form.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(endpoint, {
        method: "POST",
        headers: { Accept: "text/html", "Content-Type": "application/sparql-query" },
        body: field.value,
      });
      await show(response);
      history.replaceState(null, "", endpoint + "?query=" + encodeURIComponent(field.value));
    } catch (error) {
      fail("The server could not be reached: " + error.message);
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
    // The button that shares loads a page.
    if (event.submitter && event.submitter.name) return;
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
  answer.addEventListener("focusin", (event) => {
    if (event.target.readOnly) event.target.select();
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
