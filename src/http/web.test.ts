import { afterAll, beforeAll, expect, test } from 'bun:test';
import { brotliCompressSync } from 'node:zlib';
import { silentLog } from '../core/log.ts';
import { type Listener, startListener } from './listener.ts';
import { loadWeb, type WebAssets, createWebHandler } from './web.ts';

let assets: WebAssets;
let answer: ReturnType<typeof createWebHandler>;
let listener: Listener;
beforeAll(async () => {
  assets = await loadWeb();
  answer = createWebHandler(assets);
  listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
    fetch: (request) => answer(request) ?? new Response('application', { status: 404 }),
  });
});
afterAll(() => listener.stop(50));

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  answer(new Request(`http://nas${path}`, { method, headers }));
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('the page is sent for its address and for every path of its own router', async () => {
  const page = await get('/')!.text();
  expect(page).toContain('<div id="root">');
  for (const path of ['/photos', '/albums/123', '/share/key.with.dots?x=1', '/apiary']) {
    expect(await get(path, HTML)!.text()).toBe(page);
  }
});

test('other paths are left to the application', () => {
  for (const path of [
    '/api/albums',
    '/api',
    '/api/docsx',
    '/.well-known/immich',
    '/assets/gone.js',
  ]) {
    expect(get(path, HTML)).toBeUndefined();
  }
  // An image that is missing must not come as HTML.
  expect(get('/missing.png', { accept: 'image/*' })).toBeUndefined();
  expect(get('/photos', HTML, 'POST')).toBeUndefined();
});

test('serves the style sheet and the map data that pages of other clients request', async () => {
  const styles = get('/custom.css', { accept: 'text/css,*/*;q=0.1' })!;
  expect(styles.headers.get('content-type')).toContain('text/css');
  expect(await styles.text()).not.toContain('{');
  const outlines = get('/api/map/world.json')!;
  expect(outlines.headers.get('content-type')).toContain('json');
  const etag = outlines.headers.get('etag')!;
  expect(get('/api/map/world.json', { 'if-none-match': etag })!.status).toBe(304);
});

test('the page is revalidated each time, its assets are immutable', () => {
  const page = get('/')!;
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const etag = page.headers.get('etag')!;
  expect(get('/', { 'if-none-match': etag })!.status).toBe(304);
  const parts = [...assets.keys()].filter((path) => path.startsWith('/assets/'));
  expect(parts.length).toBeGreaterThan(0);
  for (const path of parts) {
    expect(path).toMatch(/-[\da-z]{8}\.\w+$/);
    expect(get(path)!.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  }
});

test('the timeline needs less than 150 kB of compressed scripts, all named by the page; other pages and the viewer have their own', async () => {
  const text = (path: string) => new TextDecoder().decode(assets.get(path)!.read(undefined));
  const scripts = [...text('/index.html').matchAll(/\/assets\/[\w-]+\.js/g)].map(([path]) => path);
  expect(scripts).toHaveLength(2);
  const bytes = scripts.reduce((sum, path) => sum + brotliCompressSync(text(path)).length, 0);
  expect(bytes).toBeLessThan(150_000);
  for (const name of ['viewer', 'library', 'administration', 'studio', 'map-page', 'guest-page']) {
    expect([...assets.keys()]).toContainEqual(
      expect.stringMatching(new RegExp(`^/assets/${name}-\\w+\\.js$`)),
    );
  }
});

test('the Content-Security-Policy allows only what this server sends', async () => {
  const { headers } = get('/')!;
  const policy = headers.get('content-security-policy')!.split('; ');
  for (const rule of [
    "default-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'self'",
  ]) {
    expect(policy).toContain(rule);
  }
  expect(headers.get('content-security-policy')).not.toContain('unsafe');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('same-origin');
  expect(headers.get('permissions-policy')).toContain('geolocation=()');
  // So nothing in it may need more: no script in the page, no other host.
  const text = await get('/')!.text();
  expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|<style|https?:\/\//);
});

test('the API documentation comes with its viewer, from here alone', async () => {
  const page = get('/api/docs', HTML)!;
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  const text = await page.text();
  expect(text).not.toMatch(/https?:\/\//);
  const scripts = [...text.matchAll(/src="([^"]+)"/g)].map((match) => match[1]!);
  expect(scripts).toHaveLength(2);
  for (const script of scripts) {
    const response = get(script)!;
    expect(response.headers.get('content-type')).toStartWith('text/javascript');
    // A policy on a script would bind a worker that is started from it.
    expect(response.headers.has('content-security-policy')).toBe(false);
  }
  expect(get('/api/docs/')).toBeDefined();
});

test('scripts are compressed and have one Vary', async () => {
  const path = [...assets.keys()].find((name) => name.includes('scalar'))!;
  const response = await fetch(`${listener.url}${path}`, {
    headers: { 'accept-encoding': 'gzip' },
    decompress: false,
  });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(response.headers.get('vary')).toBe('accept-encoding');
  const plain = assets.get(path)!.read(undefined);
  expect(Bun.gunzipSync(await response.bytes())).toEqual(new Uint8Array(plain));
  const head = await fetch(`${listener.url}${path}`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});
