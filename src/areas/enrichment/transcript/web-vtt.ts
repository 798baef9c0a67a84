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
