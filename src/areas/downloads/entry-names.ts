import { cutToBytes, toNameKey } from '../../media/formats.ts';

/**
 * Returns a function that makes safe entry names, unique also on file systems that know neither case nor Unicode forms. The
 * ending of a companion stands behind the whole name of its file.
 */
export function createEntryNames(): (fileName: string, companion?: string) => string {
  const usedNames = new Set<string>();
  /** The last number behind each name, so that many files of one name are named quickly. */
  const numbers = new Map<string, number>();
  return (fileName, companion = '') => {
    const safe = toSafeEntryName(fileName);
    const [stem, extension] = companion === '' ? splitName(safe) : [safe, companion];
    const maxBytes = companion === '' ? MAX_BYTES : MAX_COMPANION_BYTES;
    let name = safe + companion;
    const first = toKey(name);
    for (let n = (numbers.get(first) ?? 0) + 1; usedNames.has(toKey(name)); n++) {
      const ending = `+${n}${extension}`;
      name = cutToBytes(stem, maxBytes - Buffer.byteLength(ending)) + ending;
      numbers.set(first, n);
    }
    usedNames.add(toKey(name));
    return name;
  };
}

/** File systems fold by upper case (NTFS, exFAT) or lower case (APFS): names that either takes for one have one key. */
const toKey = (name: string): string => toNameKey(name.toUpperCase());

/** Most file systems take no more bytes, or units of UTF-16. */
const MAX_COMPANION_BYTES = 255;
/** Leaves room for the ending of a companion. */
const MAX_BYTES = 240;
const MAX_EXTENSION_BYTES = 16;

/** Devices of Windows, whatever stands behind a dot. */
const DEVICE = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?= *(?:\.|$))/i;

/** Returns the last part of a path as a name that every common file system takes. */
export function toSafeEntryName(fileName: string): string {
  const last = fileName.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  // oxlint-disable-next-line no-control-regex -- they are what must go
  const clean = last.normalize('NFC').replaceAll(/[\u0000-\u001F\u007F<>:"|?*]/g, '_');
  const [stem, extension] = splitName(trimEnd(clean));
  const short = cutToBytes(stem, MAX_BYTES - 1 - Buffer.byteLength(extension));
  const name = trimEnd(short + extension).replace(DEVICE, '_$&');
  return name === '' ? 'file' : name;
}

/** Windows drops what ends a name. */
const trimEnd = (name: string): string => name.replace(/[. ]+$/, '');

function splitName(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf('.');
  const isExtension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= MAX_EXTENSION_BYTES;
  return isExtension ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
}

const MAX_TITLE_CHARS = 80;

/** Returns a safe name for a file with a title, without its ending. */
export const toFileTitle = (title: string, otherwise: string): string =>
  toSafeEntryName(
    Array.from(title).slice(0, MAX_TITLE_CHARS).join('').replaceAll(/[/\\]/g, '-') || otherwise,
  );
