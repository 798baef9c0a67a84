import { describe, expect, test } from 'bun:test';
import { type Language, LANGUAGES } from '../../../core/languages.ts';
import { composeTitle, type TitleInput } from './index.ts';

const INPUT: TitleInput = {
  type: 'on_this_day',
  data: { year: 2021 },
  subject: {},
  personName: null,
  petName: null,
  memoryAt: new Date('2021-11-20T23:59:59Z'),
  shownYear: 2026,
  firstAt: new Date('2019-03-31T23:00:00Z'),
  lastAt: new Date('2019-05-01T00:00:00Z'),
};
const title = (over: Partial<TitleInput>, language: Language = 'en') =>
  composeTitle({ ...INPUT, ...over }, language).title;

describe('the title', () => {
  test('of a day says how long ago it was, in each language', () => {
    expect(
      Object.fromEntries(LANGUAGES.map((language) => [language, title({}, language)])),
    ).toEqual({
      en: '5 years ago',
      de: 'Vor 5 Jahren',
      fr: 'Il y a 5 ans',
      es: 'Hace 5 años',
      nl: '5 jaar geleden',
      pl: '5 lat temu',
      it: '5 anni fa',
      'pt-BR': 'Há 5 anos',
      'zh-CN': '5年前',
      ja: '5 年前',
    });
    expect(title({ data: { year: 2025 } })).toBe('1 year ago');
    expect(title({ data: { year: 2022 } }, 'pl')).toBe('4 lata temu');
    expect(composeTitle(INPUT, 'de').subtitle).toBe('20. November 2021');
  });

  test('of this year, or of no year, is the day', () => {
    expect(title({ data: { year: 2026 } })).toBe('November 20, 2021');
    expect(title({ data: {} })).toBe('November 20, 2021');
  });

  test('of a person or a pet has its name, which is no pattern', () => {
    const ann = { type: 'person', personName: '$& Ann' } as const;
    expect(title(ann)).toBe('Moments with $& Ann');
    expect(title({ ...ann, subject: { birthday: true } }, 'it')).toBe('Compleanno di $& Ann');
    expect(title({ type: 'pet', petName: 'Rex' }, 'ja')).toBe('Rexとの思い出');
    expect(title({ type: 'person', personName: '' }, 'nl')).toBe('Een bekend gezicht');
    expect(title({ type: 'pet' }, 'de')).toBe('Dein Haustier');
    expect(composeTitle({ ...INPUT, ...ann }, 'en').subtitle).toBe('March – May 2019');
  });

  test('of a place is the place, below it the country in the language', () => {
    const subject = { city: 'Lisbon', state: 'Lisboa', country: 'Spain' };
    const place = { ...INPUT, type: 'place', subject } as const;
    expect(composeTitle(place, 'de')).toEqual({
      title: 'Lisbon',
      subtitle: 'Spanien · März–Mai 2019',
    });
    expect(title({ type: 'place', subject: { country: 'Japan' } }, 'zh-CN')).toBe('日本');
    expect(title({ type: 'place', subject: { country: 'Atlantis' } }, 'fr')).toBe('Atlantis');
    expect(title({ type: 'place' })).toBe('March – May 2019');
  });

  test('of a custom memory is the time of its assets', () => {
    expect(title({ type: 'custom' }, 'en')).toBe('March – May 2019');
    expect(title({ type: 'custom', lastAt: INPUT.firstAt }, 'es')).toBe('Marzo de 2019');
  });
});
