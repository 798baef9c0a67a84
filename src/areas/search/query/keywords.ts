import { DURATION, readDuration } from './duration-keywords.ts';
import type { CaptureType } from '../../assets/index.ts';
import {
  ARCHIVED,
  EDITED,
  FAVORITES,
  LIVE_PHOTOS,
  NO_ALBUM,
  ONLY_PHOTOS,
  ONLY_VIDEOS,
  OWN,
  RATING,
  toWordPattern,
  UNEDITED,
} from './keyword-words.ts';

type Words = {
  /** Alternatives of a pattern for folded text, in languages with spaces between words. */
  readonly spaced: string;
  /** In Japanese and Chinese. */
  readonly joined?: string;
};

const PICTURES = 'photos?|pictures?|pics?|images?|shots?|files?|fotos?|bilder|dateien|aufnahmen';

/** Query words for how items were made, in the languages of the page. */
const WORDS: Readonly<Record<CaptureType, Words>> = {
  screenRecording: {
    spaced:
      'screen ?(?:recordings?|casts?)|bildschirmaufnahmen?|enregistrements? d.ecran|grabaci(?:on|ones) de pantalla|registrazion[ei] (?:dello )?schermo|schermopnamen?|nagrani[ea] ekranu|gravac(?:ao|oes) de tela',
    joined: '画面収録|画面録画|录屏|屏幕录制',
  },
  screenshot: {
    spaced:
      'screen ?(?:shots?|captures?|grabs?)|bildschirmfotos?|captures? d.ecran|capturas? de (?:pantalla|tela|ecra)|schermat[ae]|schermafbeelding(?:en)?|zrzut(?:y|ow)? ekranu',
    joined: 'スクリーンショット|スクショ|屏幕截图|截屏|截图',
  },
  selfie: { spaced: 'selfies?|selfy|autorretratos?', joined: '自撮り|セルフィー|自拍' },
  panorama: {
    spaced:
      "panoramas?|panoramen|panorama(?:bild(?:er)?|fotos?|aufnahmen?)|panorama'?s|panoramiques|panoramicas|panoramiche|panoramy",
    joined: 'パノラマ|全景',
  },
  burst: {
    spaced: `bursts|burst (?:mode|${PICTURES})|serien(?:bild(?:er)?|fotos?|aufnahmen?)|rafales|rafagas|raffiche|zdjecia seryjne`,
    joined: '連写|连拍',
  },
  raw: { spaced: `raws|raw[ -]?(?:${PICTURES})|(?:in|as) raw` },
  slowMotion: {
    spaced:
      'slow[ -]?mo(?:tion)?s?|slomos?|zeitlupen?(?:videos?|aufnahmen?)?|ralentis?|camara lenta|rallentatore|zwolnione tempo',
    joined: 'スローモーション|慢动作',
  },
  animation: { spaced: `gifs?|(?:animated|animierte) (?:${PICTURES})` },
};

/** Patterns for folded text, longest names first: a recording of the screen is no screenshot. */
const CAPTURE_PATTERNS = (Object.entries(WORDS) as [CaptureType, Words][]).map(
  ([type, { spaced, joined }]) => ({
    type,
    pattern: toWordPattern([[spaced], joined]),
  }),
);

type Groups = Readonly<Record<string, string>>;
export type Keyword = {
  readonly pattern: RegExp;
  readonly field:
    | 'type'
    | 'isFavorite'
    | 'isMotion'
    | 'isEdited'
    | 'isOwn'
    | 'captureTypes'
    | 'duration'
    | 'rating'
    | 'visibility'
    | 'isNotInAlbum';
  readonly value: (groups: Groups) => unknown;
  readonly label: (groups: Groups) => string;
};

const constant =
  <T>(value: T) =>
  () =>
    value;

const getRating = ({ rated, stars, marked, eastern }: Groups) =>
  rated ?? stars ?? marked ?? eastern;

const SIGNS: Readonly<Record<string, string>> = { gt: '>', gte: '≥', lt: '<', lte: '≤' };

export const KEYWORDS: readonly Keyword[] = [
  ...CAPTURE_PATTERNS.map(({ type, pattern }) => ({
    pattern,
    field: 'captureTypes' as const,
    value: constant(type),
    label: constant(type),
  })),
  {
    pattern: DURATION,
    field: 'duration',
    value: readDuration,
    label: (groups) =>
      Object.entries(readDuration(groups))
        .map(([comparison, ms]) => `${SIGNS[comparison]} ${ms / 1000} s`)
        .join(),
  },
  {
    pattern: OWN,
    field: 'isOwn',
    value: constant(true),
    label: constant('taken by me'),
  },
  {
    pattern: UNEDITED,
    field: 'isEdited',
    value: constant(false),
    label: constant('unedited'),
  },
  {
    pattern: EDITED,
    field: 'isEdited',
    value: constant(true),
    label: constant('edited'),
  },
  {
    pattern: ONLY_PHOTOS,
    field: 'type',
    value: constant('IMAGE'),
    label: constant('IMAGE'),
  },
  {
    pattern: LIVE_PHOTOS,
    field: 'isMotion',
    value: constant(true),
    label: constant('live photos'),
  },
  {
    pattern: ONLY_VIDEOS,
    field: 'type',
    value: constant('VIDEO'),
    label: constant('VIDEO'),
  },
  {
    pattern: FAVORITES,
    field: 'isFavorite',
    value: constant(true),
    label: constant('favorites'),
  },
  {
    pattern: RATING,
    field: 'rating',
    value: (groups) => Number(getRating(groups)),
    label: (groups) => `★ ${getRating(groups)}`,
  },
  {
    pattern: ARCHIVED,
    field: 'visibility',
    value: constant('archive'),
    label: constant('archive'),
  },
  {
    pattern: NO_ALBUM,
    field: 'isNotInAlbum',
    value: constant(true),
    label: constant('not in an album'),
  },
];

/** A maker's name is a camera only next to these words: an apple is a fruit, too. */
export const MAKE_HINT = {
  before:
    /\b(?:with|by|on|using|from|mit|von|camera|kamera)\s+(?:(?:my|the|a|an|our|der|dem|einer|einem|meiner|meinem)\s+)?$/,
  after: /^\s*(?:camera|kamera|photos?|fotos?|shots?)\b/,
};

/** Words that are a thing by themselves, and ask for pictures or say nothing together: 'montre' is a watch. */
export const IDLE_PHRASES = new RegExp(
  `(?<!\\p{L})(?:${[
    'montre[sz]?[ -](?:moi|nous)',
    '(?:can|could|would|will) (?:you|u|i|we)(?: please)?',
    // The verb, no chain saw.
    "(?:that |which |where |when )?(?:i|we|you|they|he|she)(?: have| had|[’']ve)? (?:saw|took|shot|met|found|caught|spotted|made|seen)",
    'what (?:were|was|did|have|are) (?:i|we|you|they) (?:been )?(?:up to|do(?:ing|ne)?|see(?:ing|n)?)',
    'do you (?:still )?remember|remember (?:when|that|the)',
    '(?:all )?(?:by|on) (?:himself|herself|themsel(?:f|ves)|myself|ourselves|(?:his|her|their|my|our) own)',
    '(?:(?:our|my|the|this|that|a) )?trips? (?:to|through|around)',
    'non (?:riesco a )?trov(?:o|are)|no encuentro|je ne trouve (?:pas|plus)|can(?:not|t) find|nie moge znalezc|nao (?:encontro|acho)',
    '(?:the )?little (?:one|guy|man|boy|girl)|(?:der|die|den|dem) kleinen?(?= (?:hat|ist|war|mit|im|in|am|auf)|$)|l[ao] petite?(?= |$)|(?:sin|sem|bez) (?:nadie mas|mais ninguem|nikogo innego)|niemand(?:en)? sonst|nobody else|(?:aber|but|mais|pero|ma|maar|mas) (?=not|nicht|pas|no|non|niet|nao|sin|sem|without|ohne)',
    "weet je nog|weisst du noch|in (?:z[’']n|zijn|haar|hun) eentje",
    "laat (?:me |mij |ons )?(?:alle )?(?:de )?foto['’]s",
    '(?:tous |toutes )?les deux',
    'tutt[ei] e due',
    'l[ao]s dos',
    'os dois|as duas',
    'alle beide',
    'not (?:only|just)|nicht nur|pas seulement|no solo|non solo|niet alleen|nie tylko|nao so|не только',
    '見せて(?:くたさい)?',
    '给我看?',
    '(?:独自)?一个?人',
  ].join('|')})(?!\\p{sc=Latin})`,
  'gu',
);
