import type { z } from 'zod';
import { ImmichUnavailable } from './unavailable.ts';
import type { List, ListSpec } from './request.ts';
import { ALBUMS, PeopleSchema, StatisticsSchema, TAGS, UserSchema } from './wire.ts';

/** The number of things that an account has. */
export type ImmichCounts = {
  readonly photos: number;
  readonly videos: number;
  readonly albums: number;
  readonly tags: number;
  /** Null where the key may not read people. */
  readonly people: number | null;
  /** Bytes of the originals; null where the server does not tell it. */
  readonly bytes: number | null;
};

type Ask = <T>(path: string, schema: z.ZodType<T>) => Promise<T>;
type AskAll = <T, Rest>(path: string, spec: ListSpec<T, Rest>) => Promise<List<T, Rest>>;
type Requests = { readonly ask: Ask; readonly askAll: AskAll };

/** Returns what the account of a key has. Throws ImmichUnavailable. */
export async function countAll({ ask, askAll }: Requests): Promise<ImmichCounts> {
  const { images, videos } = await ask('/assets/statistics', StatisticsSchema);
  const { quotaUsageInBytes } = await ask('/users/me', UserSchema);
  const albums = await askAll('/albums', ALBUMS);
  const tags = await askAll('/tags', TAGS);
  return {
    photos: images,
    videos,
    albums: albums.items.length + albums.odd.length,
    tags: tags.items.length + tags.odd.length,
    people: await countPeople(ask),
    bytes: quotaUsageInBytes ?? null,
  };
}

async function countPeople(ask: Ask): Promise<number | null> {
  try {
    return (await ask('/people?size=1', PeopleSchema)).total;
  } catch (error) {
    if (error instanceof ImmichUnavailable && error.code === 'permission_missing') return null;
    throw error;
  }
}
