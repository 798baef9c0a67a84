import type { z } from 'zod';
import {
  download,
  DownloadTooLarge,
  RequestRefused,
  type SendRequest,
} from '../../../inference/models/download.ts';
import { countAll } from './counts.ts';
import { askForJson, askForList, type List, type ListSpec, type Timing } from './request.ts';
import { ImmichUnavailable, isServerAway, toUnavailable } from './unavailable.ts';
import {
  ALBUMS,
  ASSET_PAGE,
  AssetSchema,
  type ImmichAlbum,
  type ImmichAsset,
  type ImmichStack,
  type ImmichTag,
  PAGE_SIZE,
  STACKS,
  StatisticsSchema,
  TAGS,
  UserSchema,
} from './wire.ts';

/** Pages of a list: more photos than any account has. */
const MAX_PAGES = 20_000;

/** Called with the name of an item that is not as it should be: it is left out. */
export type OnOdd = (name: string) => void;

/** Conditions of `POST /search/metadata`. */
export type AssetFilter = {
  readonly visibility?: 'timeline' | 'archive';
  readonly albumIds?: [string];
  readonly tagIds?: [string];
  /** With those in the trash. */
  readonly withDeleted?: true;
  readonly trashedAfter?: string;
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
  const toQuestion = (path: string, body: object | undefined) =>
    ({ base, path, body, headers, signal, timing, send }) as const;
  const ask = <T>(path: string, schema: z.ZodType<T>): Promise<T> =>
    untilBack(() => askForJson(toQuestion(path, undefined), schema));
  const askAll = <T, Rest>(
    path: string,
    spec: ListSpec<T, Rest>,
    body?: object,
  ): Promise<List<T, Rest>> => untilBack(() => askForList(toQuestion(path, body), spec));
  async function list<T>(path: string, spec: ListSpec<T, unknown>, onOdd: OnOdd): Promise<T[]> {
    const { items, odd } = await askAll(path, spec);
    for (const name of odd) onOdd(name);
    return items;
  }

  /** Returns a list that a key may not be allowed to see; undefined if it was not given. */
  async function listIfAllowed<T>(path: string, spec: ListSpec<T, unknown>) {
    const question = { ...toQuestion(path, undefined), timing: { ...timing, attempts: 1 } };
    try {
      return (await askForList(question, spec)).items;
    } catch (error) {
      if (error instanceof ImmichUnavailable) return undefined;
      throw error;
    }
  }

  return {
    listIfAllowed,
    /** Returns the id of the account whose key it is. */
    getUserId: async (): Promise<string> => (await ask('/users/me', UserSchema)).id,
    /** Returns the number of its photos and videos, those in the archive included. */
    countAssets: async (): Promise<number> =>
      (await ask('/assets/statistics', StatisticsSchema)).total,
    count: () => countAll({ ask, askAll }),
    /** Yields pages of assets, also those of partners; the oldest first, so that uploads move no page. */
    async *listAssets(filter: AssetFilter, onOdd?: OnOdd): AsyncGenerator<ImmichAsset[], void> {
      for (let page = 1; page <= MAX_PAGES;) {
        const body = { ...filter, ...ASSET_OPTIONS, page };
        const found = await askAll('/search/metadata', ASSET_PAGE, body);
        for (const name of found.odd) onOdd?.(name);
        yield found.items;
        const next = Number(found.rest.assets.nextPage ?? Number.NaN);
        const isEmpty = found.items.length + found.odd.length === 0;
        if (isEmpty || !Number.isSafeInteger(next) || next <= page) return;
        page = next;
      }
    },
    getAsset: (id: string): Promise<ImmichAsset> =>
      ask(`/assets/${encodeURIComponent(id)}`, AssetSchema),
    listAlbums: (onOdd: OnOdd): Promise<ImmichAlbum[]> => list('/albums', ALBUMS, onOdd),
    listTags: (onOdd: OnOdd): Promise<ImmichTag[]> => list('/tags', TAGS, onOdd),
    listStacks: (onOdd: OnOdd): Promise<ImmichStack[]> => list('/stacks', STACKS, onOdd),
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

const ASSET_OPTIONS = {
  size: PAGE_SIZE,
  order: 'asc',
  withExif: true,
  withPeople: true,
  withStacked: true,
} as const;

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
