import { existsSync } from 'node:fs';
import { ToolMissing } from '../../../../media/errors.ts';
import { runTool } from '../../../../media/tool-process.ts';

const LIMITS = { timeoutMs: 20_000, cpuSeconds: 10, memoryBytes: 1024 ** 3 };
const FALLBACK = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf';
/** Before the scripts that the fallback does not have. */
const FALLBACK_END = 0x0590;
/** More do not make the choice better. */
const MAX_CHARS = 60;
/** Named in a filter, and read by a tool that sees the folders of the system only. */
const USABLE = /^\/usr\/[\w./-]+\.(ttf|otf|ttc)$/i;

/** Returns a text without what no font of outlines draws. */
export const toDrawable = (text: string): string =>
  text
    .replaceAll(/[\p{Extended_Pictographic}\p{Emoji_Component}\p{Cc}](?<![\d#*])/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Returns the file of a font that has all characters of the text; undefined: there is none. */
export async function findFont(text: string, signal?: AbortSignal): Promise<string | undefined> {
  const chars = [...new Set(Array.from(text, (char) => char.codePointAt(0)!))].filter(
    (code) => code > 0x20,
  );
  try {
    const wanted = chars.slice(0, MAX_CHARS).map((code) => code.toString(16));
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

const rate = ([, family = '', style = '']: readonly [string, string?, string?]): number =>
  (/sans/i.test(family) ? 4 : 0) +
  (/regular|book|normal|roman/i.test(style) ? 2 : 0) -
  (/mono|condensed|serif|italic|oblique|light|math/i.test(
    `${family} ${style}`.replace(/sans serif/i, ''),
  )
    ? 3
    : 0);
