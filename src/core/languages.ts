/** Languages of texts that the server writes, as titles of memories and mail. */
export const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'nl',
  'pl',
  'it',
  'pt-BR',
  'zh-CN',
  'ja',
] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * Returns the language that an Accept-Language header, or a single tag, prefers among ours: 'pt' and
 * 'pt-PT' are served 'pt-BR'; English if it names none.
 */
export function pickLanguage(header: string | null | undefined): Language {
  for (const tag of listByPreference(header ?? '')) {
    const [base] = tag.split('-');
    const found =
      LANGUAGES.find((language) => language.toLowerCase() === tag) ??
      LANGUAGES.find((language) => language.split('-')[0] === base);
    if (found) return found;
  }
  return 'en';
}

/** Returns the primary language of a BCP 47 tag, in lower case: 'pt' of 'pt-BR' and 'pt_BR'. */
export const toPrimaryLanguage = (tag: string | undefined): string | undefined =>
  tag?.split(/[-_]/)[0]?.toLowerCase();

/** No client names more languages than this. */
const MAX_TAGS = 50;

const listByPreference = (header: string): string[] =>
  header
    .split(',', MAX_TAGS)
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const quality = parameters.map((one) => /^\s*q=(.*)$/.exec(one)?.[1]).find(Boolean);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
