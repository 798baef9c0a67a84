import { LANGUAGES } from '../../../core/languages.ts';
import { toPlaceTerm } from './place-terms.ts';

// Names of countries in the page's languages and Russian: of CLDR, and those by which metadata calls them.

const DISPLAYED = [...LANGUAGES, 'ru'].flatMap((language) =>
  (['long', 'short'] as const).map((style) => ({ language, style })),
);

type Names = ReadonlyMap<string, readonly string[]>;

let writtenNames: Promise<Names> | undefined;
let codes: Promise<Map<string, string>> | undefined;

/** Everyday names that CLDR does not have. */
const EVERYDAY: Readonly<Record<string, string>> = {
  US: 'USA|America|Amerika|Amérique|Ameryka|アメリカ|США|Америка|Stati Uniti d’America|États-Unis|EUA|EE. UU.',
  GB: 'Great Britain|England|Britain|Großbritannien|Grande-Bretagne|Gran Bretaña|Gran Bretagna|Groot-Brittannië|Anglia|Англия|Angleterre|Inglaterra|Inghilterra|Engeland',
  NL: 'Holland|Holanda|Hollande|Olanda|Holandia|Голландия|Pays-Bas|荷兰|オランダ',
  CZ: 'Czech Republic|Tschechische Republik|République tchèque|República Checa|Repubblica Ceca|Czechia',
  KR: 'Korea|Corée|Corea|Coreia|韓国|韩国|Корея',
};

/** Names by code: those of metadata first. */
async function readNames(): Promise<Names> {
  const [english, german] = await Promise.all([
    import('i18n-iso-countries/langs/en.json').then((module) => module.default.countries),
    import('i18n-iso-countries/langs/de.json').then((module) => module.default.countries),
  ]);
  const names = new Map<string, string[]>();
  for (const [code, name] of [english, german].flatMap((one) =>
    Object.entries(one as Record<string, string | string[]>),
  ))
    names.set(code, [...(names.get(code) ?? []), ...[name].flat()]);
  for (const [code, name] of Object.entries(EVERYDAY))
    names.set(code, [...(names.get(code) ?? []), ...name.split('|')]);
  return names;
}

const toCodes = (names: Iterable<readonly [code: string, names: readonly string[]]>) =>
  new Map([...names].flatMap(([code, list]) => list.map((name) => [toPlaceTerm(name), code])));

/** Returns the code of a country by its name in any language; files may have it in theirs. */
export async function findCountryCode(country: string): Promise<string | undefined> {
  const written = await (writtenNames ??= readNames());
  const term = toPlaceTerm(country);
  const known = await (codes ??= Promise.resolve(toCodes(written)));
  const code = known.get(term);
  if (code !== undefined || known.has(ALL)) return code;
  // Takes a tenth of a second.
  const all = await Promise.all(
    [...written.keys()].map(async (one) => [one, await listCountryNames(one)] as const),
  );
  for (const [name, one] of toCodes(all)) if (!known.has(name)) known.set(name, one);
  known.set(ALL, '');
  return known.get(term);
}
const ALL = '';

/** Returns what people call a country. */
export async function listCountryNames(code: string): Promise<string[]> {
  const written = await (writtenNames ??= readNames());
  const names = DISPLAYED.flatMap(
    ({ language, style }) =>
      new Intl.DisplayNames([language], { type: 'region', style }).of(code) ?? [],
  );
  return [...new Set([...(written.get(code) ?? []), ...names])].filter((name) => name !== code);
}

let everyCountry: Promise<ReadonlyMap<string, string>> | undefined;

/** Returns the English names of all countries by their terms in all languages; takes a tenth of a second once. */
export const listEveryCountry = (): Promise<ReadonlyMap<string, string>> =>
  (everyCountry ??= readEveryCountry());

async function readEveryCountry(): Promise<ReadonlyMap<string, string>> {
  const written = await (writtenNames ??= readNames());
  const all = new Map<string, string>();
  for (const [code, [name]] of written) {
    if (name === undefined) continue;
    for (const term of (await listCountryNames(code)).map(toPlaceTerm))
      if (term.length > 1 && !all.has(term)) all.set(term, name);
  }
  return all;
}
