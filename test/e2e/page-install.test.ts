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

test(
  'the manifest by which a browser installs the page is found, and its icons have their sizes',
  async () => {
    const manifest = await page.evaluate(async () => {
      const { href } = document.querySelector<HTMLLinkElement>('link[rel=manifest]')!;
      return (await fetch(href)).json();
    });
    expect(manifest.icons.length).toBeGreaterThan(2);
    for (const { src, sizes } of manifest.icons as { src: string; sizes: string }[]) {
      const size = await page.evaluate(async (url) => {
        const image = Object.assign(new Image(), { src: url });
        await image.decode();
        return `${image.naturalWidth}x${image.naturalHeight}`;
      }, src);
      expect(size).toBe(sizes);
    }
  },
  TIMEOUT_MS,
);
