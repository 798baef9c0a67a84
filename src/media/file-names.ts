/** Properties of a file that its name shows, besides a date. */
export type NameKind =
  /** Its clock is UTC. */
  | 'utc'
  /** Its clock is that of the message that brought it. */
  | 'message'
  /** Its digits are seconds or milliseconds since 1970. */
  | 'epoch'
  | 'screenshot'
  | 'selfie'
  | 'panorama'
  | 'burst';

/**
 * How devices and programs name files, in any case. Patterns of JavaScript and of PostgreSQL; where a letter has an
 * accent a Mac writes two, so that `.` stands for it.
 */
const NAMES: Readonly<Record<NameKind, readonly string[]>> = {
  utc: ['^PXL_'],
  message: [
    '^(signal|telegram|LINE|received)[-_]', // received_: Messenger
    '^(photo|video)_([0-9]{4}-|[0-9]+@)', // Telegram
    'WhatsApp|-WA[0-9]', // the name of the program is the same in all languages
    '^(mmexport|FB_IMG|wx_camera|Snapchat)', // WeChat, Facebook, Snapchat
  ],
  epoch: [
    '^([A-Za-z][A-Za-z_-]*)?[12][0-9]{12}([ _-]?[(][0-9]{1,2}[)]|[_-][0-9]{1,2})?$', // FB_IMG_, mmexport, LINE_
    '^(screen)?(rec(ord(er|ing)?)?|voice|call|memo|audio|vid(eo)?|sound)[ _-]*1[0-9]{9}$', // recorders
    '^RPReplay_Final1[0-9]{9}$', // screen recordings of an iPhone
  ],
  screenshot: [
    'screen[ _-]?(shot|record|cap)|^RPReplay', // English; Android and Windows in all languages
    'bildschirm(foto|aufnahme)',
    'captura de|grabaci.{1,2}n de pantalla|grava.{2,4}o de tela', // Spanish, Portuguese
    'capture d.{1,3}cran|enregistrement de l.{1,3}cran',
    'schermata|istantanea schermo|registrazione schermo',
    'scherm(afbeelding|opname)',
    'zrzut|nagranie ekranu',
    'スクリーンショット|画面収録',
    '截屏|截图|屏幕快照|屏幕录制|录屏',
    'sk.{1,2}rm(bild|avbild)|sk(æ|je)rmbil', // Swedish, Danish, Norwegian
    'снимок экрана|запись экрана',
  ],
  selfie: ['(^|[^a-z])selfie'],
  panorama: ['(^|[^a-z])pano(rama)?([^a-z]|$)'],
  burst: ['burst[_-]?[0-9]'],
};

/** Returns the pattern of names of a kind, to be matched without regard to case. */
export const getNamePattern = (kind: NameKind): string => NAMES[kind].join('|');

export const isNamedAs = (kind: NameKind, name: string): boolean =>
  new RegExp(getNamePattern(kind), 'i').test(name);
