// Applies the kept theme before first paint. A file of its own because the content security policy forbids inline script.
(function () {
  var root = document.documentElement;
  try {
    var appearance = localStorage.getItem('appearance') || 'system';
    var dark =
      appearance === 'dark' ||
      (appearance === 'system' && window.matchMedia('(prefers-color-scheme: dark)').matches);
    root.dataset.appearance = dark ? 'dark' : 'light';
    var variables = JSON.parse(localStorage.getItem('themeVariables') || '{}');
    var kept = variables[dark ? 'dark' : 'light'] || {};
    for (var name in kept) if (name.indexOf('--theme') === 0) root.style.setProperty(name, kept[name]);
  } catch (error) {
    root.dataset.appearance = 'light';
  }
  if (/(?:^|; )language=en(?:;|$)/.test(document.cookie)) root.lang = 'en';
})();
