import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { isFull } from '../support/effort.ts';
import { PATIENCE_MS } from './server.ts';
import { slowDown } from './slow.ts';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell';

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // A page that is opened a while after the last click may not start a video, and the while is shorter than a busy machine takes.
      '--autoplay-policy=no-user-gesture-required',
      // Preview streams connect to a server of the same machine, also where there is no network.
      '--allow-loopback-in-peer-connection',
      '--disable-features=WebRtcHideLocalIpsWithMdns',
    ],
  });

export type Visitor = {
  context: BrowserContext;
  page: Page;
  /** Console errors, thrown errors and violations of the security policy, until now. */
  problems: string[];
};

/**
 * Opens a window. In a quick run it asks for less motion, which draws an eighth less; tests of what moves say
 * `no-preference`.
 */
export async function visit(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    reducedMotion: isFull ? 'no-preference' : 'reduce',
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  // Tests that route requests would not see those of a service worker.
  if (options.serviceWorkers !== 'allow') {
    await context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
  }
  await slowDown(context);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  return { context, page, problems };
}

/**
 * Returns the problems of a page that edits a film. A frame whose revision is superseded while it is fetched, and a
 * refused revision, stay in the console of the browser.
 */
export const listEditorProblems = ({ problems }: Visitor): string[] =>
  problems.filter((problem) => !(problem.includes('409') && problem.includes('/api/studio/')));

export type Photo = { name: string; mimeType: string; buffer: Buffer };

/** A JPEG with its own colours and a date in its metadata: '2024:07:14 15:32:10'. */
export async function photo(
  name: string,
  taken: string,
  width = 900,
  height = 600,
): Promise<Photo> {
  const seed = Bun.hash(`${name}${taken}`);
  const byte = (shift: number) => Number((seed >> BigInt(shift)) & 255n);
  const colors = [0, 8, 16, 24, 32, 40].map(byte);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="sky" x2="0.3" y2="1">
      <stop stop-color="rgb(${colors.slice(0, 3).join()})"/>
      <stop offset="1" stop-color="rgb(${colors.slice(3).join()})"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#sky)"/>
    <circle cx="${(byte(48) / 255) * width}" cy="${(byte(56) / 255) * height}" r="${height / 5}" fill="#fff8"/>
  </svg>`;
  const buffer = await sharp(Buffer.from(svg))
    .jpeg({ quality: 85 })
    .withExif({ IFD0: { Make: 'Acme', Model: 'Camera One' }, IFD2: { DateTimeOriginal: taken } })
    .toBuffer();
  return { name, mimeType: 'image/jpeg', buffer };
}

/** Drops files on the middle of the page, as from a file manager. */
export async function drop(page: Page, photos: readonly Photo[]): Promise<void> {
  const files = photos.map(({ name, mimeType, buffer }) => ({
    name,
    type: mimeType,
    base64: buffer.toString('base64'),
  }));
  const transfer = await page.evaluateHandle((list) => {
    const data = new DataTransfer();
    for (const { name, type, base64 } of list) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      data.items.add(new File([bytes], name, { type }));
    }
    return data;
  }, files);
  const target = page.locator('#content');
  await target.dispatchEvent('dragover', { dataTransfer: transfer });
  await target.dispatchEvent('drop', { dataTransfer: transfer });
}
