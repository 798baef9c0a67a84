import type { CDPSession, Locator, Page } from 'playwright-core';
import { SIZES } from './faults.ts';
import { follow } from './every-page.ts';
import { LAYER } from './layer-measures.ts';

// Opens a dialog or a menu as people do, in any language, and shows it in several sizes and themes.

/** Says a text of the page in a language; `values` are those of its placeholders. */
export type Say = (message: string, values?: Record<string, string>) => string;

/** A button, a link or an entry of a menu by its text, or anything else. */
export type Step =
  | string
  | [message: string, values: Record<string, string>]
  | ((page: Page, say: Say) => Promise<unknown>);

export type Entry = {
  /** The title in English, with placeholders as in the code; of a menu, its label. */
  readonly title: string;
  /** The file that shows it. */
  readonly of: string;
  /** The page that it is opened on. */
  readonly at: string;
  readonly steps: readonly Step[];
  /** Where the title is not one of a dialog. */
  readonly layer?: string;
  /** Only shown on a phone, or only on a desktop. */
  readonly isPhone?: true;
  readonly isDesktop?: true;
  /** It is about something that is not there: the browser notes the refused request. */
  readonly isMissing?: true;
  /** What stands on top of each other on purpose, such as the corners of a crop. */
  readonly hasOverlaps?: true;
  /** Answers of the server that the page shows, by the end of their address. */
  readonly answers?: Readonly<Record<string, unknown>>;
};

export async function createSay(language: 'de' | 'en'): Promise<Say> {
  const texts: Record<string, string> =
    language === 'en'
      ? {}
      : await Bun.file(new URL(`../../src/web/locales/${language}.json`, import.meta.url)).json();
  return (message, values = {}) =>
    (texts[message] ?? message).replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
}

/** Returns the words of all texts of the page, to tell them from the names that people give. */
export async function readWords(language: 'de' | 'en'): Promise<ReadonlySet<string>> {
  const url = new URL('../../src/web/locales/de.json', import.meta.url);
  const texts: Record<string, string> = await Bun.file(url).json();
  const used = language === 'en' ? Object.keys(texts) : Object.values(texts);
  return new Set(used.flatMap((text) => text.match(/[\p{L}\p{N}]+/gu) ?? []));
}

const ROLES = ['button', 'menuitem', 'link', 'tab', 'option'] as const;

const findControl = (page: Page | Locator, name: string): Locator =>
  ROLES.map((role) => page.getByRole(role, { name, exact: true }))
    .reduce((all, one) => all.or(one))
    .filter({ visible: true })
    .first();

async function take(page: Page, step: Step, say: Say): Promise<unknown> {
  if (typeof step === 'function') return step(page, say);
  const [message, values] = typeof step === 'string' ? [step] : step;
  const name = say(message, values);
  // The latest one, once it is there: its code may still be loading.
  const inFront = page.locator('dialog[open], .yarl__root');
  return findControl((await inFront.count()) > 0 ? inFront.last() : page, name).click();
}

/** Opens it and marks its element for `measureLayer`. Throws if another one is open. */
export async function openLayer(page: Page, entry: Entry, say: Say): Promise<void> {
  const { at, steps, answers } = entry;
  for (const [end, json] of Object.entries(answers ?? {})) {
    await page.route(
      (url) => url.pathname.endsWith(end),
      (route) => (route.request().method() === 'GET' ? route.fulfill({ json }) : route.fallback()),
    );
  }
  const { pathname, search } = new URL(page.url());
  if (answers) await page.goto(at);
  else if (pathname + search !== at) await follow(page, at);
  // Buttons of the timeline are behind it.
  if (/^\/photos\/./.test(at)) await page.locator('.yarl__root').waitFor();
  for (const step of steps) await take(page, step, say);
  await markLayer(page, entry);
}

/** Marks its element, which is another one after the page has read anew what it shows. */
export async function markLayer(page: Page, entry: Entry): Promise<void> {
  const layer = page.locator(entry.layer ?? 'dialog[open]').last();
  await layer.waitFor();
  await layer.evaluate((element) => {
    for (const marked of document.querySelectorAll('[data-layer]')) {
      marked.removeAttribute('data-layer');
    }
    element.setAttribute('data-layer', '');
  });
}

export const TOAST = '[data-part=toast]';

const OPEN = 'dialog[open], [role=menu], [data-part=slideshow]';

/** Closes all that is open. */
export async function closeLayers(page: Page, { answers, layer }: Entry): Promise<void> {
  if (layer === TOAST) await page.locator(`${TOAST} .icon-button`).last().click();
  for (let tries = 0; tries < 4; tries++) {
    if ((await page.locator(OPEN).count()) === 0) break;
    await page.keyboard.press('Escape');
  }
  if (answers) await page.unrouteAll();
}

export type Size = (typeof SIZES)[number];

/** Shows the page at a size; below that of a desktop, with a finger instead of a mouse. */
export async function showAt(devtools: CDPSession, size: Size): Promise<boolean> {
  const isTouch = size !== SIZES[0];
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: isTouch });
  await devtools.send('Emulation.setDeviceMetricsOverride', {
    ...size,
    deviceScaleFactor: 1,
    mobile: isTouch,
  });
  return isTouch;
}

/** Waits until all pictures in it have come and nothing moves. */
export const settle = (page: Page): Promise<void> =>
  page.evaluate(async (selector) => {
    const images = [...document.querySelectorAll<HTMLImageElement>(`${selector} img`)];
    await Promise.allSettled(
      images.filter(({ loading }) => loading !== 'lazy').map((one) => one.decode()),
    );
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const running = document.getAnimations().filter(({ playState }) => playState === 'running');
    const finite = running.filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(finite.map(({ finished }) => finished));
  }, LAYER);

/** Takes a picture of the window as it is, whatever its size. */
export async function takePicture(devtools: CDPSession): Promise<Buffer> {
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'png' });
  return Buffer.from(data, 'base64');
}
