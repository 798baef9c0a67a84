// bun test/bench/page.bench.ts [assets …]: how soon the page shows its largest picture after a load with an empty cache
// (LCP), how long what a person does takes to be drawn (INP: the longest of each kind of interaction), the frames of
// scrolling, the first picture on a line of 1.5 Mbit/s, and an opened photo, in ms, in Chromium without a GPU, in libraries
// of these sizes; interactions also on a processor that is four times slower. Prints a line of JSON for each.
import type { Page } from 'playwright-core';
import { addManyPhotos } from '../e2e/large-library.ts';
import { watchShifts, readShifts } from '../e2e/layout-shifts.ts';
import { PHONE, viewerOpened } from '../e2e/people.ts';
import { getSharedBrowser } from '../e2e/shared.ts';
import { enter, openOwnStage, type Stage } from '../e2e/stage.ts';
import { quantile, round, spread } from './measure.ts';

const LOADS = 12;
const ROUNDS = 12;
const DESKTOP = { viewport: { width: 1440, height: 900 } };
const PICTURE = '[data-part=tile] img[data-loaded]';

const tell = (name: string, result: object) => console.log(JSON.stringify({ name, ...result }));

async function measureLoads(stage: Stage, name: string, options: object): Promise<void> {
  const times: number[] = [];
  let shifts = 0;
  for (let load = 0; load < LOADS; load++) {
    const { context, page } = await enter(stage, { ...options, at: '/api/server/ping' });
    await watchShifts(context);
    await page.goto('/photos');
    await page.locator(PICTURE).first().waitFor();
    await page.waitForLoadState('networkidle');
    times.push(await page.evaluate(readLargestPaint));
    for (const { value } of await readShifts(page)) shifts += value;
    await context.close();
  }
  tell(`LCP, ${name}`, { firstMs: round(times[0]!), ...spread(times), cls: shifts / LOADS });
}

/** Runs in the page. */
const readLargestPaint = (): Promise<number> =>
  new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1)!.startTime)).observe({
      type: 'largest-contentful-paint',
      buffered: true,
    });
  });

type Interaction = { readonly name: string; readonly run: (page: Page) => Promise<unknown> };

const press = (name: string, key: string, selector: string): Interaction => ({
  name,
  async run(page) {
    await page.keyboard.press(key);
    await page.locator(selector).first().waitFor();
  },
});

const INTERACTIONS: readonly Interaction[] = [
  {
    name: 'open a photo',
    async run(page) {
      await page.locator('[data-part=tile-link]').nth(5).click();
      await viewerOpened(page);
    },
  },
  press('next photo', 'ArrowRight', 'role=dialog >> img'),
  press('previous photo', 'ArrowLeft', 'role=dialog >> img'),
  press('its details', 'i', '[data-part=info]'),
  press('close the photo', 'Escape', PICTURE),
  { name: 'select a photo', run: (page) => page.locator('[data-part=tile-check]').nth(4).click() },
  press('select all', 'Control+a', '[data-part=selection-bar]'),
  press('select none', 'Escape', PICTURE),
  press('list of keys', '?', 'role=dialog'),
  press('close the list', 'Escape', PICTURE),
  press('command palette', 'Control+k', 'role=dialog'),
  press('a letter in it', 'a', 'role=dialog'),
  press('close it', 'Escape', PICTURE),
];

/** `slower`: how many times slower than it is the processor of the page seems. */
async function measureInteractions(stage: Stage, name: string, slower: number): Promise<void> {
  const { context, page } = await enter(stage, { ...DESKTOP, at: '/photos' });
  page.setDefaultTimeout(20_000);
  await page.locator(PICTURE).first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.evaluate(watchInteractions);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower });
  const all: number[] = [];
  const found = new Map<string, number[]>();
  const opened: number[] = [];
  for (let at = 0; at < ROUNDS; at++) {
    opened.push(await page.evaluate(openPhoto, { tile: 10 + at, picture: PICTURE }));
    await page.keyboard.press('Escape');
    await page.waitForTimeout(500);
    await page.evaluate(takeLongest);
    for (const { name: what, run } of INTERACTIONS) {
      await run(page);
      const ms = await page.evaluate(takeLongest);
      all.push(ms);
      found.set(what, [...(found.get(what) ?? []), ms]);
    }
  }
  for (const [what, times] of found) tell(`${what}, ${name}`, spread(times));
  tell(`the picture of an opened photo, ${name}`, spread(opened));
  tell(`INP, ${name}`, { p75Ms: quantile(all, 0.75), p98Ms: quantile(all, 0.98) });
  await context.close();
}

/** Runs in the page. Returns the ms from the click on a photo to its own picture, not only its thumbnail. */
async function openPhoto({ tile, picture }: { tile: number; picture: string }): Promise<number> {
  const start = performance.now();
  document.querySelectorAll<HTMLElement>(picture)[tile]!.click();
  const isThere = () => {
    const image = document.querySelector<HTMLImageElement>(
      '.yarl__slide_current .yarl__slide_image',
    );
    return image?.complete === true && image.naturalWidth > 0;
  };
  while (!isThere()) await new Promise((resolve) => requestAnimationFrame(resolve));
  return performance.now() - start;
}

/** ADSL, or a phone with a weak signal: in bytes a second, and in ms. */
const SLOW_LINE = { downloadThroughput: 1.5e6 / 8, uploadThroughput: 0.75e6 / 8, latency: 40 };

async function measureSlowLine(stage: Stage, name: string, options: object): Promise<void> {
  const times: number[] = [];
  for (let load = 0; load < LOADS / 2; load++) {
    const { context, page } = await enter(stage, { ...options, at: '/api/server/ping' });
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', { offline: false, ...SLOW_LINE });
    const start = performance.now();
    await page.goto('/photos', { waitUntil: 'commit' });
    await page.locator(PICTURE).first().waitFor();
    times.push(performance.now() - start);
    await context.close();
  }
  tell(`first picture on 1.5 Mbit/s, ${name}`, spread(times));
}

type Watched = { longest: number };

/** Runs in the page: keeps the longest time from an input to the frame that shows its effect. */
function watchInteractions(): void {
  const watched: Watched = { longest: 0 };
  Object.assign(window, { watched });
  const options = { type: 'event', durationThreshold: 16 } as PerformanceObserverInit;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      watched.longest = Math.max(watched.longest, duration);
  }).observe(options);
}

/** Runs in the page. Interactions of less than 16 ms count as none. */
async function takeLongest(): Promise<number> {
  // The entries of an input come some frames after it.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { watched } = window as unknown as { watched: Watched };
  const { longest } = watched;
  watched.longest = 0;
  return longest;
}

async function measureFrames(stage: Stage, name: string, options: object): Promise<void> {
  const { context, page } = await enter(stage, { ...options, at: '/photos' });
  await page.locator(PICTURE).first().waitFor();
  await page.waitForLoadState('networkidle');
  for (const pixels of [20, 60, 150, 600]) {
    const times = await page.evaluate(scroll, { pixels, frames: 240 });
    tell(`frames of ${pixels} px, ${name}`, {
      ...spread(times),
      perSecond: round(1000 / (times.reduce((sum, ms) => sum + ms, 0) / times.length)),
    });
  }
  await context.close();
}

/** Runs in the page. Returns the ms between the frames. */
async function scroll({ pixels, frames }: { pixels: number; frames: number }): Promise<number[]> {
  const element = document.querySelector('.timeline-scroll')!;
  const times: number[] = [];
  const next = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
  let last = await next();
  while (times.length < frames) {
    element.scrollTop += pixels;
    const now = await next();
    times.push(now - last);
    last = now;
  }
  return times;
}

const sizes = process.argv.slice(2).map(Number);
for (const photos of sizes.length > 0 ? sizes : [100_000]) {
  const stage = await openOwnStage();
  await addManyPhotos(stage, { photos, minutes: 40 });
  for (const [name, options] of [
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ] as const) {
    await measureLoads(stage, `${name}, ${photos}`, options);
    await measureSlowLine(stage, `${name}, ${photos}`, options);
    await measureFrames(stage, `${name}, ${photos}`, options);
  }
  await measureInteractions(stage, `desktop, ${photos}`, 1);
  await measureInteractions(stage, `desktop, 4 times slower, ${photos}`, 4);
  await stage.close();
}
await (await getSharedBrowser()).close();
