/**
 * Names for the entries of an archive: each once, also where case does not count, and none that
 * leads out of the folder it is unpacked in.
 */
export function createEntryNames(): (fileName: string) => string {
  const taken = new Set<string>();
  return (fileName) => {
    const safe = safeName(fileName);
    const dot = safe.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [safe.slice(0, dot), safe.slice(dot)] : [safe, ''];
    let name = safe;
    for (let n = 1; taken.has(name.toLowerCase()); n++) name = `${stem}+${n}${extension}`;
    taken.add(name.toLowerCase());
    return name;
  };
}

/** The last part of a path on any system, without what some systems refuse in a name. */
export function safeName(fileName: string): string {
  const last = fileName.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  // oxlint-disable-next-line no-control-regex -- they are what must go
  const clean = last.replaceAll(/[\u0000-\u001F\u007F<>:"|?*]/g, '_').replace(/[. ]+$/, '');
  return clean === '' ? 'file' : clean;
}
