import { type Messages, setupI18n } from '@lingui/core';

// The English text of a message is its id. The language is settled before any other module of the page runs (`main.tsx`), so texts may stand in constants, too.

/**
 * Each with its name in itself, and its catalogue, which is a chunk of its own: compiled by
 * `native/catalogues.ts`, without texts that equal their id.
 */
const LANGUAGES: Readonly<
  Record<string, { name: string; load: () => Promise<{ default: Messages }> }>
> = {
  de: { name: 'Deutsch', load: () => import('../locales/de.json') },
  en: { name: 'English', load: () => import('../locales/en.ts') },
  es: { name: 'Español', load: () => import('../locales/es.json') },
  fr: { name: 'Français', load: () => import('../locales/fr.json') },
  it: { name: 'Italiano', load: () => import('../locales/it.json') },
  nl: { name: 'Nederlands', load: () => import('../locales/nl.json') },
  pl: { name: 'Polski', load: () => import('../locales/pl.json') },
  'pt-BR': { name: 'Português (Brasil)', load: () => import('../locales/pt-BR.json') },
  ja: { name: '日本語', load: () => import('../locales/ja.json') },
  'zh-CN': { name: '简体中文', load: () => import('../locales/zh-CN.json') },
};

export const languages: readonly { readonly code: string; readonly name: string }[] =
  Object.entries(LANGUAGES).map(([code, { name }]) => ({ code, name }));

const STORED = 'safelight-language';
const i18n = setupI18n({ locale: 'en', locales: intlTags('en'), messages: { en: {} } });
// Lingui brings its compiler except in production, where only plain texts are not compiled.
if (process.env.NODE_ENV === 'production') i18n.setMessagesCompiler((text) => [text]);

/** Returns the text of an ICU message in the chosen language; `message` is the English one. */
export const t = (message: string, values?: Record<string, unknown>): string =>
  i18n._(message, values);

/** Returns the tags for `Intl`, with the browser's region where it speaks the same language. */
/** Returns the language of the page, as 'pt-BR'. */
export const getLanguage = (): string => i18n.locale;
export const getIntlTags = (): string[] => intlTags(i18n.locale);

function intlTags(language: string): string[] {
  const wanted = globalThis.navigator?.languages ?? [];
  const regional = wanted.find((tag) => tag === language || tag.startsWith(`${language}-`));
  return regional ? [regional, language] : [language];
}

/** Returns the language chosen in the settings; undefined: the browser's. */
export const getChosenLanguage = (): string | undefined => {
  const stored = localStorage.getItem(STORED);
  return stored && stored in LANGUAGES ? stored : undefined;
};

/** Stores the choice and loads the page anew in it; undefined: the browser's language. */
export function chooseLanguage(code: string | undefined): void {
  if (code) localStorage.setItem(STORED, code);
  else localStorage.removeItem(STORED);
  location.reload();
}

/** Returns the first of the wanted languages that the page has: 'pt-PT' is served 'pt-BR'. */
export function matchLanguage(wanted: readonly string[], known: readonly string[]): string {
  for (const tag of wanted) {
    const [base] = tag.split('-');
    const found =
      known.find((code) => code.toLowerCase() === tag.toLowerCase()) ??
      known.find((code) => code.split('-')[0] === base);
    if (found) return found;
  }
  return 'en';
}

/** Settles the language of the page; English where a catalogue cannot be loaded. */
export async function startLanguage(): Promise<void> {
  const wanted = getChosenLanguage() ?? matchLanguage(navigator.languages, Object.keys(LANGUAGES));
  const messages = await loadCatalogue(wanted);
  const used = messages ? wanted : 'en';
  i18n.loadAndActivate({
    locale: used,
    locales: intlTags(used),
    messages: messages ?? (await loadCatalogue('en')) ?? {},
  });
  document.documentElement.lang = used;
}

/** Returns the messages of a language; undefined: they could not be loaded. */
async function loadCatalogue(language: string): Promise<Messages | undefined> {
  const module = await LANGUAGES[language]?.load().catch(() => undefined);
  return module?.default;
}
