import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, '../node_modules/exiftool-vendored.pl/bin');
/** Modules of ours that ExifTool loads. */
const MODULES = join(import.meta.dir, 'perl');

/** Reading tags does not need these 8 MB: documentation, names of tags in other languages, a table of cities. */
const LEFT_OUT = /\.pod$|\/README$|\/Lang\/|\/Geolocation\.dat$/;

/** ExifTool as native/exiftool.ts unpacks it. */
export type ExifToolFiles = {
  readonly version: string;
  /** Names are relative to the folder of the program, sizes in bytes. */
  readonly files: readonly { readonly name: string; readonly size: number }[];
  /** SHA-256 in hex of all contents, one after another. */
  readonly digest: string;
};

/** Returns the program and its modules, and their contents one after another. */
export function readExifTool(): ExifToolFiles & { readonly contents: Buffer } {
  const program = readFileSync(join(FOLDER, 'exiftool'), 'utf8');
  const version = /^my \$version = '([\d.]+)';$/m.exec(program)?.[1];
  if (!version) throw new Error('exiftool-vendored.pl has changed its shape');
  const parts = [...listFiles(FOLDER), ...listFiles(MODULES, 'lib/')]
    .filter(({ name }) => (name === 'exiftool' || name.startsWith('lib/')) && !LEFT_OUT.test(name))
    .map(({ name, path }) => ({ name, bytes: readFileSync(path) }));
  const contents = Buffer.concat(parts.map(({ bytes }) => bytes));
  const digest = createHash('sha256').update(contents).digest('hex');
  const files = parts.map(({ name, bytes }) => ({ name, size: bytes.length }));
  return { version, files, digest, contents };
}

const listFiles = (folder: string, prefix = '') =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => ({ name: `${prefix}${path.slice(folder.length + 1)}`, path }));
