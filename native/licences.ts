import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A package that the program or its page is made of. */
export type LicensedPackage = {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly licence: string;
  readonly text: string;
};

/** As the page reads it: `text` is an index of `texts`, since many packages have the same one. */
export type LicenceList = {
  readonly packages: readonly (Omit<LicensedPackage, 'text'> & { readonly text: number })[];
  readonly texts: readonly string[];
};

const ROOT = join(import.meta.dir, '..');

export function createLicenceList(packages: readonly LicensedPackage[]): LicenceList {
  const texts = [...new Set(packages.map(({ text }) => text))];
  return {
    packages: packages.map((one) => ({ ...one, text: texts.indexOf(one.text) })),
    texts,
  };
}

/** Returns Bun, and all packages that the dependencies of the program need, by name. */
export function listLicences(): LicensedPackage[] {
  const found = new Map<string, Package>();
  collect(ROOT, Object.keys(readPackage(ROOT).dependencies ?? {}), found);
  const packages = [...found].map(([folder, manifest]) => toLicensed(folder, manifest));
  const unique = new Map(
    [BUN, ...DATA, ...packages].map((one) => [`${one.name}@${one.version}`, one]),
  );
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

type Package = {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly licenses?: readonly { readonly type: string }[];
  readonly author?: string | { readonly name?: string };
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
};

const readPackage = (folder: string): Package =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package;

/** Types are no part of what runs. */
const isTypes = (name: string): boolean => /^(?:@types\/.*|bun-types)$/.test(name);

function collect(from: string, names: readonly string[], found: Map<string, Package>): void {
  for (const name of names) {
    const folder = findPackage(from, name);
    // Optional packages of other platforms, and peers that nobody asked for, are not installed.
    if (!folder || found.has(folder) || isTypes(name)) continue;
    const manifest = readPackage(folder);
    found.set(folder, manifest);
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    collect(folder, Object.keys(needed), found);
  }
}

function findPackage(from: string, name: string): string | undefined {
  const folder = join(from, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return from === ROOT ? undefined : findPackage(dirname(from), name);
}

function toLicensed(folder: string, manifest: Package): LicensedPackage {
  const { license, licenses } = manifest;
  const { name, version } = nameLibrary(folder, manifest);
  const isExifTool = name === 'exiftool-vendored.pl';
  const licence = isExifTool
    ? EXIFTOOL_LICENCE
    : (license ?? licenses?.map(({ type }) => type).join(' OR ') ?? '');
  const texts = readTexts(folder) || createText(folder, manifest, licence);
  const text = isExifTool ? [readExifToolCopyright(folder), texts].join('\n\n') : texts;
  return { name, version, licence: licence.replaceAll(/[()]/g, ''), text };
}

/** That of Perl. The package names the licence of its own few lines, under which ExifTool is not. */
const EXIFTOOL_LICENCE = 'Artistic-1.0-Perl OR GPL-1.0-or-later';

function readExifToolCopyright(folder: string): string {
  const copyright = /^Copyright .+$/m.exec(readFileSync(join(folder, 'bin/README'), 'utf8'))?.[0];
  if (!copyright) throw new Error('exiftool-vendored.pl has changed its shape');
  return [copyright, ...EXIFTOOL_LICENCE.split(' OR ').map(readStandardText)].join('\n\n');
}

/** One package of each platform holds libvips. */
function nameLibrary(folder: string, { name, version }: Package) {
  if (!isLibvips(name)) return { name, version };
  const file = readFileSync(join(folder, 'versions.json'), 'utf8');
  return { name: 'libvips', version: (JSON.parse(file) as { vips: string }).vips };
}

const isLibvips = (name: string): boolean => name.startsWith('@img/sharp-libvips');

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice|unlicense)/i;

const readTexts = (folder: string): string =>
  readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file) && statSync(join(folder, file)).isFile())
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    .join('\n\n');

/** Returns the standard text, for packages that name a licence and bring none. */
function createText(folder: string, manifest: Package, licence: string): string {
  const { name, author } = manifest;
  const holder = typeof author === 'object' ? author.name : author;
  const [id = ''] = licence.replaceAll(/[()]/g, '').split(/ OR | AND /);
  const text = readStandardText(id)
    .replace(/<year> <[^>]+>/, holder ?? `the authors of ${name}`)
    .trim();
  // Its table names the libraries within.
  if (!isLibvips(name)) return text;
  return [readFileSync(join(folder, 'README.md'), 'utf8'), text, readStandardText('GPL-3.0-only')]
    .map((part) => part.trim())
    .join('\n\n');
}

function readStandardText(id: string): string {
  const file = join(ROOT, 'node_modules/spdx-license-list/licenses', `${id}.json`);
  if (!existsSync(file)) throw new Error(`no licence is called “${id}”`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { licenseText: string }).licenseText;
}

/** The runtime, which is no package of npm. See https://bun.com/docs/project/license. */
const readOwnText = (file: string) =>
  readFileSync(join(import.meta.dir, 'licences', file), 'utf8').trim();

/** The words of labels are made of the first two (label-words.ts), the names of places of the last (place-names.ts). */
const DATA: readonly LicensedPackage[] = [
  { name: 'WordNet', version: '3.1', licence: 'WordNet', text: readOwnText('wordnet.txt') },
  { name: 'CLDR', version: '48.2', licence: 'Unicode-3.0', text: readOwnText('unicode.txt') },
  {
    name: 'GeoNames',
    version: '2020.03',
    licence: 'CC-BY-4.0',
    text: `Place names: https://www.geonames.org\n\n${readStandardText('CC-BY-4.0')}`,
  },
];

const BUN: LicensedPackage = {
  name: 'Bun',
  version: Bun.version,
  licence: 'MIT AND LGPL-2.1-or-later',
  text: [
    'Bun is under the MIT licence. It contains JavaScriptCore of WebKit, which is under the LGPL; the',
    'sources are at https://github.com/oven-sh/bun and https://github.com/oven-sh/WebKit.\n',
    readStandardText('MIT').replace(/<year> <[^>]+>/, 'Oven and the authors of Bun'),
    readStandardText('LGPL-2.1-or-later'),
  ].join('\n'),
};

/** Licences whose works may be part of one under the GPL 3 or later. */
const COMPATIBLE: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'CC0-1.0',
  'GPL-1.0-or-later',
  'ISC',
  'LGPL-2.1-or-later',
  'LGPL-3.0-or-later',
  'MIT',
  'MIT-0',
  'Unicode-3.0',
  'Unlicense',
  'WordNet',
]);

/** Tells whether one of the alternatives of an SPDX expression is compatible, in all its parts. */
export const isCompatible = (licence: string): boolean =>
  licence
    .split(' OR ')
    .some((alternative) => alternative.split(' AND ').every((id) => COMPATIBLE.has(id)));
