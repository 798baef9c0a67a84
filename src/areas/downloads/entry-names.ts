/** Returns a function that makes safe entry names, unique also on case-insensitive file systems. */
export function createEntryNames(): (fileName: string) => string {
  const usedNames = new Set<string>();
  return (fileName) => {
    const safe = toSafeEntryName(fileName);
    const dot = safe.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [safe.slice(0, dot), safe.slice(dot)] : [safe, ''];
    let name = safe;
    for (let n = 1; usedNames.has(name.toLowerCase()); n++) name = `${stem}+${n}${extension}`;
    usedNames.add(name.toLowerCase());
    return name;
  };
}

/** Returns the last part of a path without characters that some systems refuse. */
export function toSafeEntryName(fileName: string): string {
  const last = fileName.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  // oxlint-disable-next-line no-control-regex -- they are what must go
  const clean = last.replaceAll(/[\u0000-\u001F\u007F<>:"|?*]/g, '_').replace(/[. ]+$/, '');
  return clean === '' ? 'file' : clean;
}

const MAX_TITLE_CHARS = 80;

/** Returns a safe name for a file with a title, without its ending. */
export const toFileTitle = (title: string, otherwise: string): string =>
  toSafeEntryName(
    Array.from(title).slice(0, MAX_TITLE_CHARS).join('').replaceAll(/[/\\]/g, '-') || otherwise,
  );
