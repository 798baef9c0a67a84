import { LANGUAGES } from '../../../core/languages.ts';

// Parts of the world, and states that people call otherwise in another language than metadata does.

/**
 * Codes of countries by that of UN M49: Africa, Asia, Europe, North, South and Central America, the Caribbean, Oceania and
 * Southeast Asia. A country with parts in several is where most of its people live.
 */
const CONTINENTS: Readonly<Record<string, string>> = {
  '002': `DZ AO BJ BW IO BF BI CM CV CF TD KM CG CD CI DJ EG GQ ER ET TF GA GM GH GN GW KE LS LR LY MG MW ML
    MR MU YT MA MZ NA NE NG RE RW SH ST SN SC SL SO ZA SD SZ TZ TG TN UG EH ZM ZW SS`,
  '142': `AF AM AZ BH BD BT BN KH CN CY GE HK IN ID IR IQ IL JP JO KZ KP KR KW KG LA LB MO MY MV MN MM NP OM
    PK PS PH QA SA SG LK SY TW TJ TH TL TR TM AE UZ VN YE`,
  '150': `AL AD AT BY BE BA BG HR CZ DK EE FO FI FR DE GI GR VA HU IS IE IT LV LI LT LU MT MD MC NL MK NO PL
    PT RO RU SM SK SI ES SJ SE CH UA GB AX GG IM JE ME RS XK`,
  '003': `AI AG AW BS BB BZ BM CA KY CR CU DM DO SV GL GD GP GT HT HN JM MQ MX MS NI PA PR KN LC PM VC TT TC
    US VG VI BQ CW BL MF SX`,
  '005': 'AR BO BV BR CL CO EC FK GF GY PY PE GS SR UY VE',
  '013': 'BZ CR SV GT HN MX NI PA',
  '029': 'AI AG AW BS BB KY CU DM DO GD GP HT JM MQ MS PR KN LC VC TT TC VG VI BQ CW BL MF SX',
  '009': 'AS AU CX CC CK FJ PF GU HM KI MH FM NR NC NZ NU NF MP PW PG PN WS SB TK TO TV VU WF',
  '035': 'BN KH ID LA MY MM PH SG TH TL VN',
};

export type Continent = {
  /** In English. */
  readonly name: string;
  /** In the page's languages and Russian, of CLDR. */
  readonly names: readonly string[];
  /** ISO codes of its countries. */
  readonly countries: ReadonlySet<string>;
};

let continents: readonly Continent[] | undefined;

export const listContinents = (): readonly Continent[] => (continents ??= readContinents());

function readContinents(): readonly Continent[] {
  const languages = [...LANGUAGES, 'ru'].map(
    (language) => new Intl.DisplayNames([language], { type: 'region' }),
  );
  return Object.entries(CONTINENTS).map(([code, countries]) => {
    const names = languages.flatMap((display) => display.of(code) ?? []);
    return { name: names[0] ?? code, names, countries: new Set(countries.split(/\s+/)) };
  });
}

/** By country, and by the name that GeoNames has. */
const STATES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AT: {
    Carinthia:
      'Kärnten|Carinthie|Carintia|Carinzia|Caríntia|Karinthië|Karyntia|ケルンテン|克恩顿|Каринтия',
    'Lower Austria':
      'Niederösterreich|Basse-Autriche|Baja Austria|Bassa Austria|Baixa Áustria|Neder-Oostenrijk|Dolna Austria',
    Styria:
      'Steiermark|Styrie|Estiria|Stiria|Estíria|Stiermarken|Styria|シュタイアーマルク|施泰尔马克|Штирия',
    Tyrol: 'Tirol|Tirolo|Tyrol|チロル|蒂罗尔|Тироль',
    'Upper Austria':
      'Oberösterreich|Haute-Autriche|Alta Austria|Alta Áustria|Opper-Oostenrijk|Górna Austria',
  },
  BE: {
    Flanders:
      'Flandern|Flandre|Flandes|Fiandre|Flandres|Vlaanderen|Flandria|フランドル|弗拉芒|Фландрия',
    Wallonia: 'Wallonien|Wallonie|Valonia|Vallonia|Valónia|Wallonië|Walonia|ワロン|瓦隆|Валлония',
  },
  CZ: {
    'South Moravian':
      'Südmähren|Moravie-du-Sud|Moravia Meridional|Moravia Meridionale|Zuid-Moravië|Morawy Południowe',
  },
  DE: {
    Bavaria: 'Bayern|Bavière|Baviera|Beieren|Bawaria|バイエルン|巴伐利亚|Бавария',
    Hesse: 'Hessen|Assia|Hesja|ヘッセン|黑森|Гессен',
    'Lower Saxony':
      'Niedersachsen|Basse-Saxe|Baja Sajonia|Bassa Sassonia|Baixa Saxônia|Nedersaksen|Dolna Saksonia|ニーダーザクセン|下萨克森',
    'North Rhine-Westphalia':
      'Nordrhein-Westfalen|NRW|Rhénanie-du-Nord-Westphalie|Renania del Norte-Westfalia|Renania Settentrionale-Vestfalia|Noordrijn-Westfalen|Nadrenia Północna-Westfalia',
    'Rheinland-Pfalz':
      'Rhineland-Palatinate|Rhénanie-Palatinat|Renania-Palatinado|Renania-Palatinato|Rijnland-Palts|Nadrenia-Palatynat',
    Saxony:
      'Sachsen|Saxe|Sajonia|Sassonia|Saxónia|Saxônia|Saksen|Saksonia|ザクセン|萨克森|Саксония',
    Thuringia: 'Thüringen|Thuringe|Turingia|Turíngia|Turyngia|テューリンゲン|图林根|Тюрингия',
  },
  ES: {
    Andalusia:
      'Andalusien|Andalousie|Andalucía|Andaluzia|Andalusië|Andaluzja|アンダルシア|安达卢西亚|Андалусия',
    'Balearic Islands':
      'Balearen|Baléares|Baleares|Baleari|Balearic Islands|Baleary|バレアレス|巴利阿里|Балеарские острова|Islas Baleares|Ilhas Baleares',
    'Basque Country':
      'Baskenland|Pays basque|País Vasco|Paesi Baschi|País Basco|Baskonia|Kraj Basków|バスク|巴斯克|Страна Басков',
    'Canary Islands':
      'Kanaren|Kanarische Inseln|Canaries|Îles Canaries|Canarias|Islas Canarias|Canarie|Canárias|Ilhas Canárias|Canarische Eilanden|Wyspy Kanaryjskie|カナリア諸島|加那利群岛|Канарские острова',
    Catalonia:
      'Katalonien|Catalogne|Cataluña|Catalunya|Catalogna|Catalunha|Catalonië|Katalonia|カタルーニャ|加泰罗尼亚|Каталония',
    Galicia: 'Galicien|Galice|Galizia|Galiza|Galicië|Galicja|ガリシア|加利西亚|Галисия',
  },
  FR: {
    Brittany: 'Bretagne|Bretaña|Bretagna|Bretanha|Bretania|ブルターニュ|布列塔尼|Бретань',
    Corsica: 'Korsika|Corse|Córcega|Córsega|Korsyka|コルシカ|科西嘉|Корсика',
    Normandy: 'Normandie|Normandía|Normandia|Normandië|ノルマンディー|诺曼底|Нормандия',
    "Provence-Alpes-Côte d'Azur":
      'Provence|Provenza|Provença|Prowansja|プロヴァンス|普罗旺斯|Прованс',
  },
  GB: {
    England: 'Angleterre|Inglaterra|Inghilterra|Engeland|Anglia|イングランド|英格兰|Англия',
    'Northern Ireland':
      'Nordirland|Irlande du Nord|Irlanda del Norte|Irlanda del Nord|Irlanda do Norte|Noord-Ierland|Irlandia Północna|北アイルランド|北爱尔兰|Северная Ирландия',
    Scotland:
      'Schottland|Écosse|Escocia|Scozia|Escócia|Schotland|Szkocja|スコットランド|苏格兰|Шотландия',
    Wales: 'Pays de Galles|Gales|País de Gales|Galles|Walia|ウェールズ|威尔士|Уэльс',
  },
  GR: { Crete: 'Kreta|Crète|Creta|Kreta|クレタ|克里特|Крит' },
  ID: { Bali: 'Bali|バリ島|巴厘岛|Бали' },
  IT: {
    Apulia: 'Apulien|Pouilles|Apulia|Puglia|Apúlia|プーリア|普利亚|Апулия',
    Lombardy: 'Lombardei|Lombardie|Lombardía|Lombardia|Lombardije|ロンバルディア|伦巴第|Ломбардия',
    Piedmont: 'Piemont|Piémont|Piamonte|Piemonte|ピエモンテ|皮埃蒙特|Пьемонт',
    Sardinia:
      'Sardinien|Sardaigne|Cerdeña|Sardegna|Sardenha|Sardinië|Sardynia|サルデーニャ|撒丁岛|Сардиния',
    Sicily: 'Sizilien|Sicile|Sicilia|Sicília|Sicilië|Sycylia|シチリア|西西里|Сицилия',
    'Trentino-Alto Adige':
      'Südtirol|South Tyrol|Tyrol du Sud|Tirol del Sur|Alto Adige|Zuid-Tirol|Tyrol Południowy|南チロル|南蒂罗尔|Южный Тироль',
    Tuscany: 'Toskana|Toscane|Toscana|Toskania|トスカーナ|托斯卡纳|Тоскана',
    Veneto: 'Venetien|Vénétie|Véneto|Wenecja Euganejska|ヴェネト|威尼托|Венето',
  },
  PT: {
    Azores: 'Azoren|Açores|Azzorre|Azory|アゾレス|亚速尔|Азорские острова',
    Faro: 'Algarve|アルガルヴェ|阿尔加维|Алгарве',
    Madeira: 'Madère|Madera|マデイラ|马德拉|Мадейра',
  },
  US: {
    California:
      'Kalifornien|Californie|Californië|Kalifornia|カリフォルニア|加利福尼亚|加州|Калифорния',
    Florida: 'Floride|Floryda|フロリダ|佛罗里达|Флорида',
    Hawaii: 'Hawái|Havaí|Hawaje|ハワイ|夏威夷|Гавайи',
    'New York': 'Nueva York|Nowy Jork|Nova Iorque|Nova York|ニューヨーク|纽约|Нью-Йорк',
    Texas: 'Tejas|Teksas|テキサス|得克萨斯|德州|Техас',
    Utah: 'ユタ|犹他|Юта',
  },
};

/** Returns what a state of a country, given by its ISO code, is called in other languages. */
export const listStateNames = (code: string, state: string): readonly string[] =>
  STATES[code]?.[state]?.split('|') ?? [];
