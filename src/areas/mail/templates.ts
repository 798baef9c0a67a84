import type { Language } from '../../core/languages.ts';
import type { MailTemplate } from '../../db/tables/notifications.ts';
import { INVITATION_MESSAGES } from './invitation-messages.ts';
import { MESSAGES } from './messages.ts';

/** The values that a template may name as `{albumName}`. */
const PLACEHOLDERS = {
  welcome: ['baseUrl', 'displayName', 'username'],
  'album-invite': ['albumId', 'albumName', 'baseUrl', 'recipientName', 'senderName'],
  'album-update': ['albumId', 'albumName', 'baseUrl', 'recipientName'],
  workflow: ['assetId', 'baseUrl', 'count', 'message', 'recipientName', 'subject'],
} as const satisfies Record<MailTemplate, readonly string[]>;

export type TemplateValues<T extends MailTemplate> = Readonly<
  Record<(typeof PLACEHOLDERS)[T][number], string>
>;

/** Pages that the buttons open. */
const PATHS: Readonly<Record<MailTemplate, string>> = {
  welcome: '/auth/login',
  'album-invite': '/albums/{albumId}',
  'album-update': '/albums/{albumId}',
  workflow: '/photos/{assetId}',
};

export type RenderedMail = {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
};

type Values = Readonly<Record<string, string>>;

type Options = {
  readonly language?: Language;
  /** Replaces the body unless it is empty. */
  readonly custom?: string;
  /** Names an attached picture to show. */
  readonly cid?: string;
};

/** Returns a message as text and as HTML that needs nothing from outside. Without a `baseUrl` there is no link. */
export function renderMail<T extends MailTemplate>(
  template: T,
  values: TemplateValues<T>,
  { language = 'en', custom = '', cid }: Options = {},
): RenderedMail {
  const { subject, body, button: label } = MESSAGES[language][template];
  const filled = fill(custom.trim() === '' ? body : custom, values);
  const { baseUrl } = values as Values;
  const url = baseUrl && `${baseUrl}${fill(PATHS[template], values)}`;
  return {
    subject: fill(subject, values).replaceAll(/\s+/g, ' '),
    text: [filled, ...(url ? [`${label}: ${url}`] : [])].join('\n\n'),
    html: toHtml(filled, { language, cid, ...(url && { button: { label, url } }) }),
  };
}

/** A message that shows that mail is set up. */
export function renderTestMail(displayName: string, language: Language): RenderedMail {
  const { subject, body } = MESSAGES[language].test;
  const text = fill(body, { displayName });
  return { subject, text, html: toHtml(text, { language }) };
}

export type InvitationValues = {
  readonly displayName: string;
  readonly senderName: string;
  /** Address of the page that accepts it, with the token. */
  readonly url: string;
  readonly expiresAt: Date;
};

/** A message to a person who has no account yet. */
export function renderInvitation(
  { displayName, senderName, url, expiresAt }: InvitationValues,
  language: Language,
): RenderedMail {
  const { subject, body, button: label } = INVITATION_MESSAGES[language];
  const until = expiresAt.toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' });
  const text = fill(body, { displayName, senderName, until });
  return {
    subject,
    text: `${text}\n\n${label}: ${url}`,
    html: toHtml(text, { language, button: { label, url } }),
  };
}

/** Returns the names in braces that the template does not know. */
export function listUnknownPlaceholders(template: MailTemplate, text: string): string[] {
  const known: readonly string[] = PLACEHOLDERS[template];
  return [...text.matchAll(PLACEHOLDER)]
    .map(([, name = '']) => name)
    .filter((name) => !known.includes(name));
}

const PLACEHOLDER = /\{(\w+)\}/g;
const fill = (text: string, values: Values): string =>
  text.replaceAll(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);

type Parts = {
  readonly language: Language;
  readonly button?: { readonly label: string; readonly url: string };
  readonly cid?: string | undefined;
};

const STYLE = {
  page: 'margin:0;padding:24px;background:#f4f4f5;font-family:sans-serif;color:#18181b',
  card: 'max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border-radius:12px',
  text: 'margin:0 0 16px;font-size:16px;line-height:1.5',
  picture: 'display:block;max-width:100%;border-radius:8px;margin:0 0 16px',
  button:
    'display:inline-block;padding:12px 20px;border-radius:8px;background:#1d4ed8;color:#ffffff;text-decoration:none',
};

function toHtml(body: string, { language, button, cid }: Parts): string {
  const paragraphs = body
    .split(/\n\s*\n/)
    .map((part) => `<p style="${STYLE.text}">${Bun.escapeHTML(part).replaceAll('\n', '<br>')}</p>`);
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"></head><body style="${STYLE.page}">`,
    `<div style="${STYLE.card}">`,
    ...paragraphs,
    ...(cid ? [`<img src="cid:${cid}" alt="" style="${STYLE.picture}">`] : []),
    ...(button
      ? [
          `<a href="${Bun.escapeHTML(button.url)}" style="${STYLE.button}">${Bun.escapeHTML(button.label)}</a>`,
        ]
      : []),
    '</div></body></html>',
  ].join('');
}
