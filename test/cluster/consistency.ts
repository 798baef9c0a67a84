import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { type Account, createAccount, logIn, PASSWORD, send, signUp, upload } from './clients.ts';
import { type Cluster, startCluster } from './cluster.ts';

// A change that one server has answered is seen at the other one at once.

setDefaultTimeout(3_600_000);
const SECONDS = Number(process.env['SAFELIGHT_TEST_CLUSTER_SECONDS'] ?? 120) / 4;
const ASSETS = 8;
/** Each makes its changes at the same time as the others. */
const ACCOUNTS = 6;

type Library = Account & { readonly email: string; readonly assets: readonly string[] };

async function createLibrary(admin: Account, name: string): Promise<Library> {
  const email = `${name}@example.org`;
  const body = { email, name, password: PASSWORD };
  await send(cluster.url, 'POST /admin/users', { headers: { 'x-api-key': admin.key }, body });
  const account = await createAccount(cluster.url, email);
  const sent = Array.from({ length: ASSETS }, () =>
    upload(cluster.url, account.key, randomBytes(1000), 'a.jpg'),
  );
  const assets = (await Promise.all(sent)).map(({ id }) => id!);
  return { ...account, email, assets };
}

let cluster: Cluster;
let libraries: readonly Library[];
beforeAll(async () => {
  cluster = await startCluster();
  const admin = await signUp(cluster.url);
  const names = Array.from({ length: ACCOUNTS }, (_, n) => `person${n}`);
  libraries = await Promise.all(names.map((name) => createLibrary(admin, name)));
});
afterAll(() => cluster?.stop());

type Round = {
  /** Where a change is made, and where it is read. */
  readonly from: string;
  readonly to: string;
  readonly library: Library;
  /** An asset of the library. */
  readonly asset: string;
  readonly number: number;
};

const asOwner = ({ library }: Round) => ({ headers: { 'x-api-key': library.key } });
const change = (round: Round, route: string, body?: object) =>
  send(round.from, route, { ...asOwner(round), ...(body && { body }) });
let reads = 0;
const read = <T>(round: Round, path: string) => {
  reads += 1;
  return send<T>(round.to, `GET ${path}`, asOwner(round));
};
const getStatus = (url: string, path: string, headers: Readonly<Record<string, string>> = {}) => {
  reads += 1;
  return fetch(`${url}/api${path}`, { headers }).then(({ status }) => status);
};

/** Each makes a change and returns whether the other server shows it. */
const CHANGES: Readonly<Record<string, (round: Round) => Promise<boolean>>> = {
  async favorite(round) {
    const isFavorite = round.number % 2 === 0;
    await change(round, `PUT /assets/${round.asset}`, { isFavorite });
    const shown = await read<{ isFavorite: boolean }>(round, `/assets/${round.asset}`);
    return shown.isFavorite === isFavorite;
  },
  async 'archived, counted'(round) {
    const count = async () => {
      const path = '/assets/statistics?visibility=archive';
      return (await read<{ total: number }>(round, path)).total;
    };
    const before = await count();
    await change(round, `PUT /assets/${round.asset}`, { visibility: 'archive' });
    const within = await count();
    await change(round, `PUT /assets/${round.asset}`, { visibility: 'timeline' });
    return within === before + 1 && (await count()) === before;
  },
  async 'buckets of the timeline'(round) {
    const count = async () => {
      const buckets = await read<{ count: number }[]>(
        round,
        '/timeline/buckets?visibility=timeline',
      );
      return buckets.reduce((sum, bucket) => sum + bucket.count, 0);
    };
    const before = await count();
    await send(round.from, 'DELETE /assets', { ...asOwner(round), body: { ids: [round.asset] } });
    const within = await count();
    await change(round, 'POST /trash/restore/assets', { ids: [round.asset] });
    return within === before - 1 && (await count()) === before;
  },
  async album(round) {
    const { id } = await change(round, 'POST /albums', {
      albumName: 'A',
      assetIds: round.library.assets,
    });
    const shown = await read<{ assetCount: number }>(round, `/albums/${id}`);
    await change(round, `DELETE /albums/${id}`);
    return shown.assetCount === ASSETS && (await getStatus(round.to, `/albums/${id}`)) !== 200;
  },
  async preferences(round) {
    const enabled = round.number % 2 === 0;
    await change(round, 'PUT /users/me/preferences', { memories: { enabled } });
    const shown = await read<{ memories: { enabled: boolean } }>(round, '/users/me/preferences');
    return shown.memories.enabled === enabled;
  },
};

/** So many withdrawn credentials in minutes are too many attempts of one address. */
const REFUSED: readonly number[] = [401, 429];

/** Each withdraws a right, and returns whether the other server refuses it. */
const REVOCATIONS: Readonly<Record<string, (round: Round) => Promise<boolean>>> = {
  async session(round) {
    const headers = { authorization: `Bearer ${await logIn(round.from, round.library.email)}` };
    const before = await getStatus(round.to, '/users/me', headers);
    await send(round.from, 'POST /auth/logout', { headers, body: {} });
    return before === 200 && REFUSED.includes(await getStatus(round.to, '/users/me', headers));
  },
  async 'API key'(round) {
    const headers = { authorization: `Bearer ${round.library.token}` };
    const made = await send<{ secret: string; apiKey: { id: string } }>(
      round.from,
      'POST /api-keys',
      { headers, body: { name: 'x', permissions: ['all'] } },
    );
    const key = { 'x-api-key': made.secret };
    const before = await getStatus(round.to, '/users/me', key);
    await send(round.from, `DELETE /api-keys/${made.apiKey.id}`, { headers });
    return before === 200 && REFUSED.includes(await getStatus(round.to, '/users/me', key));
  },
  async 'shared link'(round) {
    const body = { type: 'INDIVIDUAL', assetIds: [round.asset] };
    const { id, key } = await change(round, 'POST /shared-links', body);
    const path = `/assets/${round.asset}?key=${key}`;
    const before = await getStatus(round.to, path);
    await change(round, `DELETE /shared-links/${id}`);
    return before === 200 && (await getStatus(round.to, path)) !== 200;
  },
  async Locked(round) {
    const id = (await upload(round.from, round.library.key, randomBytes(1000), 'a.jpg')).id!;
    const before = await getStatus(round.to, `/assets/${id}`, asOwner(round).headers);
    await change(round, `PUT /assets/${id}`, { visibility: 'locked' });
    return (
      before === 200 && (await getStatus(round.to, `/assets/${id}`, asOwner(round).headers)) !== 200
    );
  },
};

/** Returns how many were tried, and those that were not as they should be. */
async function repeat(changes: typeof CHANGES): Promise<readonly [number, readonly string[]]> {
  const wrong: string[] = [];
  const [first, second] = cluster.nodes;
  const end = performance.now() + SECONDS * 1000;
  reads = 0;
  let count = 0;
  const repeatIn = async (library: Library) => {
    for (let number = 0; performance.now() < end; number += 1) {
      const [from, to] = number % 2 === 0 ? [first.url, second.url] : [second.url, first.url];
      const asset = library.assets[number % ASSETS]!;
      for (const [name, act] of Object.entries(changes)) {
        if (!(await act({ from, to, library, asset, number }))) wrong.push(`${name} ${number}`);
        count += 1;
      }
    }
  };
  await Promise.all(libraries.map(repeatIn));
  return [count, wrong];
}

test('nothing that is read at the other server is stale', async () => {
  const [count, wrong] = await repeat(CHANGES);
  console.log({ changes: count, reads, stale: wrong.length });
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(100);
});

test('nothing that was revoked is accepted by the other server', async () => {
  const [count, wrong] = await repeat(REVOCATIONS);
  console.log({ revoked: count, reads, accepted: wrong.length });
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(50);
});
