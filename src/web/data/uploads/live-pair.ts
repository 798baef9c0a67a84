import type { LivePhotoResult } from '../../../areas/uploads/resumable/resumable.schemas.ts';
import { ApiError } from '../../base/api.ts';
import type { Uploaded } from '../types.ts';
import { forget } from './interrupted-uploads.ts';
import { type Sending, toError } from './request.ts';
import { createRun, giveUp, receive, type Run, type Source, type Watch } from './resumable.ts';

/** Both halves of a live photo, which become one item or nothing. Call it again as `sendResumable`. */
export function sendLivePair(photo: Source, video: Source, onProgress: Watch): Sending {
  const { run, ...ends } = createRun();
  return { result: send(photo, video, onProgress, run), ...ends };
}

/** The files do not belong together, or one of them is in the library: then each goes for itself. */
export const isPairRefused = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.code === 'live_photo_incompatible' || error.code === 'live_photo_duplicate');

async function send(photo: Source, video: Source, onProgress: Watch, run: Run): Promise<Uploaded> {
  const still = await receive({ ...photo, isHalf: true }, onProgress, run);
  const past = photo.file.size;
  const moving = await receive({ ...video, isHalf: true }, (sent) => onProgress(past + sent), run);
  const halves = [still.upload, moving.upload];
  const answer = await run.step('POST', '/assets/uploads/live-photo/commit', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ photoUploadId: still.upload.id, videoUploadId: moving.upload.id }),
  });
  const { status, text } = answer;
  if (status === 200 || status === 202) {
    halves.forEach(forget);
    const done = JSON.parse(text) as LivePhotoResult;
    const isNew = done.status !== 'duplicate';
    return { id: done.photoAssetId ?? '', status: isNew ? 'created' : 'duplicate' };
  }
  const error = toError(answer);
  if (isPairRefused(error)) halves.forEach(giveUp);
  // The server has given one of them up: both begin anew.
  const isGone = status === 404 || status === 410;
  if (isGone) halves.forEach(forget);
  if (isGone || error.code === 'concurrent_request') throw new ApiError(0, error.message);
  throw error;
}
