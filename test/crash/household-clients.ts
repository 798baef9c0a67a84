import { expect } from 'bun:test';
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import type { Account } from '../e2e/server.ts';
import type { Random } from '../support/random.ts';
import { type Connection, emptyCopy, syncAll } from '../sync/client.ts';
import { heldBy } from '../sync/world.ts';

const UPLOADS = 6;
const ACTS = 8;
const PAUSE_MS = 300;

type Options = {
  readonly method?: string;
  readonly body?: string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * The clients of an account: uploads, changes and a phone that syncs. What fails is tried again, as clients do; what
 * was acknowledged is remembered.
 */
export function createClients(account: Account, getUrl: () => string, random: Random) {
  /** SHA-256 of the bytes, by id of the item that the server has acknowledged. */
  const uploaded = new Map<string, string>();
  const phone = emptyCopy();
  const headers = { 'x-api-key': account.apiKey };
  const request = (path: string, options: Options = {}) =>
    fetch(`${getUrl()}/api${path}`, { ...options, headers: { ...headers, ...options.headers } });
  const send = (method: string, path: string, body: unknown, more = {}) =>
    request(path, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...more },
    });

  /** The same file again until it is acknowledged, or for as long as this part of the day lasts. */
  async function upload(): Promise<void> {
    const { name, bytes } = await makePicture(random);
    for (let tries = 0; tries < 8; tries++) {
      const body = new FormData();
      body.set('assetData', new File([new Uint8Array(bytes)], name));
      body.set('fileCreatedAt', '2026-01-01T00:00:00Z');
      body.set('fileModifiedAt', '2026-01-01T00:00:00Z');
      const response = await request('/assets', { method: 'POST', body }).catch(() => undefined);
      if (response?.ok) {
        const { id } = (await response.json()) as { id: string };
        uploaded.set(id, createHash('sha256').update(bytes).digest('hex'));
        return;
      }
      await Bun.sleep(PAUSE_MS);
    }
  }

  async function act(): Promise<void> {
    const known = [...uploaded.keys()];
    const ids = [...new Set([random.pick(known), random.pick(known), random.pick(known)])];
    const name = String(random.below(1e9));
    const acts = [
      () => send('PUT', '/assets', { ids, isFavorite: random.below(2) === 1 }),
      () => send('PUT', '/assets', { ids, visibility: 'archive' }),
      () => send('PUT', '/assets', { ids, visibility: 'timeline' }),
      () => send('PUT', '/assets', { ids, rating: 3, description: name }),
      () => send('DELETE', '/assets', { ids }),
      () => send('POST', '/trash/restore/assets', { ids }),
      () => send('POST', '/albums', { albumName: name, assetIds: ids }),
      () => send('POST', '/stacks', { assetIds: ids }),
    ];
    await random.pick(acts)();
  }

  const connect = (token: string): Connection => {
    const more = { authorization: `Bearer ${token}`, 'x-api-key': '' };
    return {
      stream: (types) => send('POST', '/sync/stream', { types }, more),
      async ack(acks) {
        const { status } = await send('POST', '/sync/ack', { acks }, more);
        if (status !== 204) throw new Error(`the acknowledgement was refused: ${status}`);
      },
    };
  };
  const sync = () => syncAll(connect(account.accessToken), phone);
  const repeat = async (count: number, work: () => Promise<unknown>) => {
    for (let n = 0; n < count; n++) {
      await work().catch(() => {});
      await Bun.sleep(PAUSE_MS);
    }
  };

  return {
    uploaded,
    get: request,
    begin: async () => {
      await upload();
      await sync();
    },
    /** A part of a day. Nothing that fails is an error here. */
    live: () =>
      Promise.all([
        repeat(UPLOADS, upload),
        repeat(UPLOADS, upload),
        repeat(ACTS, act),
        repeat(1, sync),
      ]),
    /** The phone that was there all week holds what a new one gets. Returns how many of the uploads it has. */
    async countOnPhone(): Promise<number> {
      await sync();
      const { email, password } = account;
      const login = await send('POST', '/auth/login', { email, password });
      const { accessToken } = (await login.json()) as { accessToken: string };
      const fresh = emptyCopy();
      await syncAll(connect(accessToken), fresh);
      expect(heldBy(phone)).toEqual(heldBy(fresh));
      return [...uploaded.keys()].filter((id) => fresh.assets.has(id)).length;
    },
  };
}

async function makePicture(random: Random): Promise<{ name: string; bytes: Buffer }> {
  const name = `${random.below(1e9)}.jpg`;
  const background = { r: random.below(256), g: random.below(256), b: random.below(256) };
  const bytes = await sharp({ create: { width: 320, height: 240, channels: 3, background } })
    .withExif({ IFD0: { ImageDescription: name } })
    .jpeg()
    .toBuffer();
  return { name, bytes };
}
