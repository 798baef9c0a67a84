import { isStopWord } from '../labels/function-words.ts';

/**
 * Words of the page's languages that may stand after a holiday or a season; another one makes it a part of a thing:
 * 'Christmas tree'.
 */
const LINKS = new Set(
  `not no without except ohne nicht kein keine sans sin senza zonder bez sem con com avec met z ze em en et e y i w na
  since seit depuis desde sinds od after before nach last this dies
  op te a au aux al alla ao chez de del du do da dos di para per pour dla voor bis hasta until till through tot jusqu
  jusqu'a jusqu'au foto photographies fotografie imagenes immagini imagens zdjecia vacances vacaciones urlaub
  holiday holidays v vo so u bez`.split(/\s+/),
);
/** Words before 'de Noël' and 'de verano' that ask for pictures; another one is a thing: 'sapin de Noël'. */
const PICTURES =
  /^(?:fotos?|photos?|fotografias?|imagen(?:es)?|images?|immagini|imagens|videos?|immagine|zdjecia|jour|dia|giorno|fetes?|vacances|vacaciones|vacanze|ferias|nuit|noche|notte|noite)$/;

export const isPartOfThing = (whole: string | undefined, next: string | undefined): boolean =>
  (whole !== undefined && !PICTURES.test(whole)) ||
  (next !== undefined && !UNSPACED.test(next) && !LINKS.has(next) && !isStopWord(next));

/** Such a word begins another part of the query. */
const UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;
