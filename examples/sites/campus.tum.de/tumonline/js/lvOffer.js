// Loads one part of the course list and puts it in place of the part before.
(function () {
  "use strict";

  var box = document.getElementById("idLVOfferTable");

  function show(part) {
    var address = "wbLvOffer.part?pPageNr=" + part + "&porgnr=" + box.getAttribute("data-org");
    box.className = "coBusy";
    box.insertAdjacentHTML("afterbegin", '<div class="coLoading">Liste wird geladen \u2026</div>');
    fetch(address)
      .then(function (response) {
        if (!response.ok) { throw new Error("status " + response.status); }
        return response.text();
      })
      .then(function (table) { box.innerHTML = table; })
      .catch(function () { box.innerHTML = "<p>Die Liste kann nicht angezeigt werden.</p>"; })
      .then(function () { box.className = ""; });
    return false;
  }

  window.lvOffer = { show: show };
  show(1);
}());
