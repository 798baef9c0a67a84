import type { MemorySubject, MemoryType } from '../../../db/tables/memories.ts';
import type { Language } from '../../../core/languages.ts';
import { MESSAGES } from './messages.ts';

export type TitleInput = {
  readonly type: MemoryType;
  readonly data: Readonly<Record<string, unknown>>;
  readonly subject: MemorySubject;
  readonly personName: string | null;
  readonly petName: string | null;
  /** Date that the memory is about; its day is that of UTC. */
  readonly memoryAt: Date;
  /** Year in which it is shown. */
  readonly shownYear: number;
  /** Local capture times of the first and last asset, as if they were UTC. */
  readonly firstAt: Date;
  readonly lastAt: Date;
};

export type Title = { readonly title: string; readonly subtitle: string };

/** Returns the title of a memory that has no name, and the line below it. */
export function composeTitle(input: TitleInput, language: Language): Title {
  if (input.type === 'on_this_day') {
    const day = getFormats(language).day.format(input.memoryAt);
    return { title: formatYearsAgo(input, language) ?? day, subtitle: day };
  }
  const span = formatMonths(input, language);
  switch (input.type) {
    case 'person':
      return {
        title: composeSubject(input.personName, 'unnamedPerson', input, language),
        subtitle: span,
      };
    case 'pet':
      return {
        title: composeSubject(input.petName, 'unnamedPet', input, language),
        subtitle: span,
      };
    case 'place': {
      const [title, ...around] = listPlaces(input.subject, language);
      return { title: title ?? span, subtitle: title ? [...around, span].join(' · ') : '' };
    }
    case 'custom': {
      const { year } = input.subject;
      const best = MESSAGES[language].bestOfYear.replace('{year}', String(year));
      return year === undefined ? { title: span, subtitle: '' } : { title: best, subtitle: span };
    }
  }
}

function formatYearsAgo({ data, shownYear }: TitleInput, language: Language): string | undefined {
  const years = shownYear - Number(data['year']);
  if (!(years > 0)) return undefined;
  const text = getFormats(language).years.format(-years, 'year');
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}

function composeSubject(
  name: string | null,
  unnamed: 'unnamedPerson' | 'unnamedPet',
  { subject }: TitleInput,
  language: Language,
): string {
  const messages = MESSAGES[language];
  if (!name) return messages[unnamed];
  const message = subject.birthday ? messages.birthday : messages.moments;
  return message.replace('{name}', () => name);
}

/** The most exact place first, and the country if it is another. */
function listPlaces({ city, state, country }: MemorySubject, language: Language): string[] {
  const place = city ?? state;
  return [...(place ? [place] : []), ...(country ? [translateCountry(country, language)] : [])];
}

type Formats = {
  readonly day: Intl.DateTimeFormat;
  readonly months: Intl.DateTimeFormat;
  readonly years: Intl.RelativeTimeFormat;
};

const formats = new Map<Language, Formats>();

/** They are slow to make. */
function getFormats(language: Language): Formats {
  const months = { year: 'numeric', month: 'long', timeZone: 'UTC' } as const;
  const found = formats.get(language) ?? {
    day: new Intl.DateTimeFormat(language, { ...months, day: 'numeric' }),
    months: new Intl.DateTimeFormat(language, months),
    years: new Intl.RelativeTimeFormat(language),
  };
  formats.set(language, found);
  return found;
}

/** As 'March 2019' or 'March – May 2019'. */
function formatMonths({ firstAt, lastAt }: TitleInput, language: Language): string {
  const text = getFormats(language).months.formatRange(firstAt, lastAt);
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}

const names = new Map<Language, Intl.DisplayNames>();
let codesByName: ReadonlyMap<string, string> | undefined;

const getNames = (language: Language): Intl.DisplayNames => {
  const found =
    names.get(language) ?? new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
  names.set(language, found);
  return found;
};

/** Returns a country, which metadata names in English, in another language; as it is if unknown. */
function translateCountry(country: string, language: Language): string {
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
