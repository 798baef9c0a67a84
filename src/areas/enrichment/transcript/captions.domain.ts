import type { Ctx } from '../../../core/context.ts';
import { notFound } from '../../../core/errors.ts';
import { findVideo } from '../video.store.ts';
import { listSpeech } from './transcript.store.ts';
import { formatWebVtt } from './web-vtt.ts';

/** Returns the machine transcript of a video as WebVTT, without cues if nobody speaks. Throws 404. */
export async function getCaptions({ db, session }: Ctx, id: string): Promise<string> {
  const video = await findVideo(db, session, id);
  if (video?.type !== 'VIDEO') throw notFound('Video');
  return formatWebVtt(await listSpeech(db, video.assetId));
}
