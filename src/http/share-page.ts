import type { LinkName, LinkPreview } from '../areas/shared-links/preview.domain.ts';
import { type Caller, getCaller } from './forwarded.ts';
import { type WebAssets, writePage } from './web.ts';
import type { Deps } from '../core/context.ts';

type GetPreview = (
  name: LinkName,
  address: string | undefined,
) => Promise<LinkPreview | null | undefined>;

/**
 * Answers /share/<key> and /s/<slug>, whatever the request accepts: messengers ask for any type. The page
 * says what the link shows, in Open Graph tags (ogp.me). 404 for a link that is unknown or has expired.
 */
export const sharePageHandler =
  ({ settings, log }: Pick<Deps, 'settings' | 'log'>, assets: WebAssets, getPreview: GetPreview) =>
  (request: Request): Promise<Response> | undefined => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const name = isRead ? parseLinkName(request.url) : undefined;
    const page = name && assets.get('/index.html');
    if (!name || !page) return undefined;
    const answer = async () => {
      // The page says by itself what is wrong.
      const caller = getCaller(request, settings);
      const preview = await getPreview(name, caller.address).catch((error: unknown) => {
        log.warn('the preview of a shared link failed', { error });
        return null;
      });
      const html = new TextDecoder().decode(page.read(undefined));
      const tags = preview ? formatTags(preview, getOrigin(request, caller)) : '';
      return writePage(
        request,
        html.replace('</title>', (title) => `${title}${tags}`),
        preview === undefined ? 404 : 200,
      );
    };
    return answer();
  };

const ADDRESS = /^[a-z]+:\/\/[^/]*\/(share|s)\/([^/?#]+)/;

function parseLinkName(url: string): LinkName | undefined {
  const [, kind, text] = ADDRESS.exec(url) ?? [];
  if (text === undefined) return undefined;
  const value = decode(text);
  return kind === 'share' ? { key: value } : { slug: value };
}

/** What cannot be decoded, or held by a text of PostgreSQL, names no link: it stays as it is. */
function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes('\0') ? text : decoded;
  } catch {
    return text;
  }
}

/** Messengers want whole addresses: the one that the caller asked for. */
function getOrigin({ url }: Request, { host, isEncrypted }: Caller): string {
  const asked = `${isEncrypted ? 'https' : 'http'}://${host ?? new URL(url).host}`;
  return new URL(URL.canParse(asked) ? asked : url).origin;
}

function formatTags({ title, description, imagePath }: LinkPreview, origin: string): string {
  const image = imagePath && new URL(imagePath, origin).href;
  const tags: [kind: 'name' | 'property', name: string, content: string | undefined][] = [
    ['name', 'description', description],
    ['property', 'og:type', 'website'],
    ['property', 'og:title', title],
    ['property', 'og:description', description],
    ['property', 'og:image', image],
    ['name', 'twitter:card', image && 'summary_large_image'],
    ['name', 'twitter:title', title],
    ['name', 'twitter:description', description],
    ['name', 'twitter:image', image],
  ];
  return tags
    .filter(([, , content]) => content !== undefined)
    .map(([kind, name, content]) => `<meta ${kind}="${name}" content="${escapeHtml(content!)}" />`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (found) => ENTITIES[found]!);
