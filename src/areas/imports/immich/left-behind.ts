import type { ImportNote, NoteReason } from '../notes.ts';
import type { ImmichClient } from './client.ts';
import { type ImmichAlbum, type ImmichLink, LINKS, MEMORIES, PARTNERS } from './wire.ts';

const EVER = '1970-01-01T00:00:00.000Z';

/** Yields what an account of Immich has and the import does not take, by name where the key shows it. */
export async function* listLeftBehind(
  client: ImmichClient,
  userId: string,
): AsyncGenerator<ImportNote, void> {
  yield { path: 'Locked', reasons: ['locked_unseen'] };
  for await (const page of client.listAssets({ withDeleted: true, trashedAfter: EVER })) {
    for (const { isTrashed, ownerId, originalFileName: path } of page) {
      if (isTrashed && ownerId === userId) yield { path, reasons: ['trashed_there'] };
    }
  }
  const links = await client.listIfAllowed('/shared-links', LINKS);
  yield* tell('Shared links', 'link', links?.map(nameLink));
  const memories = await client.listIfAllowed('/memories', MEMORIES);
  const saved = memories?.filter(({ isSaved }) => isSaved);
  yield* tell(
    'Memories',
    'memory',
    saved?.map(({ memoryAt }) => memoryAt.slice(0, 10)),
  );
  const partners = await client.listIfAllowed('/partners?direction=shared-by', PARTNERS);
  yield* tell(
    'Partners',
    'partner',
    partners?.map(({ name }) => name),
  );
}

/** Returns what of an album is not taken. */
export function noteMembers({ albumName, albumUsers }: ImmichAlbum): ImportNote | undefined {
  const members = (albumUsers ?? []).filter(({ role }) => role !== 'owner');
  return members.length > 0 ? { path: albumName, reasons: ['members'] } : undefined;
}

function* tell(
  kind: string,
  reason: NoteReason,
  names: readonly string[] | undefined,
): Generator<ImportNote, void> {
  if (!names) yield { path: kind, reasons: ['not_told'] };
  for (const path of names ?? []) yield { path, reasons: [reason] };
}

const nameLink = ({ description, album, slug }: ImmichLink): string =>
  description || album?.albumName || slug || 'Shared link';
