import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, rootCertificates } from 'node:tls';
import { until } from '../../test/support/until.ts';
import { silentLog } from '../core/log.ts';
import { defaultSettings } from '../core/settings.ts';
import {
  getFingerprint,
  isPubliclyTrusted,
  readCertificate,
  watchCertificate,
} from './certificate.ts';
import { createFront } from '../front.ts';
import { startListener } from './listener.ts';
import { withOwnCertificate } from './self-signed.ts';

setDefaultTimeout(300_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'certificate-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const make = (name: string) =>
  withOwnCertificate({ ...defaultSettings(), https: 'self-signed' }, join(folder, name));

test('makes a certificate once, which only its user can read, and serves HTTPS with it', async () => {
  const settings = await make('own');
  expect(statSync(settings.tlsKey!).mode & 0o077).toBe(0);
  const certificate = readCertificate(settings)!;
  const listener = await startListener({
    fetch: () => new Response('hello'),
    host: '127.0.0.1',
    port: 0,
    tls: certificate,
    log: silentLog,
  });
  // As a browser that was told to trust it: it is valid for the name of the host.
  const answer = await fetch(listener.url.replace('127.0.0.1', 'localhost'), {
    tls: { ca: certificate.cert },
  });
  expect(await answer.text()).toBe('hello');
  expect(answer.headers.get('strict-transport-security')).toBeNull();
  const presented = await readFingerprint(listener.port);
  expect(presented).toBe(getFingerprint(certificate.cert));
  await listener.stop();

  const again = await make('own');
  expect(getFingerprint(readCertificate(again)!.cert)).toBe(presented);
});

const readFingerprint = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.end();
    });
    socket.on('error', reject);
  });

test('makes no certificate where none is wanted, or files are given', async () => {
  const plain = defaultSettings();
  expect(await withOwnCertificate(plain, folder)).toBe(plain);
  const given = { ...plain, https: 'self-signed', tlsCert: 'a.pem', tlsKey: 'b.pem' } as const;
  expect(await withOwnCertificate(given, folder)).toBe(given);
});

test('replaces a certificate that cannot be read', async () => {
  const { tlsCert } = await make('own');
  writeFileSync(tlsCert!, 'damaged');
  const settings = await make('own');
  expect(getFingerprint(await Bun.file(settings.tlsCert!).text())).toMatch(/^(?:[\dA-F]{2}:){31}/);
});

test('renewed files are taken over when both fit together', async () => {
  const [settings, next] = [await make('served'), await make('next')];
  const before = readCertificate(settings)!;
  let changes = 0;
  const stop = watchCertificate(settings, silentLog, async () => void (changes += 1), 5);
  copyFileSync(next.tlsCert!, settings.tlsCert!);
  let polls = 0;
  await until(() => ++polls > 20);
  expect([changes, readCertificate(settings)]).toEqual([0, before]);
  copyFileSync(next.tlsKey!, settings.tlsKey!);
  await until(() => changes === 1);
  expect(readCertificate(settings)!.cert).toBe(await Bun.file(next.tlsCert!).text());
  stop();
});

test('a renewed certificate is served on the same port, and requests that run are answered', async () => {
  const [settings, next] = [await make('served'), await make('next')];
  const front = createFront({ ...settings, host: '127.0.0.1', port: 0 }, silentLog, {
    renewalPollMs: 5,
  });
  const [received, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { url, port } = await front.serve({
    fetch: async () => {
      received.resolve();
      await ended.promise;
      return new Response('done');
    },
  });
  const { cert } = readCertificate(settings)!;
  const slow = fetch(url.replace('127.0.0.1', 'localhost'), { tls: { ca: cert } });
  await received.promise;
  copyFileSync(next.tlsCert!, settings.tlsCert!);
  copyFileSync(next.tlsKey!, settings.tlsKey!);
  const wanted = getFingerprint(await Bun.file(next.tlsCert!).text());
  await until(async () => (await readFingerprint(port).catch(() => '')) === wanted);
  ended.resolve();
  expect(await (await slow).text()).toBe('done');
  await front.stop();
});

test('only a chain to an authority of the browsers is publicly trusted', async () => {
  const own = readCertificate(await make('own'))!.cert;
  const [root, other] = rootCertificates;
  expect(isPubliclyTrusted(root!)).toBe(true);
  expect(isPubliclyTrusted(own)).toBe(false);
  expect(isPubliclyTrusted(`${own}\n${root}`)).toBe(false);
  expect(isPubliclyTrusted(`${root}\n${other}`)).toBe(false);
  expect(isPubliclyTrusted('')).toBe(false);
});
