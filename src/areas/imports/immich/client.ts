import type { z } from 'zod';
import { download, RequestRefused } from '../../../inference/models/download.ts';
import {
  AlbumsSchema,
  AssetPageSchema,
  AssetSchema,
  type ImmichAlbum,
  type ImmichAsset,
  type ImmichStack,
  type ImmichTag,
  StacksSchema,
  StatisticsSchema,
  TagsSchema,
  UserSchema,
} from './wire.ts';

/** Items of a page: the most that Immich gives. */
export const PAGE_SIZE = 1000;
const TIMEOUT_MS = 120_000;
const ATTEMPTS = 5;

/** Conditions of `POST /search/metadata`. */
export type AssetFilter = {
  readonly visibility?: 'timeline' | 'archive';
  readonly albumIds?: [string];
  readonly tagIds?: [string];
};

export type ImmichClient = ReturnType<typeof createImmichClient>;

/** The server did not give what was asked for: its address, its key or the server itself is the reason. */
export class ImmichUnavailable extends Error {
  override readonly name = 'ImmichUnavailable';
}

/**
 * Reads an account of a server with the API of Immich. Everything throws ImmichUnavailable after some attempts,
 * and at once if the key is refused.
 */
export function createImmichClient({ address, key }: { address: string; key: string }) {
  const base = toApiUrl(address);
  const headers = { 'x-api-key': key, accept: 'application/json' };

  async function ask<T>(path: string, schema: z.ZodType<T>, body?: object): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await askOnce(path, schema, body);
      } catch (error) {
        if (error instanceof ImmichUnavailable) throw error;
        if (attempt === ATTEMPTS) throw toUnavailable(base, error);
        await Bun.sleep(500 * 2 ** attempt);
      }
    }
  }

  async function askOnce<T>(path: string, schema: z.ZodType<T>, body?: object): Promise<T> {
    const response = await fetch(base + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      // The key is for this address only.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status } = response;
    if (status >= 500 || status === 429) throw new Error(`${path}: ${status}`);
    if (!response.ok) throw explainRefusal(base, path, response);
    const parsed = schema.safeParse(await response.json().catch(() => undefined));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const place = issue?.path.join('.') || 'the body';
    throw new ImmichUnavailable(
      `${base}${path} is no answer of Immich: ${place}: ${issue?.message}`,
    );
  }

  return {
    /** Returns the id of the account whose key it is. */
    getUserId: async (): Promise<string> => (await ask('/users/me', UserSchema)).id,
    /** Returns the number of its photos and videos, those in the archive included. */
    countAssets: async (): Promise<number> =>
      (await ask('/assets/statistics', StatisticsSchema)).total,
    /** Yields pages of assets, also those of partners; the oldest first, so that uploads move no page. */
    async *listAssets(filter: AssetFilter): AsyncGenerator<ImmichAsset[], void> {
      for (let page: number | null = 1; page !== null;) {
        const { assets }: z.infer<typeof AssetPageSchema> = await ask(
          '/search/metadata',
          AssetPageSchema,
          {
            ...filter,
            page,
            size: PAGE_SIZE,
            order: 'asc',
            withExif: true,
            withPeople: true,
            withStacked: true,
          },
        );
        yield assets.items;
        const next = Number(assets.nextPage);
        page = assets.nextPage !== null && next > page ? next : null;
      }
    },
    getAsset: (id: string): Promise<ImmichAsset> =>
      ask(`/assets/${encodeURIComponent(id)}`, AssetSchema),
    listAlbums: (): Promise<ImmichAlbum[]> => ask('/albums', AlbumsSchema),
    listTags: (): Promise<ImmichTag[]> => ask('/tags', TagsSchema),
    listStacks: (): Promise<ImmichStack[]> => ask('/stacks', StacksSchema),
    /** Writes the original of an asset to the file. Throws RequestRefused if there is none. */
    async downloadOriginal(id: string, target: string): Promise<void> {
      const url = `${base}/assets/${encodeURIComponent(id)}/original`;
      try {
        await download(url, target, () => Promise.resolve(), { headers });
      } catch (error) {
        if (!(error instanceof RequestRefused)) throw toUnavailable(base, error);
        if (error.status === 401 || error.status === 403) {
          throw new ImmichUnavailable(`${base} refuses downloads: ${NEEDED}`);
        }
        throw error;
      }
    },
  };
}

const NEEDED =
  'the API key needs asset.read, asset.download, asset.statistics, album.read, tag.read, stack.read and user.read';

function explainRefusal(base: string, path: string, { status, headers }: Response): Error {
  if (status === 401) return new ImmichUnavailable(`${base} does not know this API key`);
  if (status === 403) return new ImmichUnavailable(`${base} refuses ${path}: ${NEEDED}`);
  if (status >= 300 && status < 400) {
    return new ImmichUnavailable(
      `${base} redirects to ${headers.get('location')}: use that address`,
    );
  }
  return new ImmichUnavailable(`${base}${path} answers ${status}: it may be no server of Immich`);
}

const toUnavailable = (base: string, cause: unknown) =>
  new ImmichUnavailable(`${base} cannot be read: ${(cause as Error).message}`, { cause });

/** Returns the address of the API, without a slash at its end. Throws for what is no address. */
export function toApiUrl(address: string): string {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ImmichUnavailable(`${address} is no address, as http://immich:2283`);
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api$/, '');
  return `${url.origin}${path}/api`;
}
