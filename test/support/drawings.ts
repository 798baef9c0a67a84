// Small SVG files that ask for far more than they are worth.

const NS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
const draw = (content: string, side: number) =>
  `<svg ${NS} width="${side}" height="${side}">${content}</svg>`;

export type EvilDrawing = {
  readonly name: string;
  readonly kind: 'too-large' | 'broken' | 'rendered';
  readonly svg: () => string;
};

const LEVELS = Array.from({ length: 9 }, (_, level) => level);

export const EVIL_DRAWINGS: readonly EvilDrawing[] = [
  { name: 'huge.svg', kind: 'too-large', svg: () => draw('<rect width="9" height="9"/>', 60_000) },
  {
    name: 'thin.svg',
    kind: 'too-large',
    svg: () => `<svg ${NS} width="200000" height="2"><rect width="9" height="9"/></svg>`,
  },
  {
    name: 'entities.svg',
    kind: 'broken',
    svg: () => {
      const entities = LEVELS.map((n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`);
      return `<!DOCTYPE svg [<!ENTITY a0 "lol">${entities.join('')}]>${draw('<text>&a9;</text>', 50)}`;
    },
  },
  {
    name: 'nested.svg',
    kind: 'broken',
    svg: () => draw(`${'<g>'.repeat(50_000)}${'</g>'.repeat(50_000)}`, 50),
  },
  {
    // Drawn at the size of the preview: at its own it would take a hundred times as long.
    name: 'filter.svg',
    kind: 'rendered',
    svg: () =>
      draw(
        `<filter id="f">${'<feGaussianBlur stdDeviation="900"/>'.repeat(4)}</filter>
         <rect width="16000" height="16000" filter="url(#f)"/>`,
        16_000,
      ),
  },
];

/** Each element is drawn ten times by the next: librsvg counts them, and gives up after seconds. */
export const ENDLESS_DRAWING = draw(
  `<defs><g id="u0"><rect width="9" height="9"/></g>${LEVELS.map(
    (n) => `<g id="u${n + 1}">${`<use xlink:href="#u${n}"/>`.repeat(10)}</g>`,
  ).join('')}</defs><use xlink:href="#u9"/>`,
  50,
);
