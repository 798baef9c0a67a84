import { join } from 'node:path';
import sharp from 'sharp';
import { createRandom, type Random } from '../support/random.ts';
import { openBrowser, type Photo, visit } from './browser.ts';
import { addPhotos, PHONE } from './people.ts';
import { signUp, startServerWithCluster } from './server.ts';

// Takes the pictures of the page that its manifest offers to browsers: `bun test/e2e/manifest-pictures.ts`, with the binary
// in SAFELIGHT_TEST_BINARY. Run it after a change of the timeline's looks.

const FOLDER = join(import.meta.dir, '../../src/web/screenshots');
const SIZES = [
  [900, 600],
  [800, 600],
  [600, 800],
  [960, 540],
] as const;
/** Photos of each day, newest first. */
const DAYS = [3, 1, 2, 1, 1, 6, 1, 2, 2, 1, 4, 1, 1, 3];
/** Hues in degrees. */
const SKIES = [205, 28, 212, 350, 196, 18, 222, 265];
const LANDS = [120, 150, 96, 200, 135, 170];

const server = await startServerWithCluster();
const browser = await openBrowser();
try {
  const { apiKey, email, password } = await signUp(server.url);
  await addPhotos(server.url, apiKey, await paintLibrary());
  await take('wide', { viewport: { width: 1280, height: 800 } }, email, password);
  await take('narrow', { ...PHONE, deviceScaleFactor: 2 }, email, password);
} finally {
  await browser.close();
  await server.stop();
}

async function take(
  name: string,
  options: Parameters<typeof visit>[2],
  email: string,
  password: string,
): Promise<void> {
  const { context, page } = await visit(browser, server.url, { colorScheme: 'light', ...options });
  await context.request.post('/api/users/me/onboarding', { data: { isOnboarded: true } });
  await context.request.post('/api/auth/login', { data: { email, password } });
  await page.goto('/photos');
  await page.waitForFunction(() => {
    const tiles = document.querySelectorAll('[data-part=tile]').length;
    return (
      tiles > 5 && document.querySelectorAll('[data-part=tile] img[data-loaded]').length === tiles
    );
  });
  // The strip of years goes.
  await page.waitForTimeout(3000);
  const picture = await page.screenshot();
  await sharp(picture)
    .webp({ quality: 78, effort: 6 })
    .toFile(join(FOLDER, `${name}.webp`));
  await context.close();
}

async function paintLibrary(): Promise<Photo[]> {
  const photos: Photo[] = [];
  for (const [at, count] of DAYS.entries()) {
    const day = String(28 - at * 2).padStart(2, '0');
    for (let n = 0; n < count; n++) {
      const taken = `2025:06:${day} ${String(18 - n).padStart(2, '0')}:00:00`;
      photos.push(await paintLandscape(photos.length, taken));
    }
  }
  return photos;
}

/** Hills below a sky: somebody's photos belong in no package. */
async function paintLandscape(seed: number, taken: string): Promise<Photo> {
  const random = createRandom(seed + 1);
  const [width, height] = SIZES[seed % SIZES.length]!;
  const hue = random.pick(SKIES);
  const land = random.pick(LANDS);
  const sunX = width * (0.2 + random.below(60) / 100);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="hsl(${hue},55%,62%)"/>
      <stop offset="1" stop-color="hsl(${(hue + 40) % 360},75%,86%)"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#sky)"/>
    <circle cx="${sunX}" cy="${height * 0.34}" r="${height * 0.09}" fill="#fffbe9"/>
    ${[0, 1, 2, 3].map((layer) => paintHills(random, layer, land, width, height)).join('')}</svg>`;
  const buffer = await sharp(Buffer.from(svg))
    .jpeg({ quality: 90 })
    .withExif({ IFD2: { DateTimeOriginal: taken } })
    .toBuffer();
  return { name: `${seed}.jpg`, mimeType: 'image/jpeg', buffer };
}

function paintHills(
  random: Random,
  layer: number,
  hue: number,
  width: number,
  height: number,
): string {
  const base = height * (0.46 + layer * 0.14);
  const steps = 5 + layer;
  let path = `M0 ${height}L0 ${base}`;
  for (let step = 0; step < steps; step++) {
    const [from, to] = [(step / steps) * width, ((step + 1) / steps) * width];
    const top = base - height * (random.below(16) / 100);
    path += `Q${(from + to) / 2} ${top} ${to} ${base + height * ((random.below(8) - 4) / 100)}`;
  }
  const tone = (hue + layer * 12) % 360;
  return `<path d="${path}L${width} ${height}Z" fill="hsl(${tone},${26 + layer * 6}%,${58 - layer * 12}%)"/>`;
}
