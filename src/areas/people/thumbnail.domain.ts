import { join } from 'node:path';
import type { Ctx } from '../../core/context.ts';
import { notFound } from '../../core/errors.ts';
import { derivedName } from '../../core/paths.ts';
import { enqueue } from '../../jobs/queue.ts';
import { ownPerson } from './domain.ts';
import { renderPerson } from './jobs.ts';
import { findThumbnail } from './thumbnail.store.ts';

/** Relative to the derived folder; the trigger `person_gone` writes the same name. */
export const thumbnailName = (personId: string): string => derivedName(personId, 'person', 'webp');

/** 404 until it is made; who asks for a missing one has it made. */
export async function personThumbnail(ctx: Ctx, id: string) {
  const person = await ownPerson(ctx, id, 'person.read');
  const file = await findThumbnail(ctx.db, person.id);
  const make = () => enqueue(ctx.db, renderPerson, { personId: person.id });
  if (!file) {
    await make();
    throw notFound('Person thumbnail');
  }
  return {
    path: join(ctx.paths.derived, thumbnailName(person.id)),
    size: file.size,
    etag: `"${file.tag}"`,
    type: 'image/webp',
    cacheControl: 'private, no-cache',
    disposition: { kind: 'inline', fileName: `${person.id}.webp` } as const,
    onGone: () => void make().catch((error: unknown) => ctx.log.error('no new picture', { error })),
  };
}
