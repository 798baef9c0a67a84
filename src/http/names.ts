/** Members of bodies that are stored as a name. */
const NAMES: ReadonlySet<string> = new Set(['name', 'albumName']);

/** Composes the names anywhere in the body, in place (NFC): two that look the same are the same. */
export function composeNames(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  for (const [member, value] of Object.entries(body)) {
    if (typeof value !== 'string') composeNames(value);
    else if (NAMES.has(member)) Object.assign(body, { [member]: value.normalize('NFC') });
  }
}
