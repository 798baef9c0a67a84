import { expect, test } from 'bun:test';
import { setUpListeners } from '../../test/support/listener.ts';
import { createLog } from '../core/log.ts';
import { defaultSettings } from '../core/settings.ts';
import { createProxyWatch } from './proxy-watch.ts';

const { listen, open } = setUpListeners();

const MISSING = 'trusted proxy sends no X-Forwarded-For';
const IMPOSSIBLE = 'trusted proxy sends an impossible X-Forwarded-For';
const VISITOR = 'host: photos.example';

/** Returns the warnings after requests with these headers, one after the other. */
async function listWarnings(requests: readonly string[], trustedProxies = ['127.0.0.1']) {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  const watch = createProxyWatch({ settings: { ...defaultSettings(), trustedProxies }, log });
  const listener = await listen((request) => {
    watch(request);
    return new Response('');
  });
  for (const headers of requests) {
    const peer = open(listener);
    peer.send(`GET / HTTP/1.1\r\n${headers}\r\nconnection: close\r\n\r\n`);
    await peer.until((_, isClosed) => isClosed);
  }
  return lines.map((line) => {
    const { level, message, peer } = JSON.parse(line);
    return [level, message, peer];
  });
}

const warned = (message: string) => [['warn', message, '127.0.0.1']];

test('warns once of a trusted proxy without X-Forwarded-For, or with none that is an address', async () => {
  expect(await listWarnings([VISITOR, VISITOR, VISITOR])).toEqual(warned(MISSING));
  expect(await listWarnings([`${VISITOR}\r\nx-forwarded-for: `])).toEqual(warned(MISSING));
  for (const value of ['unknown', '_hidden', '203.0.113.9, unknown', '203.0.113.9:4711', '::z']) {
    const headers = `${VISITOR}\r\nx-forwarded-for: ${value}`;
    expect([value, await listWarnings([headers, VISITOR])]).toEqual([value, warned(IMPOSSIBLE)]);
  }
});

test('warns of one that replaces the requested host by its own address', async () => {
  const headers = 'host: 127.0.0.1:2283\r\norigin: https://photos.example';
  expect(await listWarnings([headers])).toEqual(warned(MISSING));
});

test('does not warn of proxies that are right, of strangers and of this machine', async () => {
  const right = `${VISITOR}\r\nx-forwarded-for: unknown, 203.0.113.9`;
  expect(await listWarnings([right, `${VISITOR}\r\nx-forwarded-for: ::1`])).toEqual([]);
  expect(await listWarnings([VISITOR, `${VISITOR}\r\nx-forwarded-for: x`], [])).toEqual([]);
  const direct = ['localhost:2283', '127.0.0.1', '[::1]:2283'].flatMap((host) => [
    `host: ${host}`,
    `host: ${host}\r\norigin: http://${host}`,
  ]);
  expect(await listWarnings(direct)).toEqual([]);
});
