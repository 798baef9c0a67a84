import { asUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import * as store from './merge.store.ts';
import { type ExifChange, updateExif } from '../exif/update.store.ts';

/**
 * Each of `keptIds` gets what the owner did with the others, which are copies of the same picture
 * that are about to go: albums, links, tags, the favourite, and of rating, description and place what
 * it has less of. Nothing that it has is lost. The first takes their place in stacks.
 */
export async function mergeAssets(
  ctx: Ctx,
  keptIds: readonly string[],
  goneIds: readonly string[],
): Promise<void> {
  const { userId } = asUser(ctx.session);
  const [heir] = keptIds;
  if (heir === undefined || goneIds.length === 0) return;
  await inTransaction(ctx, async ({ db, session, now }) => {
    const rows = await store.findCopies(db, session, [...keptIds, ...goneIds]);
    if (rows.size < keptIds.length + goneIds.length) throw noAccess('asset.update');
    const gone = goneIds.map((id) => rows.get(id)!);
    const move = { keptIds, goneIds, userId, now: now() };
    await store.joinAlbums(db, move);
    await store.joinLinks(db, move);
    await store.joinTags(db, move);
    for (const id of keptIds) {
      const change = mergedExif(rows.get(id)!, gone);
      const edited = Object.keys(change).filter((field) => EDITED.has(field));
      if (edited.length > 0) await updateExif(db, id, change, edited);
    }
    // Also where nothing else changed: what is listed with a month is read anew.
    await store.touch(db, keptIds, {
      isFavorite: gone.some((copy) => copy.isFavorite),
      now: now(),
    });
    await store.takePlaces(db, heir, { goneIds, now: now() });
  });
}

/** What reading the file again leaves alone from now on. */
const EDITED = new Set(['description', 'rating', 'latitude', 'longitude']);

export function mergedExif(kept: store.Copy, gone: readonly store.Copy[]): ExifChange {
  const rating = Math.max(...[kept, ...gone].map((copy) => copy.rating ?? 0));
  const description = joinedText([kept, ...gone].map((copy) => copy.description ?? ''));
  const place = kept.latitude === null ? onlyPlace(gone) : undefined;
  return {
    ...(rating > (kept.rating ?? 0) && { rating }),
    ...(description !== (kept.description ?? '') && { description }),
    ...place,
  };
}

/** The first as it is; of the others, the lines that are not there yet. */
function joinedText([first = '', ...others]: readonly string[]): string {
  let text = first;
  const known = new Set(linesOf(first));
  for (const line of others.flatMap(linesOf)) {
    if (known.has(line)) continue;
    known.add(line);
    text = text.trim() === '' ? line : `${text}\n${line}`;
  }
  return text;
}
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Where they were taken if they all say the same: of two places, none is more likely. */
function onlyPlace(copies: readonly store.Copy[]): ExifChange | undefined {
  const placed = copies.filter(
    ({ latitude, longitude }) => latitude !== null && longitude !== null,
  );
  // Copies that other programs wrote round differently: a few metres.
  const places = new Set(
    placed.map(({ latitude, longitude }) => `${latitude!.toFixed(4)} ${longitude!.toFixed(4)}`),
  );
  const [copy] = placed;
  if (!copy || places.size > 1) return undefined;
  const { latitude, longitude, city, state, country } = copy;
  return { latitude, longitude, city, state, country };
}
