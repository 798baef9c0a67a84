import { expect, test } from 'bun:test';
import { setUpListeners } from '../../test/support/listener.ts';

const { listen, open } = setUpListeners();

const answerTo = async (head: string, fetch = (request: Request) => new Response(request.url)) => {
  const peer = open(await listen(fetch));
  peer.send(`${head}\r\nconnection: close\r\n\r\n`);
  return peer.until((_, closed) => closed);
};
const getBody = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4);

test('a request needs exactly one valid Host', async () => {
  expect(getBody(await answerTo('GET /a?b HTTP/1.1\r\nhost: nas.local:8080'))).toBe(
    'http://nas.local:8080/a?b',
  );
  expect(getBody(await answerTo('GET /a HTTP/1.1\r\nhost: [::1]:80'))).toBe('http://[::1]/a');
  expect(getBody(await answerTo('GET /a HTTP/1.0'))).toBe('http://localhost/a');
  for (const hosts of [
    '',
    'host: ',
    'host: a\r\nhost: a',
    'host: a\r\nHOST: b',
    'host: a b',
    'host: a/b',
    'host: user@a',
    'host: a:port',
    'host: a?b',
    'host: a#b',
    'host: a\\b',
    'host: a, b',
  ]) {
    const text = await answerTo(`GET /a HTTP/1.1${hosts && `\r\n${hosts}`}`);
    expect([hosts, text.slice(0, 12)]).toEqual([hosts, 'HTTP/1.1 400']);
  }
});

test('an absolute-form target must name the host that was called', async () => {
  for (const [target, url] of [
    ['http://nas/api/tags?x', 'http://nas/api/tags?x'],
    ['HTTP://NAS/api/tags', 'http://nas/api/tags'],
    ['http://nas', 'http://nas/'],
    ['http://nas?x', 'http://nas/?x'],
    ['//evil/api', 'http://nas//evil/api'],
  ] as const) {
    const text = await answerTo(`GET ${target} HTTP/1.1\r\nhost: nas`);
    expect([target, getBody(text)]).toEqual([target, url]);
  }
  for (const target of [
    'http://evil/api',
    'http://nas@evil/',
    'http://nas:81/',
    'ftp://nas/',
    'nas:80',
  ]) {
    const text = await answerTo(`GET ${target} HTTP/1.1\r\nhost: nas`);
    expect([target, text.slice(0, 12)]).toEqual([target, 'HTTP/1.1 400']);
  }
});

test('responses have nosniff, and JSON has no-store by default', async () => {
  const getHeaders = async (make: () => Response) => {
    const listener = await listen(make);
    const { headers } = await fetch(listener.url);
    return [headers.get('x-content-type-options'), headers.get('cache-control')];
  };
  expect(await getHeaders(() => Response.json({}))).toEqual(['nosniff', 'no-store']);
  expect(await getHeaders(() => Response.json({}, { status: 404 }))).toEqual([
    'nosniff',
    'no-store',
  ]);
  expect(await getHeaders(() => new Response('text'))).toEqual(['nosniff', null]);
  const kept = { headers: { 'cache-control': 'private, no-cache' } };
  expect(await getHeaders(() => Response.json({}, kept))).toEqual(['nosniff', 'private, no-cache']);
  const refused = await answerTo('NONSENSE');
  expect(refused.toLowerCase()).toContain('x-content-type-options: nosniff');
});
