import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The files that a browser loads before it can show anything, as they are sent: the rest belongs into later chunks.

const KIB = 1024;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
}, TIMEOUT_MS);
afterAll(() => stage?.close(), TIMEOUT_MS);

async function listFirstFiles(): Promise<URL[]> {
  const html = await (await fetch(stage.server.url)).text();
  const tags = html.match(/<(?:script|link)\b[^>]*>/g) ?? [];
  const loaded = tags.filter((tag) => /<script|rel="?(?:stylesheet|modulepreload)/.test(tag));
  return loaded.flatMap((tag) => {
    const path = /\b(?:src|href)="?([^"\s>]+)/.exec(tag)?.[1];
    return path === undefined ? [] : [new URL(path, stage.server.url)];
  });
}

/** Bytes of the file as a browser gets it. */
async function measure(url: URL): Promise<number> {
  const response = await fetch(url, { headers: { 'accept-encoding': 'br' }, decompress: false });
  expect([url.pathname, response.status, response.headers.get('content-encoding')]).toEqual([
    url.pathname,
    200,
    'br',
  ]);
  return (await response.arrayBuffer()).byteLength;
}

test.each([
  ['js', 150],
  ['css', 20],
])('the first %s is at most %d KiB', async (ending, most) => {
  const files = (await listFirstFiles()).filter(({ pathname }) => pathname.endsWith(`.${ending}`));
  expect(files.length).toBeGreaterThan(0);
  const sizes = await Promise.all(files.map(measure));
  const sum = sizes.reduce((sum, size) => sum + size, 0);
  expect(sum).toBeGreaterThan(KIB);
  expect(sum / KIB).toBeLessThanOrEqual(most);
});
