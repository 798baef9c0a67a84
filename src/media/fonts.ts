import { existsSync } from 'node:fs';
import { ToolMissing } from './errors.ts';
import { memoizeSuccess } from '../core/memoize.ts';
import { runTool } from './tool-process.ts';

const LIMITS = { timeoutMs: 20_000, cpuSeconds: 10, memoryBytes: 1024 ** 3 };
const FALLBACK = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf';
/** Before the scripts that the fallback does not have. */
const FALLBACK_END = 0x0590;
/** More do not make the choice better. */
const MAX_CHARS = 60;
/** Named in a filter, and read by a tool that sees the folders of the system only. */
const USABLE = /^\/usr\/[\w./-]+\.(ttf|otf|ttc)$/i;

/** Returns a text without emoji, which no font of outlines has, and without control characters. */
export const withoutEmoji = (text: string): string =>
  text
    .replaceAll(/[\p{Extended_Pictographic}\p{Emoji_Component}\p{Cc}](?<![\d#*])/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Scripts whose letters change their places and shapes, which ffmpeg leaves to HarfBuzz. */
const SHAPED =
  /[\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]/u;
const ARABIC = /\p{sc=Arab}/u;
/** Letters as they look inside a word (Unicode, Arabic Presentation Forms-B): ffmpeg looks for these. */
const ARABIC_FORMS = 'fe8d-fefc';

const hasHarfBuzz = memoizeSuccess(async () => {
  const { stdout } = await runTool(['ffmpeg', '-version'], LIMITS);
  return stdout.includes('--enable-libharfbuzz');
});

/**
 * Returns the file of a font with which ffmpeg draws all of the text; undefined: there is none, or ffmpeg
 * cannot shape the script.
 */
export async function findFont(text: string, signal?: AbortSignal): Promise<string | undefined> {
  if (SHAPED.test(text) && !(await hasHarfBuzz())) return undefined;
  const codes = Array.from(text, (char) => char.codePointAt(0) ?? []).flat();
  const chars = [...new Set(codes)].filter((code) => code > 0x20);
  try {
    const wanted = chars.slice(0, MAX_CHARS).map((code) => code.toString(16));
    if (ARABIC.test(text)) wanted.push(ARABIC_FORMS);
    const asking = [`:charset=${wanted.join(' ')}`, '-f', '%{file}|%{family}|%{style}\\n'];
    const { stdout } = await runTool(['fc-list', ...asking], { ...LIMITS, signal });
    const [best] = stdout
      .split('\n')
      .map((line) => line.split('|') as [string, string?, string?])
      .filter(([file]) => USABLE.test(file) && existsSync(file))
      .toSorted((a, b) => rate(b) - rate(a) || a[0].localeCompare(b[0]));
    if (best) return best[0];
  } catch (error) {
    if (!(error instanceof ToolMissing)) throw error;
  }
  const isCovered = chars.every((code) => code < FALLBACK_END);
  return isCovered && existsSync(FALLBACK) ? FALLBACK : undefined;
}

/** Returns the words of a text that some font can draw together: all of them, fewer, or none. */
export async function keepDrawable(text: string, signal?: AbortSignal): Promise<string> {
  if (await findFont(text, signal)) return text;
  const drawable: string[] = [];
  for (const word of text.split(' ')) if (await findFont(word, signal)) drawable.push(word);
  const kept = drawable.join(' ');
  return kept.length < text.length && (await findFont(kept, signal)) ? kept : '';
}

const rate = ([, family = '', style = '']: readonly [string, string?, string?]): number =>
  (/sans/i.test(family) ? 4 : 0) +
  (/regular|book|normal|roman/i.test(style) ? 2 : 0) -
  (/mono|condensed|serif|italic|oblique|light|math/i.test(
    `${family} ${style}`.replace(/sans serif/i, ''),
  )
    ? 3
    : 0);
