import sharp from 'sharp';

export type Page = {
  readonly name: string;
  readonly font: string;
  readonly size: number;
  readonly lines: readonly string[];
};

/** Pages with known text. */
export const PAGES: readonly Page[] = [
  {
    name: 'receipt',
    font: 'DejaVu Sans Mono',
    size: 34,
    lines: [
      'CORNER MARKET',
      '42 Main Street',
      'Receipt No 00123',
      'Date 03/14/2024 09:15',
      'Whole milk 4.50',
      'Fresh bread 3.25',
      'Subtotal 7.75',
      'Sales tax 0.62',
      'TOTAL $8.37',
      'Thank you for shopping',
    ],
  },
  {
    name: 'German invoice',
    font: 'DejaVu Sans',
    size: 34,
    lines: [
      'Mustermann Elektro GmbH',
      'Rechnung',
      'Rechnungsnummer: RE-2024-0815',
      'Rechnungsdatum: 03.03.2024',
      'Wir prüfen Ihre Anlage jährlich',
      'für größere Gebäude',
      'Gesamtbetrag 1.190,00 EUR',
      'Zahlbar bis 17.03.2024',
    ],
  },
  {
    name: 'English letter',
    font: 'DejaVu Serif',
    size: 32,
    lines: [
      '5 May 2022',
      'Dear Mr Jones,',
      'thank you for writing to us about',
      'the garden behind our house.',
      'We hope to see you in summer.',
      'Yours sincerely',
      'Ann Smith',
    ],
  },
  { name: 'sign', font: 'DejaVu Sans', size: 90, lines: ['NO PARKING', 'EXIT ONLY'] },
];

const [WIDTH, MARGIN] = [1000, 70];

/** Renders a page dark on white, like a scan. */
export function renderPage({ font, size, lines }: Page): Promise<Buffer> {
  const step = Math.round(size * 1.8);
  const height = 2 * MARGIN + lines.length * step;
  const texts = lines.map((line, at) => {
    const escaped = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `<text x="${MARGIN}" y="${MARGIN + (at + 0.7) * step}" font-family="${font}" font-size="${size}">${escaped}</text>`;
  });
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}">
        <rect width="100%" height="100%" fill="#fbfaf6"/><g fill="#222">${texts.join('')}</g></svg>`,
    ),
  )
    .jpeg({ quality: 92 })
    .toBuffer();
}

/** Rotates, blurs, adds noise, scales down and compresses, like a hurried photo. */
export async function simulatePhonePhoto(picture: Buffer): Promise<Buffer> {
  const turned = await sharp(picture).rotate(6, { background: '#8a7f70' }).toBuffer();
  const { width } = await sharp(turned).metadata();
  const { data, info } = await sharp(turned)
    .resize(Math.round(width * 0.8))
    .blur(0.9)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const random = createSeededRandom(7);
  for (let at = 0; at < data.length; at++) {
    // The sum of three approximates the noise of a sensor.
    const noise = (random() + random() + random() - 1.5) * 24;
    data[at] = Math.max(0, Math.min(255, data[at]! + noise));
  }
  return sharp(data, { raw: info }).jpeg({ quality: 45 }).toBuffer();
}

/** Returns a generator of reproducible numbers from 0 to 1. */
function createSeededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** Returns the edit distance in characters without white space, and the number of characters. */
export function countCharacterErrors(
  expected: string,
  read: string,
): { errors: number; of: number } {
  const [a, b] = [toCharacters(expected), toCharacters(read)];
  let row = b.map((_letter, at) => at + 1);
  row.unshift(0);
  for (const [at, letter] of a.entries()) {
    const next = [at + 1];
    for (const [place, other] of b.entries()) {
      const changed = row[place]! + (letter === other ? 0 : 1);
      next.push(Math.min(changed, row[place + 1]! + 1, next[place]! + 1));
    }
    row = next;
  }
  return { errors: row.at(-1)!, of: a.length };
}

const toCharacters = (text: string): string[] => Array.from(text.replaceAll(/\s+/g, ''));
