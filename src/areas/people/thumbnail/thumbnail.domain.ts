import type { Ctx } from '../../../core/context.ts';
import { notFound } from '../../../core/errors.ts';
import { derivedName } from '../../../core/paths.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { getOwnPerson } from '../domain.ts';
import { renderPerson } from '../../assets/index.ts';
import { waitForPersonLock, findThumbnail, type Thumbnail } from './thumbnail.store.ts';
import * as storage from '../../../storage/index.ts';

/**
 * File name relative to the derived folder; the database trigger `person_gone` writes the same
 * name.
 */
export const getThumbnailName = (personId: string): string =>
  derivedName(personId, 'person', 'webp');

const getFileName = (personId: string, { objectName }: Thumbnail): string =>
  objectName ?? getThumbnailName(personId);

/** Returns the thumbnail file. Throws 404 until it is rendered, and enqueues the rendering. */
export async function getPersonThumbnail(ctx: Ctx, id: string) {
  const person = await getOwnPerson(ctx, id, 'person.read');
  const file = await findCurrentFile(ctx, person.id);
  const make = () => enqueue(ctx.db, renderPerson, { personId: person.id });
  const source =
    file && (await storage.open(ctx, storage.derivedFile(ctx.paths, getFileName(person.id, file))));
  if (!source) {
    await make();
    throw notFound('Person thumbnail');
  }
  return {
    ...source,
    size: file.size,
    etag: `"${file.tag}"`,
    type: 'image/webp',
    cacheControl: 'private, no-cache',
    disposition: { kind: 'inline', fileName: `${person.id}.webp` } as const,
    onGone: () =>
      void make().catch((error: unknown) =>
        ctx.log.error('cannot enqueue a person thumbnail', { error }),
      ),
  };
}

/** While a new thumbnail replaces the old one, file and row may differ: waits for the writer. */
async function findCurrentFile(ctx: Ctx, personId: string) {
  const found = await findThumbnail(ctx.db, personId);
  if (!found || found.objectName !== null) return found;
  const file = storage.derivedFile(ctx.paths, getThumbnailName(personId));
  if (await storage.has(ctx, file, found.size)) return found;
  await waitForPersonLock(ctx.db, personId);
  return findThumbnail(ctx.db, personId);
}
