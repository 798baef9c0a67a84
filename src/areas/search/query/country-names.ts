import { LANGUAGES } from '../../../core/languages.ts';
import { toPlaceTerm } from './place-terms.ts';

// Names of countries in the page's languages and Russian: of CLDR, and those by which metadata calls them.

/** Everyday names that CLDR does not have. */
const EVERYDAY: Readonly<Record<string, string>> = {
  US: 'USA|America|Amerika|Amérique|Ameryka|アメリカ|США|Америка|Stati Uniti d’America|États-Unis|EUA|EE. UU.',
  GB: 'Great Britain|England|Britain|Großbritannien|Grande-Bretagne|Gran Bretaña|Gran Bretagna|Groot-Brittannië|Anglia|Англия|Angleterre|Inglaterra|Inghilterra|Engeland',
  NL: 'Holland|Holanda|Hollande|Olanda|Holandia|Голландия|Pays-Bas|荷兰|オランダ',
  CZ: 'Czech Republic|Tschechische Republik|République tchèque|República Checa|Repubblica Ceca|Czechia',
  KR: 'Korea|Corée|Corea|Coreia|韓国|韩国|Корея',
};

export type Country = {
  readonly code: string;
  /** In English, as metadata has it. */
  readonly name: string;
  /** What people call it: names of metadata first. */
  readonly names: readonly string[];
};

let countries: Promise<ReadonlyMap<string, Country>> | undefined;

/** Returns the countries by the terms of their names in all languages. */
export const listCountriesByTerm = (): Promise<ReadonlyMap<string, Country>> =>
  (countries ??= readCountries());

/** Returns a country by its name in any language; files may have it in theirs. */
export const findCountry = async (name: string): Promise<Country | undefined> =>
  (await listCountriesByTerm()).get(toPlaceTerm(name));

/** A written name goes before one of CLDR that is another country's, too. */
async function readCountries(): Promise<ReadonlyMap<string, Country>> {
  const [english, german] = await Promise.all([
    import('i18n-iso-countries/langs/en.json').then((module) => module.default.countries),
    import('i18n-iso-countries/langs/de.json').then((module) => module.default.countries),
  ]);
  const languages = [...LANGUAGES, 'ru'].flatMap((language) =>
    (['long', 'short'] as const).map(
      (style) => new Intl.DisplayNames([language], { type: 'region', style }),
    ),
  );
  const lists = [english, german] as readonly Readonly<Record<string, string | string[]>>[];
  const all = Object.keys(english).map((code) => {
    const written = [...lists.flatMap((list) => list[code] ?? []), ...listEveryday(code)];
    const displayed = languages.flatMap((names) => names.of(code) ?? []);
    const names = [...new Set([...written, ...displayed])].filter((name) => name !== code);
    return { country: { code, name: written[0] ?? code, names }, written };
  });
  const byTerm = new Map(
    all.flatMap(({ country, written }) => written.map((name) => [toPlaceTerm(name), country])),
  );
  for (const { country } of all)
    for (const term of country.names.map(toPlaceTerm))
      if (!byTerm.has(term)) byTerm.set(term, country);
  return byTerm;
}

const listEveryday = (code: string): readonly string[] => EVERYDAY[code]?.split('|') ?? [];
