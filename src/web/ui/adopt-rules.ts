/** Adds the rules of a part that is loaded later: those of modules are in the style sheet of the page. */
export function adoptRules(rules: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets.push(sheet);
}
