import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { MANIFESTS, SHARE_TARGET } from '../src/web/base/service-worker-names.ts';
import type { BuiltWebFile } from './web-files.ts';

// Everything by which a browser installs the page as an app, and starts it without a connection.

const WEB = join(import.meta.dir, '../src/web');
const ICON = readFileSync(join(WEB, 'icon.svg'), 'utf8');
/** The icon up to its edges: systems cut it to the shape of their own. */
const FULL_ICON = ICON.replace(' rx="15"', '');
const DARK = '#1c1412';
const LIGHT = '#fbfaf8';

/** Returns the manifests (W3C Web Application Manifest), icons and the service worker of these files of the page. */
export async function buildInstallFiles(page: readonly BuiltWebFile[]): Promise<BuiltWebFile[]> {
  return [
    manifest(MANIFESTS.dark, DARK),
    manifest(MANIFESTS.light, LIGHT),
    await renderFavicon(),
    await renderIcon('/icons/192.png', ICON, 192),
    await renderIcon('/icons/512.png', ICON, 512),
    await renderIcon('/icons/maskable-512.png', FULL_ICON, 512),
    await renderIcon('/apple-touch-icon.png', FULL_ICON, 180),
    ...SCREENSHOTS.map(readScreenshot),
    await buildServiceWorker(page),
  ];
}

/** A browser shows the background while the installed page starts: `theme.ts` names the manifest of the chosen theme. */
const manifest = (path: string, background: string): BuiltWebFile =>
  text(
    path,
    'application/manifest+json',
    JSON.stringify({ ...MANIFEST, background_color: background, theme_color: background }),
  );

/** `test/e2e/manifest-pictures.ts` takes them. A browser asks for them when it offers to install the page, not before. */
const SCREENSHOTS = [
  {
    src: '/screenshots/wide.webp',
    sizes: '1280x800',
    type: 'image/webp',
    form_factor: 'wide',
    label: 'All photos by day, on a computer',
  },
  {
    src: '/screenshots/narrow.webp',
    sizes: '780x1688',
    type: 'image/webp',
    form_factor: 'narrow',
    label: 'All photos by day, on a phone',
  },
] as const;

const readScreenshot = ({ src, type }: (typeof SCREENSHOTS)[number]): BuiltWebFile => ({
  path: src,
  type,
  immutable: false,
  bytes: new Uint8Array(readFileSync(join(WEB, src))),
});

const MANIFEST = {
  id: '/',
  name: 'Safelight',
  short_name: 'Safelight',
  description: 'Your photos and videos on your own server.',
  start_url: '/photos',
  scope: '/',
  display: 'standalone',
  categories: ['photo'],
  shortcuts: [
    { name: 'Search', url: '/search' },
    { name: 'Albums', url: '/albums' },
    { name: 'Map', url: '/map' },
  ],
  share_target: {
    action: SHARE_TARGET,
    method: 'POST',
    enctype: 'multipart/form-data',
    params: { files: [{ name: 'files', accept: ['image/*', 'video/*'] }] },
  },
  icons: [
    { src: '/icons/192.png', sizes: '192x192', type: 'image/png' },
    { src: '/icons/512.png', sizes: '512x512', type: 'image/png' },
    { src: '/icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
  screenshots: SCREENSHOTS,
};

const text = (path: string, type: string, content: string): BuiltWebFile => ({
  path,
  type: `${type};charset=utf-8`,
  immutable: false,
  bytes: Buffer.from(content),
});

async function renderIcon(path: string, svg: string, size: number): Promise<BuiltWebFile> {
  const image = sharp(Buffer.from(svg), { density: (72 * size) / 64 }).resize(size, size);
  const bytes = new Uint8Array(await image.png({ compressionLevel: 9 }).toBuffer());
  return { path, type: 'image/png', immutable: false, bytes };
}

const FAVICON_SIZE = 48;

/** For programs that ask for `/favicon.ico` without reading the page: one PNG in the container of Windows icons. */
async function renderFavicon(): Promise<BuiltWebFile> {
  const { bytes: png } = await renderIcon('', ICON, FAVICON_SIZE);
  const header = Buffer.alloc(22);
  // Type 1 (icon), one image.
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  header.writeUInt8(FAVICON_SIZE, 6);
  header.writeUInt8(FAVICON_SIZE, 7);
  // Planes, bits per pixel, length and offset of the PNG.
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  const bytes = new Uint8Array(Buffer.concat([header, png]));
  return { path: '/favicon.ico', type: 'image/x-icon', immutable: false, bytes };
}

/** Its bytes, and with them the version that browsers compare, change with any file of the page. */
async function buildServiceWorker(page: readonly BuiltWebFile[]): Promise<BuiltWebFile> {
  const hash = createHash('sha256');
  for (const { path, bytes } of page) hash.update(path).update(bytes);
  // Catalogues are cached when a page has used them: one of ten is enough.
  const isPrecached = ({ path }: BuiltWebFile) =>
    path.startsWith('/assets/') && /\.(?:js|css)$/.test(path) && !isCatalogue(path);
  const built = await Bun.build({
    entrypoints: [join(WEB, 'offline/service-worker.ts')],
    target: 'browser',
    format: 'iife',
    minify: true,
    define: {
      SHELL_VERSION: JSON.stringify(hash.digest('hex').slice(0, 16)),
      SHELL_FILES: JSON.stringify(page.filter(isPrecached).map(({ path }) => path)),
    },
  });
  const [script] = built.outputs;
  if (!script) throw new Error('the service worker was not built');
  return text('/service-worker.js', 'text/javascript', await script.text());
}

const LOCALES = readFileSync(join(WEB, 'base/i18n.ts'), 'utf8');
const isCatalogue = (path: string): boolean => {
  const [, name] = /^\/assets\/([\w-]+)-\w+\.js$/.exec(path) ?? [];
  return name !== undefined && LOCALES.includes(`../locales/${name}.`);
};
