import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { io } from 'socket.io-client';
import { createLog } from '../../src/core/log.ts';
import { findAssetsById } from '../../src/areas/assets/index.ts';
import { readOwnViews } from '../../src/areas/sync/index.ts';
import { createLive } from '../../src/events/live.ts';
import { type Listener, startListener } from '../../src/http/listener.ts';
import { useDatabase } from '../support/database.ts';
import { testApp } from '../support/harness.ts';
import { randomFileBytes } from '../support/forms.ts';
import {
  appendHeaders,
  type Client,
  creationHeaders,
  formatAppend,
  formatCreation,
  INCOMPLETE,
  NO_BYTES,
  UPLOADS,
} from '../support/resumable.ts';
import { closeAllConnections, formatHead, openConnection } from '../support/wire.ts';
import {
  PROXY_NAMES,
  readSnippets,
  type ReverseProxy,
  startReverseProxy,
} from './reverse-proxies.ts';
import { type Account, signUp, until } from './server.ts';

// The configurations of reverse proxies in the documentation, run by the programs of Debian.

setDefaultTimeout(300_000);

/** Not trusted as a proxy, as loopback is by default. */
const CLIENT = '127.0.0.2';
const MIB = 1024 ** 2;
/** A proxy refuses a body for its declared size at once. */
const REFUSAL_MS = 3_000;

const database = await useDatabase();
const lines: string[] = [];
const deps = {
  ...database.deps,
  now: () => new Date(),
  log: createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) }),
  settings: {
    ...database.deps.settings,
    trustedProxies: ['127.0.0.1'],
    uploadInterim: 'always',
  } as const,
};
const live = createLive(deps, { findAssetsById, readOwnViews });
let server: Listener;
let admin: Account;
beforeAll(async () => {
  const { fetch } = testApp(database, deps);
  const { upgrade } = live;
  server = await startListener({ fetch, upgrade, host: '127.0.0.1', port: 0, log: deps.log });
  admin = await signUp(server.url);
});
afterAll(async () => {
  await live.stop();
  await server?.stop();
});
afterEach(closeAllConnections);

test('the documentation has a configuration for each program that is tried here, and for no other', () => {
  expect([...readSnippets().keys()].toSorted()).toEqual(PROXY_NAMES.toSorted());
});

const getRefusedAddresses = (from: number) =>
  lines.slice(from).flatMap((line) => {
    const { message, address } = JSON.parse(line);
    return message === 'login refused' ? [address as string] : [];
  });

/** Returns the addresses that the log names after logins with a wrong password. */
async function findLoggedAddresses(proxy: ReverseProxy, claims: readonly Claim[]) {
  const from = lines.length;
  for (const claim of claims) {
    const email = `${crypto.randomUUID()}@example.com`;
    const body = JSON.stringify({ email, password: 'wrong' });
    const headers = {
      ...claim,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const wire = await openConnection(proxy.port, { ca: proxy.ca, localAddress: CLIENT });
    wire.write(formatHead('POST /api/auth/login', headers), body);
    expect((await wire.answer()).status).toBe(401);
  }
  await until('the log', async () => getRefusedAddresses(from).length === claims.length);
  return [...new Set(getRefusedAddresses(from))];
}

type Claim = Readonly<Record<string, string>>;
const CLAIMS: readonly Claim[] = [
  {},
  { 'x-forwarded-for': '203.0.113.9' },
  { 'x-forwarded-for': '203.0.113.9, 127.0.0.1', forwarded: 'for=203.0.113.9' },
  // Proxies remove headers that are named here.
  { 'x-forwarded-for': '203.0.113.9', connection: 'x-forwarded-for' },
];

for (const name of PROXY_NAMES) {
  describe(`behind ${name}`, () => {
    let proxy: ReverseProxy;
    let url: string;
    beforeAll(async () => {
      proxy = await startReverseProxy(name, server.port);
      url = `https://localhost:${proxy.port}`;
    });
    afterAll(() => proxy?.stop());
    const send = (path: string, init: RequestInit = {}) =>
      fetch(`${url}/api${path}`, {
        ...init,
        headers: { 'x-api-key': admin.apiKey, ...(init.headers as Record<string, string>) },
        tls: { ca: proxy.ca },
      });

    test('the log has the address of the client, whatever it says of itself', async () => {
      expect(await findLoggedAddresses(proxy, CLAIMS)).toEqual([CLIENT]);
    });

    test('the server knows the requested host with its port, and that HTTPS is used', async () => {
      const logIn = (origin: string) =>
        send('/auth/login', {
          method: 'POST',
          headers: { origin, 'content-type': 'application/json' },
          body: JSON.stringify({ email: admin.email, password: admin.password }),
        });
      const { status, headers } = await logIn(url);
      expect([status, headers.getSetCookie()[0]]).toEqual([201, expect.stringContaining('Secure')]);
      for (const other of ['https://localhost', 'https://photos.example']) {
        expect((await logIn(other)).status).toBe(403);
      }
    });

    test('a client receives live events over a WebSocket', async () => {
      const id = await upload(new Blob([`${name} live`]));
      const socket = io(url, {
        path: '/api/socket.io',
        transports: ['websocket'],
        extraHeaders: { authorization: `Bearer ${admin.accessToken}` },
        ca: proxy.ca,
        forceNew: true,
        reconnection: false,
      });
      try {
        const trashed = Promise.withResolvers<unknown>();
        const ready = Promise.withResolvers<void>();
        socket.on('connect_error', ready.reject);
        socket.on('on_server_version', () => ready.resolve());
        socket.on('on_asset_trash', trashed.resolve);
        await ready.promise;
        const body = JSON.stringify({ ids: [id] });
        const headers = { 'content-type': 'application/json' };
        expect((await send('/assets', { method: 'DELETE', headers, body })).status).toBe(204);
        expect(await trashed.promise).toEqual([id]);
      } finally {
        socket.disconnect();
      }
    });

    async function upload(bytes: Blob): Promise<string> {
      const form = new FormData();
      form.append('assetData', bytes, 'a.jpg');
      for (const field of ['fileCreatedAt', 'fileModifiedAt'])
        form.append(field, '2024-01-01T00:00:00.000Z');
      const reply = await send('/assets', { method: 'POST', body: form });
      const text = await reply.text();
      expect([reply.status, text]).toEqual([201, text]);
      return (JSON.parse(text) as { id: string }).id;
    }

    test('a large upload arrives whole, and ranges of it are read', async () => {
      const bytes = new Uint8Array(48 * MIB).fill(7);
      new TextEncoder().encodeInto(name, bytes);
      bytes.set([1, 2, 3, 4], 40 * MIB);
      const id = await upload(new Blob([bytes]));
      const range = `bytes=${40 * MIB}-${40 * MIB + 3}`;
      const part = await send(`/assets/${id}/original`, { headers: { range } });
      expect([part.status, await part.bytes()]).toEqual([206, Uint8Array.of(1, 2, 3, 4)]);
      expect(part.headers.get('content-range')).toEndWith(`/${48 * MIB}`);
      const whole = await send(`/assets/${id}/original`);
      expect(new Bun.CryptoHasher('sha256').update(await whole.bytes()).digest('hex')).toBe(
        new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
      );
    });

    const connect = () => openConnection(proxy.port, { ca: proxy.ca });
    const client: Client = {
      get port() {
        return proxy.port;
      },
      get key() {
        return admin.apiKey;
      },
    };

    test('the proxy refuses no upload for its size', async () => {
      const wire = await connect();
      const headers = creationHeaders({ ...client, key: 'none' }, NO_BYTES, {
        'content-length': 8 * 1024 * MIB,
      });
      wire.write(formatHead(`POST ${UPLOADS}`, headers));
      // Caddy passes an answer on when the client sends more, Apache when it has sent all.
      const sending = setInterval(() => wire.write(new Uint8Array(1024)), 20);
      const answered = wire.answer().catch(() => undefined);
      const waiting = name === 'apache' ? [answered, Bun.sleep(REFUSAL_MS)] : [answered];
      const reply = await Promise.race(waiting);
      clearInterval(sending);
      expect(reply ? reply.status : 'sending').toBe(name === 'apache' ? 'sending' : 401);
    });

    test('an upload that is cut off goes on from the bytes that the client has sent', async () => {
      const file = randomFileBytes(8 * MIB);
      const creating = await connect();
      const reserving = {
        send: NO_BYTES,
        headers: { ...INCOMPLETE, 'upload-length': file.length },
      };
      formatCreation(creating, client, file, reserving);
      const { location } = (await creating.answer()).headers;
      const cut = await connect();
      const headers = appendHeaders(client, 0, { 'content-length': file.length });
      cut.write(formatHead(`PATCH ${location}`, headers), file.subarray(0, 3 * MIB));
      cut.socket.end();
      const getOffset = async () => {
        const wire = await connect();
        wire.write(
          formatHead(`HEAD ${location}`, {
            'x-api-key': client.key,
            'upload-draft-interop-version': 9,
          }),
        );
        return Number((await wire.answer({ isHead: true })).headers['upload-offset']);
      };
      const offset = await until('bytes of the upload', getOffset, 30);
      const going = await connect();
      formatAppend(going, client, location!, offset, file.subarray(offset));
      expect(await going.answer()).toMatchObject({ status: 202 });
    });

    // The others take an interim answer for the final one, or drop it.
    if (name === 'nginx' || name === 'apache') return;
    test('with --upload-interim always, the client learns the address of an upload early', async () => {
      const wire = await connect();
      formatCreation(wire, client, randomFileBytes(2000));
      const { status, interim } = await wire.answer();
      expect([status, interim.map((one) => one.status)]).toEqual([202, [104]]);
    });
  });
}

test('the log warns once of a proxy that does not tell the address of its clients', async () => {
  const snippet = readSnippets().get('haproxy')!.replace('option forwardfor', '');
  const proxy = await startReverseProxy('haproxy', server.port, snippet);
  try {
    const from = lines.length;
    for (let n = 0; n < 3; n++) {
      const wire = await openConnection(proxy.port, { ca: proxy.ca });
      const headers = { 'x-api-key': admin.apiKey, origin: `https://localhost:${proxy.port}` };
      wire.write(formatHead('GET /api/users/me', headers));
      expect((await wire.answer()).status).toBe(200);
    }
    const warnings = lines.slice(from).map((line) => JSON.parse(line));
    expect(warnings).toMatchObject([
      { level: 'warn', message: 'trusted proxy sends no X-Forwarded-For', peer: '127.0.0.1' },
    ]);
  } finally {
    await proxy.stop();
  }
});
