import type { CaptureType } from '../../assets/index.ts';

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
export const CAPTURE_PATTERNS = (Object.entries(WORDS) as [CaptureType, Words][]).map(
  ([type, { spaced, joined }]) => ({
    type,
    pattern: new RegExp(`\\b(?:${spaced})\\b${joined ? `|${joined}` : ''}`, 'g'),
  }),
);
