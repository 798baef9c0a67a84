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
  | 'pentecost'
  | 'epiphany'
  | 'carnival'
  | 'labourDay'
  | 'assumption'
  | 'allSaints'
  | 'saintNicholas'
  | 'springFestival'
  | 'goldenWeek'
  | 'obon'
  | 'nationalDay'
  | 'mothersDay'
  | 'frenchMothersDay'
  | 'spanishMothersDay'
  | 'polishMothersDay'
  | 'fathersDay'
  | 'germanFathersDay'
  | 'saintJoseph'
  | 'brazilianFathersDay'
  | 'polishFathersDay'
  | 'childrensDay'
  | 'brazilianChildrensDay'
  | 'japaneseChildrensDay'
  | 'kingsDay';

type Names = {
  /** By language, in the order of `LANGUAGES`. */
  readonly labels: readonly string[];
  /** Other words for it, as patterns for folded text. */
  readonly others?: string;
};

const split = (labels: string): readonly string[] => labels.split('|');
/** Labels of a holiday that the other languages do not know, or have on another date. */
const only = (labels: Partial<Record<Language, string>>): readonly string[] =>
  LANGUAGES.map((language) => labels[language] ?? '');

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
  // Before New Year, whose name is in it.
  springFestival: {
    labels: split(
      'Chinese New Year|Chinesisches Neujahr|Nouvel An chinois|Año Nuevo chino|Chinees nieuwjaar|Chiński Nowy Rok|Capodanno cinese|Ano-Novo Chinês|春节|春節',
    ),
    others: 'lunar new year|农历新年|除夕|旧正月',
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
  namorados: { labels: only({ 'pt-BR': 'Dia dos Namorados' }) },
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
  epiphany: {
    labels: split(
      'Epiphany|Heilige Drei Könige|Épiphanie|Día de Reyes|Driekoningen|Święto Trzech Króli|Epifania|Dia de Reis||',
    ),
    others: 'three kings day|dreikonigstag|dreikonige|reyes magos|befana|trzech kroli',
  },
  // From Thursday to Shrove Tuesday.
  carnival: {
    labels: split(
      'Carnival|Karneval|Carnaval|Carnaval|Carnaval|Karnawał|Carnevale|Carnaval|狂欢节|カーニバル',
    ),
    others: 'mardi gras|fasching|fastnacht|fasnacht|rosenmontag|ostatki|карнавал|масленица',
  },
  labourDay: {
    labels: split(
      'May Day|Tag der Arbeit|Fête du Travail|Día del Trabajo|Dag van de Arbeid|Święto Pracy|Festa dei Lavoratori|Dia do Trabalhador|劳动节|メーデー',
    ),
    others: 'premier mai|majowka|primo maggio',
  },
  assumption: {
    labels: split(
      'Assumption Day|Mariä Himmelfahrt|Assomption|Asunción|Maria-Tenhemelopneming|Wniebowzięcie|Ferragosto|Assunção||',
    ),
    others: '(?:swieto )?wniebowziecia|matki boskiej zielnej',
  },
  allSaints: {
    labels: split(
      'All Saints’ Day|Allerheiligen|Toussaint|Todos los Santos|Allerheiligen|Wszystkich Świętych|Ognissanti|Todos os Santos||',
    ),
  },
  saintNicholas: {
    labels: split(
      'St Nicholas Day|Nikolaustag|Saint-Nicolas|San Nicolás|Sinterklaas|Mikołajki|San Nicola|São Nicolau||',
    ),
    others: 'nikolaus|pakjesavond|nikolausabend',
  },
  goldenWeek: { labels: only({ ja: 'ゴールデンウィーク' }) },
  obon: { labels: only({ ja: 'お盆' }), others: '盆休み' },
  nationalDay: {
    labels: only({ 'zh-CN': '国庆节' }),
    others: '国庆|十一黄金周',
  },
  mothersDay: {
    labels: only({
      en: 'Mother’s Day',
      de: 'Muttertag',
      nl: 'Moederdag',
      it: 'Festa della Mamma',
      'pt-BR': 'Dia das Mães',
      'zh-CN': '母亲节',
      ja: '母の日',
    }),
  },
  frenchMothersDay: { labels: only({ fr: 'Fête des Mères' }) },
  spanishMothersDay: { labels: only({ es: 'Día de la Madre' }), others: 'dia da mae' },
  polishMothersDay: { labels: only({ pl: 'Dzień Matki' }) },
  fathersDay: {
    labels: only({
      en: 'Father’s Day',
      nl: 'Vaderdag',
      fr: 'Fête des Pères',
      'zh-CN': '父亲节',
      ja: '父の日',
    }),
  },
  germanFathersDay: {
    labels: only({ de: 'Vatertag' }),
    others: 'christi himmelfahrt|ascension|hemelvaart(?:sdag)?|ascensione',
  },
  saintJoseph: {
    labels: only({ es: 'Día del Padre', it: 'Festa del Papà' }),
    others: 'dia do pai|festa di san giuseppe',
  },
  brazilianFathersDay: { labels: only({ 'pt-BR': 'Dia dos Pais' }) },
  polishFathersDay: { labels: only({ pl: 'Dzień Ojca' }) },
  childrensDay: {
    labels: only({ de: 'Kindertag', pl: 'Dzień Dziecka', 'zh-CN': '儿童节' }),
    others: 'dia da crianca|六一',
  },
  brazilianChildrensDay: { labels: only({ 'pt-BR': 'Dia das Crianças' }) },
  japaneseChildrensDay: { labels: only({ ja: 'こどもの日' }), others: '子供の日|子どもの日' },
  kingsDay: { labels: only({ nl: 'Koningsdag' }), others: "king's day" },
};

/** Returns the holiday as a language calls it; undefined where it does not know it. */
export const getHolidayLabel = (holiday: HolidayName, language: Language): string | undefined =>
  HOLIDAY_NAMES[holiday].labels[LANGUAGES.indexOf(language)] || undefined;
