// Runs in the page: what is wrong with it as it is laid out now. Text that is hard to read (contrast by WCAG 2, of every
// visible text and of the ring around what has the focus, against the nearest background behind it), what is cut off, and a
// page that is not as "light" or "dark" as it should be.
export function faults(scheme) {
  const parse = (color) => (color.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const ratio = (color, node) => {
    const [a, b] = [light(parse(color)), light(behind(node))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const bad = [];
  for (const node of document.querySelectorAll("main *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (own && ratio(getComputedStyle(node).color, node) < 4.5) bad.push("contrast of " + node.textContent.slice(0, 30));
    const cut = node.clientWidth > 0 && node.scrollWidth > node.clientWidth + 1 && !node.closest("svg");
    if (cut) bad.push("cut off: " + node.outerHTML.slice(0, 60));
  }
  const focused = document.activeElement;
  if (focused !== document.body) {
    const { outlineStyle, outlineColor, outlineWidth } = getComputedStyle(focused);
    if (outlineStyle === "none" || parseFloat(outlineWidth) < 2) bad.push("focus is not seen");
    else if (ratio(outlineColor, focused.parentElement) < 3) bad.push("focus is hardly seen");
  }
  for (const node of document.querySelectorAll("button, a, input[type=password]")) {
    if (node.getBoundingClientRect().height < 44) bad.push("too small for a finger: " + node.outerHTML.slice(0, 60));
  }
  if ((light(behind(document.body)) < 0.2) !== (scheme === "dark")) bad.push("not " + scheme);
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) bad.push("scrolls sideways by " + (root.scrollWidth - root.clientWidth));
  if (root.lang !== "en" || !/ · Sandstorm$/.test(document.title)) bad.push("language or title");
  if (document.querySelectorAll("h1").length !== 1 || document.querySelectorAll("main").length !== 1) bad.push("landmarks");
  if (document.scripts.length) bad.push("a script");
  return bad;
}
