import type { Deps } from '../../core/context.ts';
import type { Db } from '../../db/client.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { NamedFile } from '../../storage/files.store.ts';
import {
  renderEdits,
  renderImage,
  renderPerson,
  renderVideo,
  transcodeVideo,
} from '../assets/index.ts';
import { pickFrames } from '../enrichment-queue/index.ts';
import { findAssetType, findVideoOfFrame } from './remake.store.ts';

/** Has a file made again whose object is missing or damaged. What was uploaded cannot be made: that is logged. */
export async function remakeFile({ db, log }: Deps, file: NamedFile): Promise<void> {
  const { name } = file;
  if (isUploaded(file)) {
    log.error('the object of an uploaded file is missing or damaged', { key: name });
    return;
  }
  log.warn('a derived object is missing or damaged and is made again', { key: name });
  await enqueueRemake(db, file);
}

/** Whether nothing makes a file again: it was given. */
export const isUploaded = ({ owner, kind }: NamedFile): boolean =>
  owner === 'account' || kind === 'sidecar';

/** Enqueues what makes a derived file. */
export async function enqueueRemake(db: Db, file: NamedFile): Promise<void> {
  const { owner, id } = file;
  if (owner === 'person') return enqueue(db, renderPerson, { personId: id });
  if (owner === 'asset') return remakeAssetFile(db, file);
  const assetId = await findVideoOfFrame(db, id);
  if (assetId !== undefined) await enqueue(db, pickFrames, { assetId });
}

async function remakeAssetFile(db: Db, { id: assetId, kind }: NamedFile): Promise<void> {
  const type = await findAssetType(db, assetId);
  // The next request makes a copy without metadata.
  if (type === undefined || kind.startsWith('bare_')) return;
  if (kind.startsWith('edited_')) return enqueue(db, renderEdits, { assetId });
  if (kind === 'encoded_video') return enqueue(db, transcodeVideo, { assetId });
  return enqueue(db, type === 'IMAGE' ? renderImage : renderVideo, { assetId });
}
