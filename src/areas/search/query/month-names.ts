import { foldInPlace } from '../match/words.ts';
import { toLatin } from './date-terms.ts';

// Names of months in the page's languages and Russian, folded.

/** By month: English, German, French, Spanish, Dutch, Polish (with its cases), Italian, Portuguese, Russian (with its cases). */
const NAMES_BY_MONTH = [
  `january jan januar janner janvier enero januari styczeń stycznia styczniu styczniem gennaio janeiro январь января январе`,
  `february feb februar février febrero februari luty lutego lutym febbraio fevereiro февраль февраля феврале`,
  `march mar marz maerz mars marzo maart marzec marca marcu marcem março март марта марте`,
  `april apr avril abril kwiecień kwietnia kwietniu kwietniem aprile апрель апреля апреле`,
  `may mai mayo mei maj maja maju majem maggio maio май мая мае`,
  `june jun juni juin junio czerwiec czerwca czerwcu czerwcem giugno junho июнь июня июне`,
  `july jul juli juillet julio lipiec lipca lipcu lipcem luglio julho июль июля июле`,
  `august aug août agosto augustus sierpień sierpnia sierpniu sierpniem август августа августе`,
  `september sep sept septembre septiembre setiembre wrzesień września wrześniu wrześniem settembre setembro сентябрь сентября сентябре`,
  `october oct oktober okt octobre octubre październik października październiku październikiem ottobre outubro октябрь октября октябре`,
  `november nov novembre noviembre listopad listopada listopadzie listopadem novembro ноябрь ноября ноябре`,
  `december dec dezember dez décembre diciembre grudzień grudnia grudniu grudniem dicembre dezembro декабрь декабря декабре`,
].map((names) => toLatin(foldInPlace(names)).split(' '));

/** Chinese, and Japanese among it. */
const NUMERALS = ['一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '十一', '十二'];

const MONTHS: ReadonlyMap<string, number> = new Map([
  ...NAMES_BY_MONTH.flatMap((names, at) => names.map((name) => [name, at + 1] as const)),
  ...NUMERALS.map((numeral, at) => [numeral, at + 1] as const),
]);

/** Returns the number of a month by its folded name, its numeral or its digits. Throws for any other text. */
export function getMonth(name: string | undefined): number {
  const month = MONTHS.get(name ?? '') ?? Number(name);
  if (month >= 1 && month <= 12) return month;
  throw new Error(`No month is called ${JSON.stringify(name)}`);
}

/** A pattern of the names that are written with letters, the longest first. */
export const MONTH_NAMES = NAMES_BY_MONTH.flat()
  .toSorted((a, b) => b.length - a.length)
  .join('|');

/** A pattern of the number before 月. */
export const MONTH_NUMBERS = '(?<!\\d)(?:1[0-2]|[1-9])|十[一二]?|[一二三四五六七八九]';

/** Names that are ordinary words or names of people: they count only after a hint such as 'in', or with a year. */
export const AMBIGUOUS_MONTHS: ReadonlySet<string> = new Set(
  `march mar may mai sep dec jan jun nov apr aug mars marco marca marcu mayo mei maj maja avril julio
  augustus luty mart marta`.split(/\s+/),
);
