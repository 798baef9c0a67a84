import { readFile } from 'node:fs/promises';
import { findAccountSession } from '../../access/account-session.ts';
import type { UserSession } from '../../access/session.ts';
import type { Deps } from '../../core/context.ts';
import { createFileFinder } from '../assets/index.ts';
import type { FindMailAlbum } from '../mail/index.ts';
import { getAlbumCards } from './cards.store.ts';
import * as storage from '../../storage/index.ts';

/** Reads the album as the account sees it. */
export const findMailAlbum: FindMailAlbum = async (deps, userId, albumId) => {
  const session = await findAccountSession(deps.db, userId);
  const card = session && (await getAlbumCards(deps.db, session, [albumId])).get(albumId);
  if (!card) return undefined;
  return {
    albumName: card.title,
    picture: card.coverAssetId ? await readCover(deps, session, card.coverAssetId) : undefined,
  };
};

/** Larger pictures are not sent. */
const MAX_PICTURE_BYTES = 1024 * 1024;
const PREVIEWS = ['edited_preview', 'preview'] as const;

async function readCover(deps: Deps, session: UserSession, assetId: string) {
  const files = await createFileFinder({ db: deps.db, session }, PREVIEWS)([assetId]);
  const found = PREVIEWS.map((kind) => files.get(assetId)?.find((file) => file.kind === kind));
  const file = found.find((one) => one !== undefined);
  if (!file?.name || Number(file.size) > MAX_PICTURE_BYTES) return undefined;
  // The picture may have been rendered anew meanwhile: the message goes without it.
  const bytes = await storage
    .locate(deps, storage.derivedFile(deps.paths, file.name))
    .then((path) => readFile(path))
    .catch(() => undefined);
  return bytes && { cid: 'cover', fileName: 'cover.jpg', bytes };
}
