import { expect, test } from 'bun:test';
import { defaultSettings } from '../core/settings.ts';
import { readClientOrigin } from './forwarded.ts';

const settings = {
  ...defaultSettings(),
  trustedProxies: ['127.0.0.0/8', '::1', '10.0.0.0/24', 'fe80::/10'],
};
const read = (peer: string | undefined, headers: Record<string, string> = {}, overTls = false) =>
  readClientOrigin(peer, new Headers(headers), settings, overTls);

const CASES: [string, string | undefined, string | null, string | undefined][] = [
  ['nobody in between', '203.0.113.9', null, '203.0.113.9'],
  ['a proxy on this machine', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['a proxy that the owner named', '10.0.0.2', '203.0.113.9', '203.0.113.9'],
  ['two of them', '127.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
  ['a device in the house behind the proxy', '127.0.0.1', '192.168.1.7', '192.168.1.7'],
  ['what the client wrote itself', '127.0.0.1', '8.8.8.8, 203.0.113.9', '203.0.113.9'],
  ['a neighbour in the house is no proxy', '192.168.1.7', '8.8.8.8', '192.168.1.7'],
  ['nor one behind the proxy', '127.0.0.1', '8.8.8.8, 192.168.1.7', '192.168.1.7'],
  ['a stranger is no proxy', '203.0.113.9', '8.8.8.8', '203.0.113.9'],
  ['no address at all', '127.0.0.1', 'unknown', '127.0.0.1'],
  ['an empty one', '127.0.0.1', '', '127.0.0.1'],
  ['IPv6', '::1', '2001:db8::7', '2001:db8::7'],
  ['IPv4 written as IPv6', '127.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
  ['a proxy at a link-local address', 'fe80::1%eth0', '203.0.113.9', '203.0.113.9'],
  ['outside the listener', undefined, '203.0.113.9', undefined],
];
for (const [name, peer, header, address] of CASES) {
  test(`the client address: ${name}`, () => {
    const headers: Record<string, string> = header === null ? {} : { 'x-forwarded-for': header };
    expect(read(peer, headers).address).toBe(address);
  });
}

test('a connection counts as encrypted by our own TLS or that of a trusted proxy', () => {
  const https = { 'x-forwarded-proto': 'https, http' };
  expect(read('127.0.0.1').isEncrypted).toBe(false);
  expect(read('127.0.0.1', https).isEncrypted).toBe(true);
  expect(read('127.0.0.1', { 'x-forwarded-proto': 'http' }).isEncrypted).toBe(false);
  expect(read('192.168.1.7', https).isEncrypted).toBe(false);
  expect(read(undefined, https).isEncrypted).toBe(false);
  expect(read('192.168.1.7', {}, true).isEncrypted).toBe(true);
  const own = { ...settings, tlsCert: 'c.pem', tlsKey: 'k.pem' };
  expect(readClientOrigin('192.168.1.7', new Headers(), own, false).isEncrypted).toBe(true);
});

test('only a trusted proxy can forward the requested host', () => {
  const headers = { host: 'nas:2283', 'x-forwarded-host': 'photos.example' };
  expect(read('127.0.0.1', headers).host).toBe('photos.example');
  expect(read('192.168.1.7', headers).host).toBe('nas:2283');
  expect(read('127.0.0.1', { host: 'nas:2283' }).host).toBe('nas:2283');
});

test('without trusted proxies all forwarding headers are ignored', () => {
  const none = { ...settings, trustedProxies: [] };
  const headers = new Headers({ 'x-forwarded-for': '203.0.113.9' });
  expect(readClientOrigin('127.0.0.1', headers, none, false).address).toBe('127.0.0.1');
});
