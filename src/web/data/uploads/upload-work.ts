import { ApiError, isGuest } from '../../base/api.ts';
import { session } from '../session/session.ts';
import type { Uploaded } from '../types.ts';
import type { Digests } from './digests.ts';
import { hashFile } from './hash.ts';
import { findBegun } from './interrupted-uploads.ts';
import { toLockName } from './lock-names.ts';
import { getMediaType } from './media-types.ts';
import { isPairRefused, sendLivePair } from './live-pair.ts';
import type { Sending } from './request.ts';
import { giveUp, sendResumable, type Source, type Watch } from './resumable.ts';
import { sendChecksum, sendForm } from './send.ts';
import { t } from '../../base/i18n.ts';

/** A file and what is known of it. Guests send as they are: the server compares. */
export type UploadFile = {
  file: File;
  digests?: Digests;
  mediaType?: string;
  /** The library has it. */
  isThere?: boolean;
  /** The library has it in the trash, and its upload brings it back. */
  isTrashed?: boolean;
  assetId?: string;
  /** The XMP file beside it. Only a form takes both. */
  sidecar?: File | undefined;
  /** The asset of its video, which was sent before it. */
  liveVideoId?: string;
};
/** One file, or the still and the video of a live photo. */
export type Work = {
  parts: readonly UploadFile[];
  /** Two files that are no live photo after all: each is sent by itself. */
  isSplit?: boolean;
};

export const toWork = (files: readonly File[], sidecars?: ReadonlyMap<File, File>): Work => ({
  parts: files.map((file) => ({ file, sidecar: sidecars?.get(file) })),
});
export const computeSize = ({ parts }: Work): number =>
  parts.reduce((sum, { file }) => sum + file.size, 0);

/** Throws what a person must be told: it is of no use. */
export async function readWork({ parts }: Work): Promise<void> {
  for (const part of parts) {
    part.mediaType = await getMediaType(part.file);
    if (isGuest()) continue;
    part.digests = await hashFile(part.file).catch(() => {
      throw new ApiError(-1, t('The file cannot be read. Was it moved or deleted?'));
    });
  }
}

/** `onSending` gets each transfer that can be called off. */
export async function sendWork(
  work: Work,
  onProgress: Watch,
  onSending: (sending: Sending) => void,
): Promise<Uploaded> {
  const begin = (sending: Sending): Promise<Uploaded> => {
    onSending(sending);
    return sending.result;
  };
  const [photo, video] = work.parts.map(toSource);
  const isNew = !work.parts.some(({ isThere, isTrashed }) => isThere || isTrashed);
  const isPair = photo && video && !work.isSplit && isNew;
  if (isPair && work.parts[0]?.sidecar) await sendVideoFirst(work, onProgress, begin);
  else if (isPair) {
    try {
      return await begin(sendLivePair(photo, video, onProgress));
    } catch (error) {
      if (!isPairRefused(error)) throw error;
      work.isSplit = true;
    }
  }
  return sendEach(work, onProgress, begin);
}

/** The photo then names its video: both with a sidecar do not fit into one request. */
async function sendVideoFirst({ parts }: Work, onProgress: Watch, begin: Begin): Promise<void> {
  const [photo, video] = parts;
  if (!photo || !video) return;
  const { id } = await begin(sendPart(video, (sent) => onProgress(sent)));
  Object.assign(video, { isThere: true, assetId: id });
  photo.liveVideoId = id;
}

type Begin = (sending: Sending) => Promise<Uploaded>;

async function sendEach({ parts }: Work, onProgress: Watch, begin: Begin): Promise<Uploaded> {
  let past = 0;
  const results: Uploaded[] = [];
  for (const part of parts) {
    if (!part.isThere) {
      const before = past;
      const uploaded = await sendOrRestore(part, (sent) => onProgress(before + sent), begin);
      part.isThere = true;
      part.assetId = uploaded.id;
      results.push(uploaded);
    }
    past += part.file.size;
  }
  return (
    results.find(({ status }) => status === 'created') ??
    results.find(({ isTrashed }) => isTrashed) ??
    results.at(-1) ?? { id: '', status: 'duplicate' }
  );
}

/** Restores a file from the trash by its checksum; its bytes are sent only if the server asks. */
async function sendOrRestore(part: UploadFile, onProgress: Watch, begin: Begin): Promise<Uploaded> {
  if (part.isTrashed && part.digests) {
    try {
      return await begin(sendChecksum(part.digests.sha1));
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 400;
      if (!isRefused) throw error;
      part.isTrashed = false;
    }
  }
  return begin(sendPart(part, onProgress));
}

/** Returns the ids of the assets that the files became; a live photo is one asset. */
export function listAssetIds({ parts, isSplit }: Work, uploaded: Uploaded): string[] {
  const known = (isSplit ? parts : parts.slice(0, 1)).flatMap(({ assetId }) => assetId ?? []);
  const isHalf = parts.length > 1 && !isSplit && parts[1]?.assetId === uploaded.id;
  const ids = isHalf && known.length > 0 ? known : [...known, uploaded.id];
  return [...new Set(ids.filter(Boolean))];
}

function sendPart(part: UploadFile, onProgress: Watch): Sending {
  const source = toSource(part);
  const { sidecar, liveVideoId } = part;
  if (source && !sidecar) return sendResumable(source, onProgress);
  // The next account of this browser must not get the file.
  if (!source && !isGuest()) throw new ApiError(401, t('Your session has ended.'));
  return sendForm(part.file, { checksum: part.digests?.sha1, sidecar, liveVideoId }, onProgress);
}

/** Gives up what the server has of files that nobody sends. */
export function giveUpWork({ parts }: Work): void {
  for (const source of parts.flatMap((part) => toSource(part) ?? [])) {
    for (const isHalf of [false, true]) {
      const begun = findBegun({ ...source, isHalf });
      if (begun) giveUp(begun);
    }
  }
}

/** Returns the locks that a tab holds while it sends these files. */
export const listLockNames = ({ parts }: Work): string[] => [
  ...new Set(parts.flatMap((part) => toSource(part) ?? []).map(toLockName)),
];

/** Undefined where it cannot be resumed: guests send forms. */
function toSource({ file, digests, mediaType }: UploadFile): Source | undefined {
  const now = session.get();
  if (!digests || !mediaType || !('me' in now)) return undefined;
  return { file, mediaType, sha256: digests.sha256, userId: now.me.id };
}
