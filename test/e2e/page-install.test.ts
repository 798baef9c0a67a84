import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  ({ page } = await enter(stage));
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const readManifest = () =>
  page.evaluate(async () => {
    const { href } = document.querySelector<HTMLLinkElement>('link[rel=manifest]')!;
    return (await fetch(href)).json();
  });

/** Returns the size of an image in pixels, as a manifest has it. */
const measureImage = (src: string): Promise<string> =>
  page.evaluate(async (url) => {
    const image = Object.assign(new Image(), { src: url });
    await image.decode();
    return `${image.naturalWidth}x${image.naturalHeight}`;
  }, src);

test(
  'the manifest by which a browser installs the page is found, and its icons have their sizes',
  async () => {
    const manifest = await readManifest();
    expect(manifest.icons.length).toBeGreaterThan(2);
    for (const { src, sizes } of manifest.icons as { src: string; sizes: string }[]) {
      expect(await measureImage(src)).toBe(sizes);
    }
  },
  TIMEOUT_MS,
);

test(
  'the installed page starts in the colors of the chosen theme, and its shortcuts lead to pages',
  async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.reload();
    await page.getByRole('main').waitFor();
    const light = await readManifest();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.reload();
    await page.getByRole('main').waitFor();
    const dark = await readManifest();
    expect(light).toMatchObject({ id: dark.id, start_url: dark.start_url });
    expect(light.description).not.toBe('');
    expect([light.background_color, dark.background_color]).toEqual(['#fbfaf8', '#1c1412']);
    for (const { url } of light.shortcuts as { url: string }[]) {
      await page.goto(`${stage.server.url}${url}`);
      await page.getByRole('main').waitFor();
      expect(new URL(page.url()).pathname).toBe(url);
    }
  },
  TIMEOUT_MS,
);

test(
  'the manifest shows the page on a computer and on a phone, which the page itself does not load',
  async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto('/photos');
    await page.getByRole('main').waitFor();
    await page.waitForLoadState('networkidle');
    expect(asked.filter((path) => path.startsWith('/screenshots/'))).toEqual([]);
    type Screenshot = { src: string; sizes: string; form_factor: string; label: string };
    const screenshots: Screenshot[] = (await readManifest()).screenshots;
    expect(screenshots.map(({ form_factor }) => form_factor)).toEqual(['wide', 'narrow']);
    for (const { src, sizes, label } of screenshots) {
      expect(label).not.toBe('');
      expect(await measureImage(src)).toBe(sizes);
    }
  },
  TIMEOUT_MS,
);

test('icons are where programs look for them that do not read the page', async () => {
  const read = async (path: string) => {
    const response = await fetch(`${stage.server.url}${path}`);
    return [response.status, response.headers.get('content-type')] as const;
  };
  expect(await read('/favicon.ico')).toEqual([200, 'image/x-icon']);
  expect(await read('/apple-touch-icon.png')).toEqual([200, 'image/png']);
});
