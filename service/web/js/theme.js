// Before the first paint: the theme that this reader chose.
(() => {
  try {
    const chosen = JSON.parse(localStorage.getItem("regla.theme"));
    if (chosen) document.documentElement.dataset.theme = chosen;
  } catch { return; }
})();
