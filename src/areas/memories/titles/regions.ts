import type { Language } from '../../../core/languages.ts';

const names = new Map<Language, Intl.DisplayNames>();
let codesByName: ReadonlyMap<string, string> | undefined;

const getNames = (language: Language): Intl.DisplayNames => {
  const found =
    names.get(language) ?? new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
  names.set(language, found);
  return found;
};

/** Returns a country, which metadata names in English, in another language; as it is if unknown. */
export function translateCountry(country: string, language: Language): string {
  codesByName ??= new Map(
    listRegionCodes().flatMap((code) => {
      const name = getNames('en').of(code);
      return name ? [[name.toLowerCase(), code] as const] : [];
    }),
  );
  const code = codesByName.get(country.toLowerCase());
  return (code && getNames(language).of(code)) || country;
}

const LETTERS = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
const listRegionCodes = () => LETTERS.flatMap((first) => LETTERS.map((last) => first + last));
