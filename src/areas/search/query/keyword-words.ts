import { foldInPlace } from '../match/words.ts';
import { toLatin } from './date-terms.ts';

// Words for the state and the kind of items in the page's languages and Russian, as patterns for folded text.

/** Words of languages with spaces between words, and of Japanese and Chinese. */
type Words = readonly [spaced: readonly string[], joined?: string | undefined];

/** Returns the pattern of words; Cyrillic is read as Latin letters, which patterns know as letters of words. */
export const toWordPattern = ([spaced, joined]: Words): RegExp =>
  new RegExp(
    `\\b(?:${toLatin(spaced.join('|'))})\\b${joined ? `|${foldInPlace(joined)}` : ''}`,
    'g',
  );

const PHOTOS = [
  'photos?|pictures?|pics?|images?|fotos?|bild(?:er)?|aufnahmen?|fotografias?|imagenes|immagini|imagens',
  "foto(?:grafie)?|foto’s|foto's|afbeeldingen|zdjecia|zdjec|fotki|фото(?:графии)?|снимки|фотки",
].join('|');
const VIDEOS = [
  "videos?|video clips?|clips?|movies?|filme?|filmaufnahmen|films|filmat[io]|filmin[io]|video[’']s|filmpjes?|filmy|filmow|filmiki",
  'wideo|filmes|видео|ролики|видеоролики|видеозаписи',
].join('|');
const ONLY =
  'only|just|nur|solo|solamente|seulement|uniquement|soltanto|alleen|enkel|tylko|somente|apenas|so|только|лишь';
const WITHOUT = 'no|without|keine|ohne|sin|sans|senza|zonder|geen|bez|sem|без';

const JOINED_VIDEOS = '動画|ビデオ|ムービー|视频|影片|录像';
const JOINED_PHOTOS = '写真|画像|照片|图片';

export const ONLY_PHOTOS = toWordPattern([
  [
    `(?:${WITHOUT})\\s+(?:${VIDEOS})`,
    `(?:${ONLY})\\s+(?:${PHOTOS})`,
    `(?:${PHOTOS})\\s+(?:only|seulement|uniquement)`,
  ],
  `(?:${JOINED_PHOTOS})(?:だけ|のみ)|(?:只要|只有|仅|只看|只)(?:${JOINED_PHOTOS})|(?:${JOINED_VIDEOS})(?:以外|なし|を除く)|(?:没有|不要|除了)(?:${JOINED_VIDEOS})`,
]);

export const ONLY_VIDEOS = toWordPattern([
  [`(?:(?:${ONLY})\\s+)?(?:${VIDEOS})(?:\\s+(?:only|seulement|uniquement))?`],
  `(?:只要|只有|仅|只看|只)?(?:${JOINED_VIDEOS})(?:だけ|のみ)?`,
]);

export const LIVE_PHOTOS = toWordPattern([
  [
    `(?:live|motion|bewegte)[ -](?:${PHOTOS})`,
    '(?:fotos?|photos?|zdjecia) (?:live|en vivo|ao vivo|animees)|живые (?:фото|фотографии)',
  ],
  'ライブフォト|实况(?:照片)?|动态照片',
]);

export const FAVORITES = toWordPattern([
  [
    'favou?rites?|favs|starred|favoriten|favorisierte[nrs]?|lieblings(?:fotos?|bilder|videos?)?',
    "favorit[oa]s?|preferid[oa]s?|favoris?|preferees?|coups? de coeur|preferit[oaie]|favorieten?|lievelings(?:foto[’']s)?",
    'ulubion(?:e|ych|y|a)|избранн(?:ое|ые|ых|ого)|любимые (?:фото(?:графии)?|снимки)',
  ],
  'お気に入り|收藏(?:夹)?|最爱的?',
]);

export const UNEDITED = toWordPattern([
  [
    'unedited|unbearbeitete?[nrs]?|sin editar|sin retocar|non (?:modifiee?s?|retouchee?s?)|sans retouches?',
    'non modificat[aeio]|onbewerkte?|nieedytowan\\w+|bez edycji|sem edicao|неотредактированн\\w+|необработанн\\w+',
  ],
  '未編集|編集(?:して|されて)い?ない|無加工|未编辑|没(?:有)?编辑|未修改|原图',
]);

export const EDITED = toWordPattern([
  [
    'edited|bearbeitete?[nrs]?|editad[oa]s?|retocad[oa]s?|modifiee?s?|retouchee?s?|modificat[aeio]|ritoccat[aeio]|bewerkte?',
    'edytowan(?:e|ych|y|a)|obrobion(?:e|ych)|отредактированн\\w+|обработанн\\w+',
  ],
  '編集済み?|編集した|加工した|编辑过的?|已编辑|修过的?',
]);

export const ARCHIVED = toWordPattern([
  [
    'archived|archivierte[nrs]?|(?:in|im) (?:the )?archive?|archivad[oa]s?|en el archivo|archivee?s?|dans les archives',
    "archiviat[aeio]|nell[’']archivio|gearchiveerde?|in het archief|zarchiwizowan(?:e|ych)|w archiwum|arquivad[oa]s?",
    'no arquivo|в архиве|заархивированн\\w+',
  ],
  'アーカイブ(?:済み|した)?|已归档|归档的?',
]);

export const NO_ALBUM = toWordPattern([
  [
    'not in (?:an|any) album|in no album|(?:ohne|in keinem|nicht in einem) album|sin album|en ningun album|no en (?:un )?album',
    'sans album|dans aucun album|hors album|senza album|in nessun album|non in (?:un )?album|zonder album',
    'niet in een album|in geen (?:enkel )?album|bez albumu|w zadnym albumie|nie w albumie|sem album|em nenhum album',
    'fora de albuns|без альбома|не в альбоме|ни в одном альбоме|вне альбомов',
  ],
  'アルバムなし|アルバムに(?:入って|含まれて)(?:い)?ない|アルバム未登録|不在(?:任何)?相册(?:中|里|内)?|没有相册|未加入相册|无相册',
]);

export const OWN = toWordPattern([
  [
    "(?:(?:that|which)\\s+)?i(?:'ve|\\s+have)?\\s+(?:took|taken|shot|made|photographed|filmed)",
    '(?:taken|shot|made|photographed|filmed)\\s+by\\s+me|die\\s+ich',
    'von\\s+mir\\s+(?:aufgenommen|gemacht|geschossen|fotografiert|gefilmt)\\w*',
    '(?:que )?(?:yo )?(?:hice|tome|saque)|(?:hechas|tomadas|sacadas|tiradas|feitas) por (?:mi|mim)|(?:que )?(?:eu )?tirei',
    "(?:que )?j['’]ai pris(?:es)?|prises? par moi|(?:che )?ho scattato|(?:scattate|fatte) da me",
    '(?:die )?ik (?:heb )?gemaakt(?: heb)?|door mij gemaakt|(?:ktore )?zrobil[ae]m|zrobione przeze mnie',
    '(?:которые )?я (?:снял|сняла|сделал|сделала|сфотографировал|сфотографировала)|снятые мнои',
  ],
  '(?:私|僕|俺|自分)[がの](?:撮った|撮影した)|我(?:自己)?(?:拍摄?|照)的',
]);

const STARS =
  'stars?|sternen?|estrellas?|etoiles?|stell[ae]|sterren|gwiazdk[aio]|gwiazdek|estrelas?|звезд[аы]?';
export const RATING = new RegExp(
  `\\b(?:rated|bewertet mit|rating)\\s+(?<rated>[1-5])\\b(?:\\s*(?:${STARS}))?|\\b(?<stars>[1-5])[ -]?(?:${toLatin(STARS)})\\b|(?:星|★)(?<marked>[1-5])|(?<eastern>[1-5])(?:つ星|颗星|星级)`,
  'g',
);
