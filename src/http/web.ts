import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import type { EmbeddedWebFile, WebFile } from '../../native/web-files.ts';
import { selectEncoding, toWeakEtag } from './compress.ts';
import { bytesResponse } from './files.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type WebEncoding = 'br' | 'gzip';

export type WebAsset = WebFile & {
  /** Strong, of the uncompressed bytes. */
  readonly etag: string;
  readonly encodings: readonly WebEncoding[];
  /** Undefined: uncompressed. */
  readonly read: (encoding: WebEncoding | undefined) => Bytes;
};

/** Keyed by URL path. */
export type WebAssets = ReadonlyMap<string, WebAsset>;

/** Returns the page and the API documentation: embedded in the binary, or built when run from source. */
export async function loadWeb(): Promise<WebAssets> {
  const assets = Bun.isStandaloneExecutable
    ? (await import('#web-files')).webFiles.map(toWebAsset)
    : await buildAssets();
  return new Map(assets.map((asset) => [asset.path, asset]));
}

async function buildAssets(): Promise<WebAsset[]> {
  const { buildWebFiles } = await import('../../native/web-files.ts');
  return (await buildWebFiles()).map(({ bytes, ...file }) => ({
    ...file,
    etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 24)}"`,
    encodings: [],
    read: () => bytes,
  }));
}

/**
 * Reads the bytes on first use and caches them. Browsers accept Brotli only over HTTPS; for the others it is made into
 * gzip, which takes 6 ms for the longest script of the page.
 */
function toWebAsset({ embedded, digest, ...file }: EmbeddedWebFile): WebAsset {
  const kept = new Map<WebEncoding | undefined, Bytes>();
  const make = (encoding: WebEncoding | undefined): Bytes => {
    if ('identity' in embedded) return readFileSync(embedded.identity);
    const stored = readFileSync(embedded.br);
    if (encoding === 'br') return stored;
    const bytes = brotliDecompressSync(stored);
    return encoding === 'gzip' ? Bun.gzipSync(bytes, { level: 6, library: 'libdeflate' }) : bytes;
  };
  return {
    ...file,
    etag: `"${digest}"`,
    encodings: 'br' in embedded ? ['br', 'gzip'] : [],
    read(encoding) {
      const bytes = kept.get(encoding) ?? make(encoding);
      kept.set(encoding, bytes);
      return bytes;
    },
  };
}

/** Returns the handler of the page and the documentation. It returns undefined for other paths. */
export function createWebHandler(assets: WebAssets): (request: Request) => Response | undefined {
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const path = getPath(request.url);
    const asset = assets.get(toAssetPath(path));
    if (asset) return assetResponse(request, asset);
    if (path.startsWith('/api/') && !path.startsWith(DOCS)) return undefined;
    // Paths of the page's router. A missing image or script stays 404.
    const forPage = !/^\/(?:api|\.well-known|assets)(?:\/|$)/.test(path);
    const page = assets.get('/index.html');
    if (!page || !forPage || !acceptsPage(request)) return undefined;
    return assetResponse(request, page);
  };
}

const DOCS = '/api/docs';

function toAssetPath(path: string): string {
  if (path === '/') return '/index.html';
  return path === `${DOCS}/` ? DOCS : path;
}

/** Returns the path of an absolute URL without parsing it: runs for every request. */
function getPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const query = url.indexOf('?', start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

const acceptsPage = ({ headers }: Request): boolean =>
  headers.get('accept')?.includes('text/html') ?? false;

function assetResponse(request: Request, asset: WebAsset): Response {
  const { path, type, immutable, etag, encodings, read } = asset;
  const encoding = selectEncoding(request.headers.get('accept-encoding'), encodings);
  return bytesResponse(request, {
    bytes: read(encoding),
    type,
    etag: encoding ? toWeakEtag(etag) : etag,
    cacheControl: immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    headers: {
      ...(encodings.length > 0 ? { vary: 'accept-encoding' } : {}),
      ...(encoding ? { 'content-encoding': encoding } : {}),
      ...(type.startsWith('text/html') ? pageHeaders(path.startsWith(DOCS)) : {}),
    },
  });
}

/** Returns the page with content for one address only, never cached. */
export const writePage = ({ method }: Request, html: string, status: number): Response =>
  new Response(method === 'HEAD' ? null : html, {
    status,
    headers: {
      'content-type': 'text/html;charset=utf-8',
      'cache-control': 'no-store',
      ...pageHeaders(false),
    },
  });

const formatPolicy = (styles: string) =>
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

const PAGE_POLICY = formatPolicy("'self'");
/** The documentation viewer writes its styles into the page. */
const DOCS_POLICY = formatPolicy("'self' 'unsafe-inline'");

const pageHeaders = (isDocs: boolean): Record<string, string> => ({
  'content-security-policy': isDocs ? DOCS_POLICY : PAGE_POLICY,
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
});
