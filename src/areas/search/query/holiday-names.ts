import { LANGUAGES, type Language } from '../../../core/languages.ts';

export type HolidayName =
  | 'christmasEve'
  | 'christmas'
  | 'newYearsEve'
  | 'newYear'
  | 'halloween'
  | 'valentine'
  | 'namorados'
  | 'thanksgiving'
  | 'easter'
  | 'pentecost';

type Names = {
  /** By language, in the order of `LANGUAGES`. */
  readonly labels: readonly string[];
  /** Other words for it, as patterns for folded text. */
  readonly others?: string;
};

const split = (labels: string): readonly string[] => labels.split('|');

/** The longer names of several come first: 'Christmas Eve' before 'Christmas'. */
export const HOLIDAY_NAMES: Readonly<Record<HolidayName, Names>> = {
  christmasEve: {
    labels: split(
      'Christmas Eve|Heiligabend|Veille de Noël|Nochebuena|Kerstavond|Wigilia|Vigilia di Natale|Véspera de Natal|平安夜|クリスマスイブ',
    ),
    others: 'heiliger abend|reveillon de noel|wigili[ei]|圣诞夜|クリスマス・?イ[フヴウ]',
  },
  christmas: {
    labels: split(
      'Christmas|Weihnachten|Noël|Navidad|Kerstmis|Boże Narodzenie|Natale|Natal|圣诞节|クリスマス',
    ),
    others:
      'christmas day|xmas|weihnacht(?:s?tage?)?|navidades|kerst|swieta bozego narodzenia|bozego narodzenia|рождество|рождества|рождестве|рождеству|рождеством',
  },
  newYearsEve: {
    labels: split(
      'New Year’s Eve|Silvester|Saint-Sylvestre|Nochevieja|Oudejaarsavond|Sylwester|San Silvestro|Réveillon|跨年夜|大晦日',
    ),
    others:
      "new years? ?['’]?s? eve|nye|reveillon du nouvel an|reveillon|passagem de ano|virada do ano|nochevieja|oud en nieuw|oudjaar|sylwestra|vespera de ano novo|новый год|нового года|новым годом|новом году|跨年",
  },
  newYear: {
    labels: split(
      'New Year’s Day|Neujahr|Jour de l’An|Año Nuevo|Nieuwjaar|Nowy Rok|Capodanno|Ano-Novo|元旦|元日',
    ),
    others: "new year['’]?s?|nouvel an|nowego roku|お?正月|新年",
  },
  halloween: {
    labels: split(`${'Halloween|'.repeat(8)}万圣节|ハロウィン`),
    others: 'хэллоуин|хэллоуина|хэллоуине',
  },
  valentine: {
    labels: split(
      'Valentine’s Day|Valentinstag|Saint-Valentin|San Valentín|Valentijnsdag|Walentynki|San Valentino|Dia de São Valentim|情人节|バレンタインデー',
    ),
    others: "valentine['’]?s?|バレンタイン",
  },
  // Valentine’s Day in Brazil, in June.
  namorados: { labels: LANGUAGES.map((one) => (one === 'pt-BR' ? 'Dia dos Namorados' : '')) },
  thanksgiving: {
    labels: split(
      'Thanksgiving|Thanksgiving|Thanksgiving|Acción de Gracias|Thanksgiving|Święto Dziękczynienia|Giorno del Ringraziamento|Ação de Graças|感恩节|感謝祭',
    ),
  },
  easter: {
    labels: split('Easter|Ostern|Pâques|Pascua|Pasen|Wielkanoc|Pasqua|Páscoa|复活节|イースター'),
    others: 'easter sunday|ostertage?|wielkanocy|semana santa|пасха|пасхи|пасхе|пасху|пасхой',
  },
  pentecost: {
    labels: split(
      'Pentecost|Pfingsten|Pentecôte|Pentecostés|Pinksteren|Zielone Świątki|Pentecoste|Pentecostes|圣灵降临节|聖霊降臨祭',
    ),
    others: 'whitsun',
  },
};

/** Returns the holiday as a language calls it; undefined where it does not know it. */
export const getHolidayLabel = (holiday: HolidayName, language: Language): string | undefined =>
  HOLIDAY_NAMES[holiday].labels[LANGUAGES.indexOf(language)] || undefined;
