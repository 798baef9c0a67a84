import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireValue } from '../src/core/required.ts';
import { MANIFESTS } from '../src/web/base/service-worker-names.ts';
import { compileCatalogues } from './catalogues.ts';
import { renderDocuments } from './documents.ts';
import { buildInstallFiles } from './install-files.ts';
import { createLicenceList, listLicences } from './licences.ts';
import { groupLazyModules } from './page-chunks.ts';
import { worldOutlines } from './world-outlines.ts';

/** A file of the page, as the browser asks for it. */
export type WebFile = {
  /** The path of the URL. */
  readonly path: string;
  readonly type: string;
  /** The name changes with the content. */
  readonly immutable: boolean;
};

export type BuiltWebFile = WebFile & { readonly bytes: Uint8Array<ArrayBuffer> };

/** In the binary: where its bytes are, of text compressed. */
export type EmbeddedWebFile = WebFile & {
  readonly digest: string;
  readonly embedded: { readonly br: string } | { readonly identity: string };
};

const ROOT = join(import.meta.dir, '..');

/** Everything that a browser loads, in a fixed order: the page, the API documentation, the rest. */
export async function buildWebFiles(): Promise<readonly BuiltWebFile[]> {
  const page = await buildPage();
  const install = await buildInstallFiles(page);
  return [...page, ...install, ...docsFiles(), ...licenceFiles(), ...clientFiles()];
}

async function buildPage(): Promise<BuiltWebFile[]> {
  const name = '[name]-[hash].[ext]';
  const built = await Bun.build({
    entrypoints: [join(ROOT, 'src/web/index.html')],
    target: 'browser',
    // Not the syntax: with it, Bun 1.4.4 drops CSS modules of chunks that `minChunkSize` merges.
    minify: { whitespace: true, identifiers: true },
    splitting: true,
    // No minChunkSize: Bun 1.4.4 folds chunks so that some names of theirs are defined nowhere.
    publicPath: '/',
    naming: { entry: '[name].[ext]', chunk: `assets/${name}`, asset: `assets/${name}` },
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [compileCatalogues, groupLazyModules, renderDocuments],
  });
  // The page's one style sheet has the rules of every chunk; the chunks' own ones are never loaded.
  const html = built.outputs.find(({ path }) => path.endsWith('/index.html'));
  const page = await requireValue(html, 'page').text();
  const isLoaded = (path: string) => !path.endsWith('.css') || page.includes(path.slice(1));
  const outputs = built.outputs.filter(({ path }) => isLoaded(path));
  const files = outputs.map(async (output) => {
    const path = output.path.replace(/^\./, '');
    const bytes =
      path === '/index.html' ? Buffer.from(preloadStart(page, outputs)) : await readBytes(output);
    return { path, type: output.type, immutable: path.startsWith('/assets/'), bytes };
  });
  return (await Promise.all(files)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

const readBytes = async (output: Blob) => new Uint8Array(await output.arrayBuffer());

/** Lets the browser fetch the page's code while the language is settled, which comes first, and install the page. */
function preloadStart(page: string, outputs: readonly { readonly path: string }[]): string {
  const start = outputs.find(({ path }) => /\/start-\w+\.js$/.test(path));
  if (!start) throw new Error('the build has no chunk of src/web/start.tsx');
  const links = [
    `<link rel="modulepreload" crossorigin href="${start.path.replace(/^\./, '')}">`,
    // Not in the source, where the bundler would look for the files.
    `<link rel="manifest" href="${MANIFESTS.dark}">`,
    '<link rel="apple-touch-icon" href="/apple-touch-icon.png">',
  ];
  return page.replace('</head>', `${links.join('')}</head>`);
}

/** The packages of the program with their licences, which the page asks for when they are to be read. */
const licenceFiles = (): BuiltWebFile[] => [
  {
    path: '/licences.json',
    type: 'application/json;charset=utf-8',
    immutable: false,
    bytes: Buffer.from(JSON.stringify(createLicenceList(listLicences()))),
  },
];

/** Files that other clients' web pages request. */
const clientFiles = (): BuiltWebFile[] => [
  {
    path: '/api/map/world.json',
    type: 'application/json;charset=utf-8',
    immutable: false,
    bytes: Buffer.from(worldOutlines()),
  },
  // Where an administrator of Immich may write styles; there are none.
  {
    path: '/custom.css',
    type: 'text/css;charset=utf-8',
    immutable: false,
    bytes: Buffer.from('/* No styles of its own. */\n'),
  },
];

const SCALAR_PACKAGE = join(ROOT, 'node_modules/@scalar/api-reference');
const { version } = JSON.parse(readFileSync(join(SCALAR_PACKAGE, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const SCALAR = `/api/docs/scalar-${version}.js`;

/** Scripts are files of their own, because the security policy forbids them inside the page. */
function docsFiles(): BuiltWebFile[] {
  const script = 'text/javascript;charset=utf-8';
  const scalar = join(SCALAR_PACKAGE, 'dist/browser/standalone.js');
  return [
    {
      path: '/api/docs',
      type: 'text/html;charset=utf-8',
      immutable: false,
      bytes: Buffer.from(DOCS_PAGE),
    },
    {
      path: '/api/docs/start.js',
      type: script,
      immutable: false,
      bytes: Buffer.from(DOCS_START),
    },
    { path: SCALAR, type: script, immutable: true, bytes: readFileSync(scalar) },
  ];
}

const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Safelight API</title>
  </head>
  <body>
    <div id="docs"></div>
    <script src="${SCALAR}"></script>
    <script src="/api/docs/start.js"></script>
  </body>
</html>
`;

/** Nothing from elsewhere: no fonts, no proxy, no telemetry, no assistant. */
const DOCS_START = `Scalar.createApiReference('#docs', {
  url: '/api/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
});
`;
