import type { MemorySubject, MemoryType } from '../../../db/tables/memories.ts';
import type { Language } from '../../../core/languages.ts';
import { MESSAGES } from './messages.ts';
import { translateCountry } from './regions.ts';

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
  const { firstAt, lastAt, memoryAt } = input;
  const span = formatMonths(firstAt, lastAt, language);
  switch (input.type) {
    case 'on_this_day': {
      const day = formatDay(memoryAt, language);
      return { title: formatYearsAgo(input, language) ?? day, subtitle: day };
    }
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
    case 'custom':
      return { title: span, subtitle: '' };
  }
}

function formatYearsAgo({ data, shownYear }: TitleInput, language: Language): string | undefined {
  const years = shownYear - Number(data['year']);
  if (!(years > 0)) return undefined;
  const text = new Intl.RelativeTimeFormat(language).format(-years, 'year');
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

const formatDay = (date: Date, language: Language): string =>
  new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    timeZone: 'UTC',
  }).format(date);

/** As 'March 2019' or 'March – May 2019'. */
function formatMonths(from: Date, to: Date, language: Language): string {
  const format = new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  const text = format.formatRange(from, to);
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}
