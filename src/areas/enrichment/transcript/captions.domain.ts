import type { Ctx } from '../../../core/context.ts';
import { notFound } from '../../../core/errors.ts';
import { findVideo } from '../video.store.ts';
import { listSpeech } from './transcript.store.ts';

/** Returns the machine transcript of a video as WebVTT, without cues if nobody speaks. Throws 404. */
export async function getCaptions({ db, session }: Ctx, id: string): Promise<string> {
  const video = await findVideo(db, session, id);
  if (video?.type !== 'VIDEO') throw notFound('Video');
  return formatWebVtt(await listSpeech(db, video.assetId));
}

type Cue = { readonly startMs: number; readonly endMs: number; readonly text: string };

/** A cue without a duration is never shown. */
const LEAST_MS = 1;

/** Returns captions in the format that browsers read: https://www.w3.org/TR/webvtt1/. */
export const formatWebVtt = (cues: readonly Cue[]): string =>
  ['WEBVTT', ...cues.map(formatCue)].join('\n\n') + '\n';

const formatCue = ({ startMs, endMs, text }: Cue): string =>
  `${formatTime(startMs)} --> ${formatTime(Math.max(endMs, startMs + LEAST_MS))}\n${escape(text)}`;

/** Hours, minutes, seconds and milliseconds. */
function formatTime(ms: number): string {
  const pad = (value: number, length = 2) => String(Math.floor(value)).padStart(length, '0');
  const [hours, minutes, seconds] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60];
  return `${pad(hours)}:${pad(minutes)}:${pad(seconds)}.${pad(ms % 1000, 3)}`;
}

/** Returns a single line of plain text: an empty line would end the cue, and `<` begin a tag. */
const escape = (text: string): string =>
  text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
