import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { EmbeddedWebFile, WebFile } from '../../native/web-files.ts';
import { acceptedEncoding, weakTag } from './compress.ts';
import { bytesResponse } from './files.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type WebEncoding = 'br' | 'gzip';

export type WebAsset = WebFile & {
  /** Strong, of the plain bytes. */
  readonly etag: string;
  readonly encodings: readonly WebEncoding[];
  /** Undefined: as it is. */
  readonly read: (encoding: WebEncoding | undefined) => Bytes;
};

/** By the path of the URL. */
export type WebAssets = ReadonlyMap<string, WebAsset>;

/** The page and the API documentation: out of the binary, or built now when run from source. */
export async function loadWeb(): Promise<WebAssets> {
  const assets = Bun.isStandaloneExecutable
    ? (await import('#web-files')).webFiles.map(embeddedAsset)
    : await builtAssets();
  return new Map(assets.map((asset) => [asset.path, asset]));
}

async function builtAssets(): Promise<WebAsset[]> {
  const { buildWebFiles } = await import('../../native/web-files.ts');
  return (await buildWebFiles()).map(({ bytes, ...file }) => ({
    ...file,
    etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 24)}"`,
    encodings: [],
    read: () => bytes,
  }));
}

/** Read when first asked for, then kept: pages are small, and the same for everybody. */
function embeddedAsset({ embedded, digest, ...file }: EmbeddedWebFile): WebAsset {
  const kept = new Map<string, Bytes>();
  const keep = (key: string, read: () => Bytes): Bytes => {
    const found = kept.get(key);
    if (found) return found;
    const bytes = read();
    kept.set(key, bytes);
    return bytes;
  };
  const etag = `"${digest}"`;
  if ('identity' in embedded) {
    const read = () => keep('identity', () => readFileSync(embedded.identity));
    return { ...file, etag, encodings: [], read };
  }
  return {
    ...file,
    etag,
    encodings: ['br', 'gzip'],
    read: (encoding) =>
      encoding
        ? keep(encoding, () => readFileSync(embedded[encoding]))
        : keep('identity', () => gunzipSync(readFileSync(embedded.gzip))),
  };
}

/** Answers what the page and the documentation consist of; undefined: not for us. */
export function webHandler(assets: WebAssets): (request: Request) => Response | undefined {
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const path = pathOf(request.url);
    const asset = assets.get(nameOf(path));
    if (asset) return assetResponse(request, asset);
    if (path.startsWith('/api/') && !path.startsWith(DOCS)) return undefined;
    // A path that the page's own router knows. A missing image or script stays missing.
    const forPage = !/^\/(?:api|\.well-known|assets)(?:\/|$)/.test(path);
    const page = assets.get('/index.html');
    if (!page || !forPage || !acceptsPage(request)) return undefined;
    return assetResponse(request, page);
  };
}

const DOCS = '/api/docs';

function nameOf(path: string): string {
  if (path === '/') return '/index.html';
  return path === `${DOCS}/` ? DOCS : path;
}

/** Of an absolute URL, without parsing it: this runs before every request. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const query = url.indexOf('?', start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

const acceptsPage = ({ headers }: Request): boolean =>
  headers.get('accept')?.includes('text/html') ?? false;

function assetResponse(request: Request, asset: WebAsset): Response {
  const { path, type, immutable, etag, encodings, read } = asset;
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'), encodings);
  return bytesResponse(request, {
    bytes: read(encoding),
    type,
    etag: encoding ? weakTag(etag) : etag,
    cacheControl: immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    headers: {
      ...(encodings.length > 0 ? { vary: 'accept-encoding' } : {}),
      ...(encoding ? { 'content-encoding': encoding } : {}),
      ...(type.startsWith('text/html') ? pageHeaders(path.startsWith(DOCS)) : {}),
    },
  });
}

/** The page with something in it that is for one address only. */
export const writePage = ({ method }: Request, html: string, status: number): Response =>
  new Response(method === 'HEAD' ? null : html, {
    status,
    headers: {
      'content-type': 'text/html;charset=utf-8',
      'cache-control': 'no-store',
      ...pageHeaders(false),
    },
  });

const policy = (styles: string) =>
  [
    "default-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'self'",
    "form-action 'self'",
  ].join('; ');

const PAGE_POLICY = policy("'self'");
/** The documentation viewer writes its styles into the page. */
const DOCS_POLICY = policy("'self' 'unsafe-inline'");

const pageHeaders = (isDocs: boolean): Record<string, string> => ({
  'content-security-policy': isDocs ? DOCS_POLICY : PAGE_POLICY,
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
});
