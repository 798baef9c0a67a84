import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess } from '../../../core/errors.ts';
import { requireValue } from '../../../core/required.ts';
import { keepLimits } from '../../../db/limits/keep-limit.ts';
import { recordEvents } from '../../workflow-events/index.ts';
import { LINK_LIMITS, MANY_LINKS } from './copy.store.ts';
import * as store from './merge.store.ts';
import { type ExifChange, updateExif } from '../update/update.store.ts';

/**
 * Merges into each of `keptIds` the owner's data of `goneIds`, which are copies of the same picture
 * about to be deleted: albums, links, tags, favorite, and missing rating, description and place. Keeps
 * all data of `keptIds`. The first of `keptIds` replaces the others in their stacks.
 */
export async function mergeAssets(
  ctx: Ctx,
  keptIds: readonly string[],
  goneIds: readonly string[],
): Promise<void> {
  const { userId } = requireUser(ctx.session);
  const [heir] = keptIds;
  if (heir === undefined || goneIds.length === 0) return;
  const scope = { ownerId: userId, rows: MANY_LINKS };
  await keepLimits(ctx, LINK_LIMITS, scope, async ({ db, session, now }) => {
    const rows = await store.findCopies(db, session, [...keptIds, ...goneIds]);
    if (rows.size < keptIds.length + goneIds.length) throw noAccess('asset.update');
    const getCopy = (id: string) => requireValue(rows.get(id), 'copy of the picture');
    const gone = goneIds.map(getCopy);
    const move = { keptIds, goneIds, userId, now: now() };
    await store.mergeAlbums(db, move);
    await store.mergeLinks(db, move);
    await recordEvents(db, 'AssetTagged', [...new Set(await store.mergeTags(db, move))]);
    for (const id of keptIds) {
      const change = mergeExif(getCopy(id), gone);
      const edited = Object.keys(change).filter((field) => EDITABLE_FIELDS.has(field));
      if (edited.length > 0) await updateExif(db, id, change, edited);
    }
    // Also without other changes, so that cached months are read again.
    await store.touchAssets(db, keptIds, {
      isFavorite: gone.some((copy) => copy.isFavorite),
      now: now(),
    });
    await store.replaceInStack(db, heir, { goneIds, now: now() });
  });
}

/** Fields that a new extraction of metadata does not overwrite. */
const EDITABLE_FIELDS = new Set(['description', 'rating', 'latitude', 'longitude']);

function mergeExif(kept: store.AssetCopyRow, gone: readonly store.AssetCopyRow[]): ExifChange {
  const rating = Math.max(...[kept, ...gone].map((copy) => copy.rating ?? 0));
  const description = mergeLines([kept, ...gone].map((copy) => copy.description ?? ''));
  const place = kept.latitude === null ? findAgreedPlace(gone) : undefined;
  return {
    ...(rating > (kept.rating ?? 0) && { rating }),
    ...(description !== (kept.description ?? '') && { description }),
    ...place,
  };
}

/** Returns the first text with those lines of the others that it does not have. */
function mergeLines([first = '', ...others]: readonly string[]): string {
  let text = first;
  const known = new Set(splitLines(first));
  for (const line of others.flatMap(splitLines)) {
    if (known.has(line)) continue;
    known.add(line);
    text = text.trim() === '' ? line : `${text}\n${line}`;
  }
  return text;
}
const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Returns the place of the copies if they agree. */
function findAgreedPlace(copies: readonly store.AssetCopyRow[]): ExifChange | undefined {
  const places = copies.flatMap(({ latitude, longitude, city, state, country }) =>
    latitude === null || longitude === null ? [] : [{ latitude, longitude, city, state, country }],
  );
  // Other programs round coordinates differently, by a few metres.
  const rounded = new Set(
    places.map(({ latitude, longitude }) => `${latitude.toFixed(4)} ${longitude.toFixed(4)}`),
  );
  return rounded.size > 1 ? undefined : places[0];
}
