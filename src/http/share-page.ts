import type { LinkName, LinkPreview } from '../areas/shared-links/preview.domain.ts';
import { type ClientOrigin, getClientOrigin } from './forwarded.ts';
import { type WebAssets, writePage } from './web.ts';
import type { Deps } from '../core/context.ts';

type GetPreview = (
  name: LinkName,
  address: string | undefined,
) => Promise<LinkPreview | null | undefined>;

/**
 * Returns the handler of /share/<key> and /s/<slug>, for any Accept header, because messengers send none
 * for HTML. Adds Open Graph tags (ogp.me) to the page; 404 for an unknown or expired link.
 */
export const createSharePageHandler =
  ({ settings, log }: Pick<Deps, 'settings' | 'log'>, assets: WebAssets, getPreview: GetPreview) =>
  (request: Request): Promise<Response> | undefined => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const name = isRead ? parseLinkName(request.url) : undefined;
    const page = name && assets.get('/index.html');
    if (!name || !page) return undefined;
    const answer = async () => {
      const caller = getClientOrigin(request, settings);
      const preview = await getPreview(name, caller.address).catch((error: unknown) => {
        log.warn('preview of a shared link failed', { error });
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

const LINK_URL = /^[a-z]+:\/\/[^/]*\/(share|s)\/([^/?#]+)/;

function parseLinkName(url: string): LinkName | undefined {
  const [, kind, text] = LINK_URL.exec(url) ?? [];
  if (text === undefined) return undefined;
  const value = decode(text);
  return kind === 'share' ? { key: value } : { slug: value };
}

/** Returns the text itself when it cannot be decoded or stored: it matches no link. */
function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes('\0') ? text : decoded;
  } catch {
    return text;
  }
}

/** Returns the origin that the client requested: messengers need absolute URLs. */
function getOrigin({ url }: Request, { host, isEncrypted }: ClientOrigin): string {
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
    .map(([kind, name, content]) =>
      content === undefined
        ? ''
        : `<meta ${kind}="${name}" content="${Bun.escapeHTML(content)}" />`,
    )
    .join('');
}
