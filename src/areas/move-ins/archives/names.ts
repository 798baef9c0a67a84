import { createHash } from 'node:crypto';
import { parse } from 'node:path';

// Names of entries are those that a stranger has chosen, and become paths below a folder of this server.

/** The longest file name on the file systems of Linux, in bytes. */
const MAX_NAME_BYTES = 255;
/** The longest path below the folder, in bytes: Linux allows 4096 for the whole path. */
const MAX_PATH_BYTES = 3000;
const MAX_EXTENSION_BYTES = 20;
const HASH_LETTERS = 8;

/**
 * Returns the names of the folders and the file of an entry; undefined for one that does not lie below the folder, or too
 * deep. Names that are too long are cut, and keep their extension.
 */
export function toSafePath(name: string): readonly string[] | undefined {
  if (name.startsWith('/') || /^[a-z]:/i.test(name) || name.includes('\0')) return undefined;
  const names = name.split('/').filter((part) => part !== '' && part !== '.');
  if (names.length === 0 || names.includes('..')) return undefined;
  const safe = names.map(cutName);
  return Buffer.byteLength(safe.join('/')) > MAX_PATH_BYTES ? undefined : safe;
}

function cutName(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const { ext } = parse(name);
  const extension = Buffer.byteLength(ext) <= MAX_EXTENSION_BYTES ? ext : '';
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LETTERS);
  const end = `~${hash}${extension}`;
  return cutText(name, MAX_NAME_BYTES - Buffer.byteLength(end)) + end;
}

/** Cuts between letters. */
function cutText(text: string, maxBytes: number): string {
  let [cut, bytes] = ['', 0];
  for (const letter of text) {
    bytes += Buffer.byteLength(letter);
    if (bytes > maxBytes) break;
    cut += letter;
  }
  return cut;
}

/**
 * Returns a folder for each archive, of its name: Takeout's parts are recognized by those, and an archive of photos may
 * become an album.
 */
export function toFolderNames(archives: readonly { readonly name: string }[]): string[] {
  const used = new Set<string>();
  return archives.map(({ name }) => {
    const stem = cutName(parse(name.replaceAll(/[/\\\0]/g, '_')).name.replace(/^\.+/, '_'));
    const wanted = stem.trim() === '' ? '_' : stem;
    let found = wanted;
    for (let number = 2; used.has(found.toLowerCase()); number++) found = `${wanted} (${number})`;
    used.add(found.toLowerCase());
    return found;
  });
}
