// bun test/bench/timeline.bench.ts [assets …]: how evenly Chromium scrolls through the timeline of a library, by day and
// by year, with the wheel and with the scrubber. Needs `make dist/safelight`, and databases of the server in
// TEST_POSTGRES. All thumbnails are one picture of 12 kB. Prints a line of JSON for each.
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { sha256 } from '../../src/core/hash.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { openDatabase } from '../../src/db/client.ts';
import { openBrowser, visit } from '../e2e/browser.ts';
import { quantile, round, serveLibrary } from './measure.ts';
import { dropLibrary, type Library, seedLibrary, writeDerivedFiles } from './seed.ts';

const TOKEN = 'bench';
const SIZE = { width: 1440, height: 900 };
const FRAME_MS = 1000 / 60;
const SCROLL_PX = 12_000;
/** A hand on the wheel: nobody looks at pictures above it. */
const SPEED_PX_PER_S = 1500;

/** Replaces the seeded thumbnails by a picture that a browser decodes, and opens a session. */
async function prepare(library: Library, data: string): Promise<void> {
  writeDerivedFiles(data);
  const folder = join(dataPaths(data).derived, 'bench');
  const noise = { type: 'gaussian', mean: 128, sigma: 12 } as const;
  const create = { width: 375, height: 250, channels: 3, background: '#468', noise } as const;
  const picture = await sharp({ create }).webp({ quality: 30 }).toBuffer();
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.webp'))) {
    const path = join(folder, name);
    // The rows of the files know their size.
    const padded = Buffer.alloc(statSync(path).size);
    if (picture.copy(padded) < picture.length) throw new Error('the picture is too large');
    writeFileSync(path, padded);
  }
  const { sql, ...database } = openDatabase(library.url, { max: 1 });
  await sql`insert into session (user_id, token_hash, proven_at)
    values (${library.userId}, ${sha256(TOKEN)}, now())`;
  await sql`update app_user set onboarded = true, is_admin = true where id = ${library.userId}`;
  await sql`update instance set onboarded = true, admin_id = ${library.userId}`;
  await database.close();
}

/** Returns the times between the frames while `work` runs, in ms. */
async function measureFrames(page: Page, work: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const times: number[] = [];
    const state = { times, isOn: true };
    Object.assign(window, { frames: state });
    requestAnimationFrame(function next(now) {
      times.push(now);
      if (state.isOn) requestAnimationFrame(next);
    });
  });
  await work();
  const times = await page.evaluate(() => {
    const { frames } = window as unknown as { frames: { times: number[]; isOn: boolean } };
    frames.isOn = false;
    return frames.times;
  });
  return times.slice(1).map((time, at) => time - (times[at] ?? time));
}

const report = (assets: number, name: string, gaps: readonly number[]) =>
  console.log(
    JSON.stringify({
      assets,
      name,
      frames: gaps.length,
      framesPerSecond: round(gaps.length / (gaps.reduce((sum, gap) => sum + gap, 0) / 1000), 1),
      lateShare: round(gaps.filter((gap) => gap > FRAME_MS * 1.5).length / gaps.length, 3),
      p95Ms: quantile(gaps, 0.95),
      maxMs: round(Math.max(...gaps)),
    }),
  );

async function scrollByWheel(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Input.synthesizeScrollGesture', {
    x: SIZE.width / 2,
    y: SIZE.height / 2,
    yDistance: -SCROLL_PX,
    speed: SPEED_PX_PER_S,
    gestureSourceType: 'mouse',
  });
  await devtools.detach();
}

/** From the newest to the oldest photo and back, in steps of a frame. */
async function dragScrubber(page: Page): Promise<void> {
  const x = SIZE.width - 20;
  await page.mouse.move(x, 120);
  await page.mouse.down();
  for (let y = 120; y < 860; y += 4) await page.mouse.move(x, y);
  for (let y = 860; y > 120; y -= 4) await page.mouse.move(x, y);
  await page.mouse.up();
}

async function measure(assets: number): Promise<void> {
  const library = await seedLibrary(`bench_timeline_${assets}`, assets);
  const data = mkdtempSync(join(tmpdir(), 'timeline-bench-'));
  await prepare(library, data);
  const server = await serveLibrary(library, data);
  const browser = await openBrowser();
  try {
    const url = new URL(server.url).origin;
    const { context, page } = await visit(browser, url, { viewport: SIZE });
    const cookies = { immich_access_token: TOKEN, immich_is_authenticated: 'true' };
    await context.addCookies(
      Object.entries(cookies).map(([name, value]) => ({ name, value, url })),
    );
    for (const grouping of ['day', 'year']) {
      await context.addInitScript((value) => {
        localStorage.setItem('safelight.timeline-grouping', value);
      }, grouping);
      await page.goto('/photos');
      await page.locator('[data-part=tile] img[data-loaded]').first().waitFor();
      for (const round of ['first', 'again']) {
        report(
          assets,
          `${grouping}, wheel, ${round}`,
          await measureFrames(page, () => scrollByWheel(page)),
        );
        await page.locator('.timeline-scroll').evaluate((element) => element.scrollTo(0, 0));
      }
      report(assets, `${grouping}, scrubber`, await measureFrames(page, () => dragScrubber(page)));
    }
  } finally {
    await browser.close();
    await server.stop();
    rmSync(data, { recursive: true, force: true });
    await dropLibrary(library.name);
  }
}

const sizes = process.argv.slice(2).map(Number);
for (const assets of sizes.length > 0 ? sizes : [100_000]) await measure(assets);
