import type { MailTemplate } from '../../db/tables/notifications.ts';

/** The values that a template may name as `{albumName}`. */
const PLACEHOLDERS = {
  welcome: ['baseUrl', 'displayName', 'username'],
  'album-invite': ['albumId', 'albumName', 'baseUrl', 'recipientName', 'senderName'],
  'album-update': ['albumId', 'albumName', 'baseUrl', 'recipientName'],
} as const satisfies Record<MailTemplate, readonly string[]>;

export type TemplateValues<T extends MailTemplate> = Readonly<
  Record<(typeof PLACEHOLDERS)[T][number], string>
>;

type Layout = {
  readonly subject: string;
  /** Paragraphs are separated by empty lines. */
  readonly body: string;
  /** A button below the body. */
  readonly link?: { readonly label: string; readonly path: string };
};

const LAYOUTS: Readonly<Record<MailTemplate, Layout>> = {
  welcome: {
    subject: 'Welcome to Safelight',
    body:
      'Hello {displayName},\n\nan account has been made for you. Log in with {username} and the password ' +
      'that your administrator gives you.',
    link: { label: 'Log in', path: '/auth/login' },
  },
  'album-invite': {
    subject: 'You have been added to the album {albumName}',
    body: 'Hello {recipientName},\n\n{senderName} has added you to the album “{albumName}”.',
    link: { label: 'Open the album', path: '/albums/{albumId}' },
  },
  'album-update': {
    subject: 'New pictures in the album {albumName}',
    body: 'Hello {recipientName},\n\nthere are new pictures in the album “{albumName}”.',
    link: { label: 'Open the album', path: '/albums/{albumId}' },
  },
};

export type RenderedMail = {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
};

type Values = Readonly<Record<string, string>>;

/**
 * Returns a message as text and as HTML that needs nothing from outside. `custom` replaces the body unless
 * it is empty. `cid` names an attached picture to show. Without a `baseUrl` there is no link.
 */
export function renderMail<T extends MailTemplate>(
  template: T,
  values: TemplateValues<T>,
  { custom = '', cid }: { readonly custom?: string; readonly cid?: string } = {},
): RenderedMail {
  const { subject, body, link } = LAYOUTS[template];
  const filled = fill(custom.trim() === '' ? body : custom, values);
  const { baseUrl } = values as Values;
  const url = link && baseUrl && `${baseUrl}${fill(link.path, values)}`;
  const button = link && url ? { label: link.label, url } : undefined;
  return {
    subject: fill(subject, values).replaceAll(/\s+/g, ' '),
    text: [filled, ...(button ? [`${button.label}: ${button.url}`] : [])].join('\n\n'),
    html: toHtml(filled, { button, cid }),
  };
}

/** A message that shows that mail is set up. */
export const renderTestMail = (displayName: string): RenderedMail => {
  const body = `Hello ${displayName},\n\nmail from Safelight reaches you.`;
  return { subject: 'Test message from Safelight', text: body, html: toHtml(body, {}) };
};

/** Returns the names in braces that the template does not know. */
export function listUnknownPlaceholders(template: MailTemplate, text: string): string[] {
  const known: readonly string[] = PLACEHOLDERS[template];
  return [...text.matchAll(PLACEHOLDER)]
    .map(([, name]) => name!)
    .filter((name) => !known.includes(name));
}

const PLACEHOLDER = /\{(\w+)\}/g;
const fill = (text: string, values: Values): string =>
  text.replaceAll(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);

type Parts = {
  readonly button?: { readonly label: string; readonly url: string } | undefined;
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

function toHtml(body: string, { button, cid }: Parts): string {
  const paragraphs = body
    .split(/\n\s*\n/)
    .map((part) => `<p style="${STYLE.text}">${Bun.escapeHTML(part).replaceAll('\n', '<br>')}</p>`);
  return [
    `<!doctype html><html><head><meta charset="utf-8"></head><body style="${STYLE.page}">`,
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
