import { Marked, type RendererObject } from 'marked';
import type { BunPlugin } from 'bun';

/** A page of the documentation, as the web page shows it under Help. */
export type HelpDocument = { readonly title: string; readonly html: string };

/** Returns the anchor of a heading, as GitHub makes it: "While it runs" is #while-it-runs. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Links between documents lead to pages of Help. */
const toHref = (href: string): string =>
  href.replace(/^README\.md/, '/help').replace(/^([\w-]+)\.md/, '/help/$1');

const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

const renderer: RendererObject = {
  heading({ tokens, depth, text }) {
    return `<h${depth} id="${toAnchor(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  },
  link({ href, tokens }) {
    return `<a href="${escapeAttribute(toHref(href))}">${this.parser.parseInline(tokens)}</a>`;
  },
  code({ text }) {
    return `<pre tabindex="0"><code>${escapeAttribute(text.trimEnd())}</code></pre>\n`;
  },
};

/** Renders a document, whose first line is its title. It is ours: nothing in it is made harmless. */
export function renderDocument(markdown: string): HelpDocument {
  const [, title, body] = /^# (.+)\n([^]*)$/.exec(markdown) ?? [];
  if (title === undefined || body === undefined) throw new Error('a document has no title');
  const marked = new Marked({ renderer, gfm: true });
  const html = marked.parse(body, { async: false });
  // Wide tables scroll by themselves; with the keyboard too.
  const scrollable = html
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return { title, html: scrollable };
}

/** Renders the documentation where the page is bundled: the browser gets no parser of Markdown. */
export const renderDocuments: BunPlugin = {
  name: 'render-documents',
  setup(builder) {
    builder.onLoad({ filter: /\/appliance\/docs\/[\w-]+\.md$/ }, async ({ path }) => ({
      loader: 'json',
      contents: JSON.stringify(renderDocument(await Bun.file(path).text())),
    }));
  },
};
