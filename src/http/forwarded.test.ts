import { expect, test } from 'bun:test';
import { defaultSettings } from '../core/settings.ts';
import { isEncrypted, originOf } from './forwarded.ts';

const CASES: [string, string | undefined, string | null, string | undefined][] = [
  ['nobody in between', '203.0.113.9', null, '203.0.113.9'],
  ['a proxy on this machine', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['a proxy in the house', '192.168.1.2', '203.0.113.9', '203.0.113.9'],
  ['two proxies in the house', '127.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
  ['a device in the house behind the proxy', '127.0.0.1', '192.168.1.7', '192.168.1.7'],
  [
    'what the client wrote itself is not believed',
    '127.0.0.1',
    '8.8.8.8, 203.0.113.9',
    '203.0.113.9',
  ],
  ['a stranger is no proxy', '203.0.113.9', '8.8.8.8', '203.0.113.9'],
  ['no address at all', '127.0.0.1', 'unknown', '127.0.0.1'],
  ['IPv6', '::1', '2001:db8::7', '2001:db8::7'],
  ['IPv4 written as IPv6', '127.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
  ['outside the listener', undefined, '203.0.113.9', undefined],
];
for (const [name, peer, header, origin] of CASES) {
  test(`where a request comes from: ${name}`, () => {
    expect(originOf(peer, header)).toBe(origin);
  });
}

test('a connection counts as encrypted by our own TLS or that of a proxy', () => {
  const plain = defaultSettings();
  const request = (headers = {}) => new Request('http://nas/', { headers });
  expect(isEncrypted(request(), plain)).toBe(false);
  expect(isEncrypted(request({ 'x-forwarded-proto': 'https, http' }), plain)).toBe(true);
  expect(isEncrypted(request({ 'x-forwarded-proto': 'http' }), plain)).toBe(false);
  expect(isEncrypted(request(), { ...plain, tlsCert: 'c.pem', tlsKey: 'k.pem' })).toBe(true);
});
