import { ApiError, isGuest } from '../api.ts';
import { session } from '../session/session.ts';
import type { Uploaded } from '../types.ts';
import type { Digests } from './digests.ts';
import { hashFile } from './hash.ts';
import { mediaTypeOf } from './kinds.ts';
import { isPairRefused, sendLivePair } from './live-pair.ts';
import type { Sending } from './request.ts';
import { MAX_BYTES, sendResumable, type Source, type Watch } from './resumable.ts';
import { sendForm } from './send.ts';

/** A file and what is known of it. Guests send as they are: the server compares. */
export type Part = {
  file: File;
  digests?: Digests;
  mediaType?: string;
  /** The library has it. */
  isThere?: boolean;
};
/** One file, or the still and the video of a live photo. */
export type Work = {
  parts: readonly Part[];
  /** They are not, after all. */
  isSplit?: boolean;
};

export const workOf = (files: readonly File[]): Work => ({
  parts: files.map((file) => ({ file })),
});
export const sizeOf = ({ parts }: Work): number =>
  parts.reduce((sum, { file }) => sum + file.size, 0);

/** Throws what a person must be told: it is of no use. */
export async function readWork({ parts }: Work): Promise<void> {
  for (const part of parts) {
    part.mediaType = await mediaTypeOf(part.file);
    if (isGuest()) continue;
    part.digests = await hashFile(part.file).catch(() => {
      throw new ApiError(-1, 'The file cannot be read. Was it moved or deleted?');
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
  const [photo, video] = work.parts.map(sourceOf);
  const isPair = photo && video && !work.isSplit && !work.parts.some(({ isThere }) => isThere);
  if (isPair) {
    try {
      return await begin(sendLivePair(photo, video, onProgress));
    } catch (error) {
      if (!isPairRefused(error)) throw error;
      work.isSplit = true;
    }
  }
  return sendEach(work, onProgress, begin);
}

async function sendEach(
  { parts }: Work,
  onProgress: Watch,
  begin: (sending: Sending) => Promise<Uploaded>,
): Promise<Uploaded> {
  let [past, last, created] = [
    0,
    undefined as Uploaded | undefined,
    undefined as Uploaded | undefined,
  ];
  for (const part of parts) {
    if (!part.isThere) {
      const before = past;
      last = await begin(sendPart(part, (sent) => onProgress(before + sent)));
      part.isThere = true;
      if (last.status === 'created') created ??= last;
    }
    past += part.file.size;
  }
  return created ?? last ?? { id: '', status: 'duplicate' };
}

function sendPart(part: Part, onProgress: Watch): Sending {
  const source = sourceOf(part);
  return source
    ? sendResumable(source, onProgress)
    : sendForm(part.file, part.digests?.sha1, onProgress);
}

/** Undefined where it cannot be resumed. */
function sourceOf({ file, digests, mediaType }: Part): Source | undefined {
  const now = session.get();
  if (!digests || !mediaType || file.size > MAX_BYTES || !('me' in now)) return undefined;
  return { file, mediaType, sha256: digests.sha256, userId: now.me.id };
}
