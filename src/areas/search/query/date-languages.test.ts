import { describe, expect, test } from 'bun:test';
import { DateTime } from 'luxon';
import { foldInPlace } from '../match/words.ts';
import { findDates } from './date-parser.ts';
import { isAnnual } from './date-terms.ts';

/** A Wednesday. */
const NOW = DateTime.fromISO('2024-05-15T12:00:00', { zone: 'Europe/Berlin' });

const read = (text: string, isSouthern = false) =>
  findDates(foldInPlace(text), { now: NOW, isSouthern }).map(({ days }) =>
    isAnnual(days)
      ? `any ${days.names.join()}`
      : `${days.from?.toISODate() ?? ''}..${days.to?.toISODate() ?? ''}`,
  );

/** Sentences by what they say. */
const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  '2017-01-01..2017-12-31': [
    'seven years ago',
    'vor sieben Jahren',
    'il y a sept ans',
    'hace siete años',
    'sette anni fa',
    'há sete anos',
    'zeven jaar geleden',
    'siedem lat temu',
    'семь лет назад',
    '7年前',
    '七年前',
  ],
  '2022-08-01..2022-08-31': [
    'from 1 to 31 august 2022',
    'August 1–31, 2022',
    'vom 1. bis 31. August 2022',
    'du 1er au 31 août 2022',
    'del 1 al 31 de agosto de 2022',
    'dal 1 al 31 agosto 2022',
    'de 1 a 31 de agosto de 2022',
    'van 1 tot en met 31 augustus 2022',
    'od 1 do 31 sierpnia 2022',
    '2022年8月1日から31日まで',
    '2022年8月1日到31日',
    '2022/08',
  ],
  '2022-06-11..2022-06-20': [
    'mid-June 2022',
    'Mitte Juni 2022',
    'mi-juin 2022',
    'a mediados de junio de 2022',
    'a metà giugno 2022',
    'em meados de junho de 2022',
    'half juni 2022',
    'w połowie czerwca 2022',
    '2022年6月中旬',
  ],
  '2023-02-21..2023-02-28': [
    'late February 2023',
    'the end of February 2023',
    'Ende Februar 2023',
    'fin février 2023',
    'a finales de febrero de 2023',
    'fine febbraio 2023',
    'no fim de fevereiro de 2023',
    'eind februari 2023',
    'pod koniec lutego 2023',
    '2023年2月下旬',
    '2023年2月底',
  ],
  'any 06-01,06-02,06-03,06-04,06-05,06-06,06-07,06-08,06-09,06-10': [
    'early june',
    'Anfang Juni',
    'début juin',
    'inizio giugno',
    'begin juni',
    'na początku czerwca',
    '6月上旬',
  ],
  '2021-09-01..2021-12-31': ['late 2021', 'Ende 2021', 'fin 2021', '2021年底'],
  '2024-01-01..': [
    'since January',
    'seit Januar',
    'depuis janvier',
    'desde enero',
    'sinds januari',
  ],
  '..2022-12-23': [
    'before Christmas 2022',
    'vor Weihnachten 2022',
    'avant Noël 2022',
    'antes de navidad 2022',
    'prima di Natale 2022',
    'voor kerst 2022',
  ],
  '..2022-05-31': [
    'until May 2022',
    'bis Mai 2022',
    'jusqu’en mai 2022',
    'hasta mayo de 2022',
    'tot mei 2022',
  ],
  '2022-05-08..': [
    'after 7 May 2022',
    'nach dem 7. Mai 2022',
    'na 7 mei 2022',
    'après le 7 mai 2022',
  ],
  '2024-05-12..2024-05-12': ['last sunday'],
  'any 05-03,05-04,05-05': ['3.–5. Mai', 'May 3-5', 'du 3 au 5 mai'],
  '2021-07-14..2021-07-14': ['2021/07/14', '2021.7.14', '2021-7-14'],
  '2022-06-01..2022-08-31': [
    'two summers ago',
    'vor zwei Sommern',
    'il y a deux étés',
    'hace dos veranos',
    'due estati fa',
    'twee zomers geleden',
    'há dois verões',
  ],
  '2024-01-01..2024-12-31': ['deste ano', "di quest'anno", 'de este año', 'cette année'],
  '2022-08-15..2022-08-15': ['ferragosto 2022', 'Mariä Himmelfahrt 2022', 'assomption 2022'],
  '2023-02-16..2023-02-21': ['carnaval 2023', 'Karneval 2023', 'Fasching 2023', 'carnevale 2023'],
  '2024-02-09..2024-02-16': ['2024年春节', 'Chinese New Year 2024', 'nouvel an chinois 2024'],
  '2023-01-21..2023-01-28': ['lunar new year 2023', '2023年春节'],
  '2022-05-08..2022-05-08': [
    "Mother's Day 2022",
    'Muttertag 2022',
    'dia das mães 2022',
    '2022年の母の日',
  ],
  '2022-05-29..2022-05-29': ['fête des mères 2022'],
  '2020-06-07..2020-06-07': ['fête des mères 2020'],
  '2022-05-01..2022-05-01': ['día de la madre 2022'],
  '2022-06-19..2022-06-19': ["father's day 2022", 'Vaderdag 2022', 'fête des pères 2022'],
  '2022-05-26..2022-05-26': ['Vatertag 2022', 'Christi Himmelfahrt 2022', 'Dzień Matki 2022'],
  'any 04-27': ['koningsdag'],
  'any 08-13,08-14,08-15,08-16': ['お盆'],
  'any 12-05,12-06': ['sinterklaas', 'Nikolaus'],
  '2025-04-01..2025-04-30': [
    'April 2025',
    'avril 2025',
    'abril de 2025',
    'aprile 2025',
    'w kwietniu 2025',
    'в апреле 2025',
    '2025年4月',
  ],
  '2023-06-01..2023-08-31': [
    'last summer',
    'letzten Sommer',
    "l'été dernier",
    'el verano pasado',
    'el último verano',
    "l'estate scorsa",
    'vorige zomer',
    'afgelopen zomer',
    'zeszłego lata',
    'no verão passado',
    'прошлым летом',
    '去年夏天',
    '昨年の夏',
    'été 2023',
    'lato 2023',
    '2023年の夏',
  ],
  '2023-12-24..2023-12-26': [
    'last Christmas',
    'letztes Weihnachten',
    'Noël dernier',
    'Navidad pasada',
    'afgelopen Kerstmis',
    'Рождество 2023',
    '去年のクリスマス',
    '去年圣诞节',
  ],
  '2023-01-01..2023-12-31': [
    'last year',
    "l'année dernière",
    'el año pasado',
    "l'anno scorso",
    'vorig jaar',
    'w zeszłym roku',
    'no ano passado',
    'в прошлом году',
    '去年',
    '昨年',
  ],
  '2022-01-01..2022-12-31': [
    'il y a deux ans',
    'hace 2 años',
    'due anni fa',
    'twee jaar geleden',
    'dwa lata temu',
    'há dois anos',
    '2 года назад',
    '2年前',
    '两年前',
  ],
  '2024-05-14..2024-05-14': [
    'ayer',
    'ieri',
    'gisteren',
    'wczoraj',
    'ontem',
    'вчера',
    '昨日',
    '昨天',
  ],
  '2024-04-01..2024-04-30': [
    'le mois dernier',
    'el mes pasado',
    'w zeszłym miesiącu',
    '先月',
    '上个月',
  ],
  '2020-01-01..': ['depuis 2020', 'desde 2020', 'sinds 2020', 'od 2020', 'с 2020', '2020年以来'],
  '1990-01-01..1999-12-31': ['les années 90', 'años 90', 'lata 90.', '90-е', '90年代'],
  'any 06,07,08': [
    'summer',
    'Sommer in Paris',
    'en été',
    "photos d'été",
    'en verano',
    'fotos de verano',
    'in estate',
    'zomer',
    'latem',
    'no verão',
    'летом',
    '夏の写真',
    '夏天的照片',
    'summer holidays',
  ],
  'any 12,01,02': ['winter', 'en hiver', 'w zimie', 'зимой', 'inverno', '冬天'],
};

for (const [days, sentences] of Object.entries(SENTENCES))
  test.each([...sentences])(`%p is ${days}`, (sentence) => {
    expect(read(sentence)).toEqual([days]);
  });

describe('a season without a year', () => {
  test('is the other way round in the south', () => {
    expect([read('summer', true), read('en hiver', true), read('夏', true)]).toEqual([
      ['any 12,01,02'],
      ['any 06,07,08'],
      ['any 12,01,02'],
    ]);
  });

  test.each([
    'summer dress',
    'winter coat',
    "robe d'été",
    'vestido de verano',
    'Sommerkleid',
    'spring',
    'a fall from a horse',
    'a été prise',
    'bacio lente',
    '立春',
    '夏目漱石',
    '春巻き',
  ])('is no part of a thing or of another word: %p', (text) => {
    expect(read(text)).toEqual([]);
  });
});
