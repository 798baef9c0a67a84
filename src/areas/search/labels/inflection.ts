// Dictionary forms of inflected words, by their endings. Words are folded: without diacritics, ß as ss, ł as l.

/** Endings, the longer ones first, each with what stands in its place in the dictionary. */
const ENDINGS: Readonly<Record<string, string>> = {
  de: `innen> chens>,e chen>,e lein>,e ern> nen> ens> en>,e er>,e es>,e em>,e in> n> e> s> >e,n,en`,
  es: `s> itos>o,e itas>a,e citos>,e citas>,e cito>,e cita>,e illos>o illas>a itos>o itas>a ito>o,e ita>a,e illo>o illa>a
    ces>z as>o,a os>o es> a>o >s`,
  fr: `eaux>eau aux>al,au ieres>ier iere>ier euses>eur euse>eur ennes>en enne>en onnes>on onne>on elles>el,eau
    elle>el,eau ettes>et,ette ttes>t tte>t ches>c che>c ves>f ve>f es>e, s> x> e> >s`,
  it: `ini>o,e,a ino>o,e,a ine>a,e ina>a,e etti>o,e,a etto>o,e,a ette>a etta>a hini>o hino>o hine>a hina>a chi>co,ca
    che>ca,co ghi>go,ga ghe>ga,go ci>cio,co ce>cia gi>gio,go ge>gia ie>ia ii>io i>o,e,a,io e>a,i o>a,i a>o,e`,
  nl: `'s> etjes> etje> tjes> tje> pjes> pje> jes> je> eren> en>,e ers>er es>e s> e> >en,s`,
  pl: `iego>i,y ego>y iemu>i emu>y imi>i,y ymi>y ich>i,y ych>y iej>a,i ej>y,a iami>ia,ie ami>,a,o,e iach>ia,ie
    ach>,a,o,e iom>ia,ie om>,a,o,e iem>,ie owi> ow>,a,o kow>ek,k,ka kami>ek,ka,ko kach>ek,ka,ko kiem>ek,k,ko ku>ek,k,ko
    ki>ek,k,ka,ko ka>ek,ko ek>ka,ko,ki dzie>d,da,do cie>t,ta,to rze>r,ra,ro ce>ka,ca,t dze>ga,dza sze>ch,cha mie>m,ma
    nie>n,na,no,nia wie>w,wa,wo pie>p,pa bie>b,ba sie>s,sa zie>z,za lie>la le>l,la,lo ej>y em>,e,o ie>,ia i>,ia,a,y
    y>,a,i e>,a,o,y,i a>,o,e,y,i o>,a u>,o,a,e >a,o`,
  pt: `s> zinhos> zinhas> zinho> zinha> inhos>o,a,e inhas>a,o,e inho>o,a,e inha>a,o,e oes>ao aes>ao aos>ao ais>al eis>el,il
    ois>ol uis>ul is>il ns>m as>o,a es>,e a>o >s`,
  ru: `иями>ия,ие,ии ятами>енок ками>ок,ек цами>ец ьями>,о,ья ами>,а,о ями>ь,я,е,и ыми>ыи,ои ими>ии,ои ьми>ь
    иях>ия,ие,ии ятах>енок ках>ок,ек цах>ец ах>,а,о ях>ь,я,е,и иям>ия,ие,ии ятам>енок кам>ок,ек цам>ец ам>,а,о
    ям>ь,я,е,и ьев>,о,ья,ь иев>ии ков>ок,ек цов>ец цев>ец ов>,о,а ев>,ь,и,е иеи>ия еи>ь,я,е,и ком>ок,ек цем>ец
    ием>ие,ии ом>,о,ыи ем>,ь,и,е,я ого>ыи,ои,ии его>ии ому>ыи,ои ему>ии кои>кии ои>а,ыи ею>я,ь ою>а ью>ь ым>ыи им>ии,ои
    ую>ыи,ои юю>ии яя>ии ее>ии ых>ыи,ои их>ии,ои ая>ыи,ои,ии ое>ыи,ои ые>ыи,ои ие>ии,ои ии>ия,ие ию>ия,ие ия>ие,ии
    ята>енок ят>енок ушек>ушка шек>шка жек>жка ечек>ечка ек>ка,ко,еика,ька ок>ка,ко он>но,на ен>на,ня ел>ло,ла ец>цо,ца
    ки>ок,ек ка>ок,ек ку>ок,ек ке>ок,ек цы>ец ца>ец цу>ец це>ец ья>,о,ь ы>,а и>,ь,а,я,и,о а>,о,ь я>ь,е,и,о у>,а,о
    ю>ь,я,е,и е>,а,о,ь,я,и >а,о,я,ь`,
};

type Rule = { readonly ending: string; readonly replacements: readonly string[] };
const parseRules = (text: string): readonly Rule[] =>
  text.split(/\s+/).map((rule) => {
    const [ending = '', replacements = ''] = rule.split('>');
    return { ending, replacements: replacements.split(',') };
  });
const RULES: ReadonlyMap<string, readonly Rule[]> = new Map(
  Object.entries(ENDINGS).map(([language, text]) => [language, parseRules(text)]),
);

/** Letters that a dictionary form has at least. */
const MIN_STEM = 3;
/** Forms that no rule explains. */
const IRREGULAR: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  es: { ratones: 'raton' },
  fr: { yeux: 'oeil' },
  it: { uova: 'uovo', uomini: 'uomo' },
  pt: { caes: 'cao', maos: 'mao', paes: 'pao' },
  nl: { kinderen: 'kind', schepen: 'schip', steden: 'stad' },
  pl: {
    dzieci: 'dziecko',
    kwiaty: 'kwiat',
    ludzie: 'czlowiek',
    lwa: 'lew',
    lwem: 'lew',
    lwy: 'lew',
    psa: 'pies',
    psem: 'pies',
    psow: 'pies',
    psy: 'pies',
  },
  ru: {
    деревьев: 'дерево',
    детеи: 'ребенок',
    дети: 'ребенок',
    детьми: 'ребенок',
    детям: 'ребенок',
    друзеи: 'друзья',
    друзьями: 'друзья',
    ежи: 'еж',
    львов: 'лев',
    львы: 'лев',
    людеи: 'человек',
    людьми: 'человек',
    овец: 'овца',
    псы: 'пес',
    уток: 'утка',
    цветами: 'цветок',
    цветов: 'цветок',
    цветы: 'цветок',
    церкви: 'церковь',
    чаек: 'чаика',
  },
};

/** Returns the forms that a word may be an inflection of, the likeliest first. */
export function listBaseForms(word: string, language: string): string[] {
  const irregular = IRREGULAR[language]?.[word];
  const forms = irregular === undefined ? [] : [irregular];
  for (const { ending, replacements } of RULES.get(language) ?? []) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, word.length - ending.length);
    if (stem.length < MIN_STEM) continue;
    for (const replacement of replacements) forms.push(stem + replacement);
    if (language === 'nl') forms.push(...listDutchStems(stem));
  }
  // Typed without the keys of a language: Baeume.
  if (language === 'de' && /[aou]e/.test(word)) {
    const plain = word.replaceAll(/([aou])e/g, '$1');
    forms.push(plain, ...listBaseForms(plain, language));
  }
  return forms;
}

const VOICELESS: Readonly<Record<string, string>> = { v: 'f', z: 's' };

/** Dutch writes the stem of katten as kat, of apen as aap, of golven as golf, of huizen as huis. */
function listDutchStems(stem: string): string[] {
  const last = stem.slice(-1);
  const bare = stem.slice(0, -1);
  if (last === stem.at(-2)) return [bare];
  const end = VOICELESS[last] ?? last;
  const doubled = bare.replace(/([^aeiou])([aeou])$/, '$1$2$2');
  return [doubled + end, bare + end];
}

const KATAKANA = /[\u30a1-\u30f6]/g;
const KANA_DISTANCE = 0x60;

/** Returns Japanese with Katakana as Hiragana: イヌ and いぬ are one word. */
export const toHiragana = (word: string): string =>
  word.replaceAll(KATAKANA, (letter) => String.fromCharCode(letter.charCodeAt(0) - KANA_DISTANCE));

/** Languages that are written without spaces, so that a word may be taken for several. */
export const UNSPACED: ReadonlySet<string> = new Set(['ja', 'zh']);

/** Languages whose compounds are one word, of which the last part says what it is. */
const COMPOUNDING: ReadonlySet<string> = new Set(['de', 'nl']);
/** Letters that the last part has at least, and what stands before it. */
const MIN_HEAD = 4;
const MIN_MODIFIER = 3;

/** 'Zbrolifant' is no elephant ('olifant'). */
const HAS_VOWEL = /[aeiouy]/;

const ADJECTIVE = /(?:isch|lich|ig)(?:e[mnrs]?)?$/;

/** Returns what a noun may be a compound of, the longest first: Zwergkaninchen, kaninchen. */
export function listHeads(word: string, language: string): string[] {
  if (!COMPOUNDING.has(language) || ADJECTIVE.test(word)) return [];
  const heads: string[] = [];
  for (let start = MIN_MODIFIER; word.length - start >= MIN_HEAD; start++)
    if (HAS_VOWEL.test(word.slice(0, start))) heads.push(word.slice(start));
  return heads;
}

/** Articles and the like that lose their vowel before another: l'éléphant, un'anatra. */
const ELIDED =
  /^(?:un|l|d|j|n|s|c|m|t|qu|lorsqu|jusqu|dell|all|nell|sull|dall|quell|bell|sant|coll)['’](?=\p{L}{2})/u;

/** Returns a word without what is elided before it. */
export const withoutElision = (word: string): string => word.replace(ELIDED, '');
