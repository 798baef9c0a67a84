import type { z } from 'zod';
import {
  download,
  DownloadTooLarge,
  RequestRefused,
  type SendRequest,
} from '../../../inference/models/download.ts';
import { countAll } from './counts.ts';
import { askForJson, type Timing } from './request.ts';
import { ImmichUnavailable, isServerAway, toUnavailable } from './unavailable.ts';
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

/** Conditions of `POST /search/metadata`. */
export type AssetFilter = {
  readonly visibility?: 'timeline' | 'archive';
  readonly albumIds?: [string];
  readonly tagIds?: [string];
};

export type ImmichClient = ReturnType<typeof createImmichClient>;

export type ImmichClientOptions = {
  readonly address: string;
  readonly key: string;
  /** Ends what is under way, and throws its reason. */
  readonly signal?: AbortSignal;
  readonly timing?: Partial<Timing>;
  /** Sends the requests; the global fetch by default. */
  readonly fetch?: SendRequest;
  /**
   * Called when the server could not be reached. Once it resolves, the request is repeated; without it, or if it rejects,
   * the error is thrown.
   */
  readonly whenAway?: (fault: ImmichUnavailable) => Promise<void>;
  /** Called when something was read whole: a server that only begins to answer is away. */
  readonly onAnswer?: () => void;
};

/**
 * Reads an account of a server with the API of Immich. Everything throws ImmichUnavailable after some attempts,
 * and at once if the key is refused. Nothing that the server says is part of an error.
 */
export function createImmichClient(options: ImmichClientOptions) {
  const { signal, timing, whenAway, onAnswer, fetch: send = fetch } = options;
  const base = toApiUrl(options.address);
  const headers = { 'x-api-key': options.key, accept: 'application/json' };
  const untilBack = async <T>(work: () => Promise<T>): Promise<T> => {
    const result = await repeatUntilBack(work, whenAway);
    onAnswer?.();
    return result;
  };
  const ask = <T>(path: string, schema: z.ZodType<T>, body?: object): Promise<T> =>
    untilBack(() => askForJson({ base, path, schema, body, headers, signal, timing, send }));

  return {
    /** Returns the id of the account whose key it is. */
    getUserId: async (): Promise<string> => (await ask('/users/me', UserSchema)).id,
    /** Returns the number of its photos and videos, those in the archive included. */
    countAssets: async (): Promise<number> =>
      (await ask('/assets/statistics', StatisticsSchema)).total,
    count: () => countAll(ask),
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
    /**
     * Writes the original of an asset to the file. Throws RequestRefused if there is none, and DownloadTooLarge for
     * more than `maxBytes`.
     */
    async downloadOriginal(id: string, target: string, maxBytes: number): Promise<void> {
      const url = `${base}/assets/${encodeURIComponent(id)}/original`;
      const attempts = timing?.attempts;
      const limits = { signal, maxBytes, ...(attempts !== undefined && { attempts }) };
      await untilBack(async () => {
        try {
          await download(url, target, NO_CHECK, { headers, fetch: send, ...limits });
        } catch (error) {
          signal?.throwIfAborted();
          throw explainDownload(base, error, whenAway !== undefined);
        }
      });
    },
  };
}

const NO_CHECK = () => Promise.resolve();

/** Statuses of a server, or of a proxy before it, that is busy or starts. */
const AWAY_STATUSES: readonly number[] = [429, 502, 503, 504];

/** Returns the error of a download; RequestRefused and DownloadTooLarge are about the file alone. */
function explainDownload(base: string, error: unknown, canWait: boolean): unknown {
  if (error instanceof DownloadTooLarge) return error;
  if (!(error instanceof RequestRefused)) return toUnavailable(base, error);
  const { status } = error;
  if (status === 401) return new ImmichUnavailable('key_refused', base);
  if (status === 403) return new ImmichUnavailable('permission_missing', base);
  if (canWait && AWAY_STATUSES.includes(status)) return new ImmichUnavailable('unreachable', base);
  return error;
}

/** Repeats work that fails since the server is away, as long as `whenAway` resolves. */
async function repeatUntilBack<T>(
  work: () => Promise<T>,
  whenAway: ImmichClientOptions['whenAway'],
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isServerAway(error) || !whenAway) throw error;
      await whenAway(error);
    }
  }
}

/** Returns the address of the API, without a slash at its end. Throws for what is no address. */
export function toApiUrl(address: string): string {
  const url = URL.parse(address);
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (!isPlain) throw new ImmichUnavailable('address_invalid', address);
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api$/, '');
  return `${url.origin}${path}/api`;
}
