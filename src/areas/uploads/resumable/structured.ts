// Structured field values (RFC 9651), as far as uploads need them. Parameters are legal and mean
// nothing here. Undefined: malformed, or of another type.

const BARE = [
  String.raw`-?\d{1,15}(?:\.\d{1,3})?`,
  String.raw`"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"`,
  String.raw`[A-Za-z*][\w!#$%&'*+.^|~:/\x60-]*`,
  String.raw`:[A-Za-z0-9+/]*={0,2}:`,
  String.raw`\?[01]`,
].join('|');
const KEY = '[a-z*][a-z0-9_.*-]*';
const PARAMETERS = `(?:; *${KEY}(?:=(?:${BARE}))?)*`;

const BOOLEAN = new RegExp(`^ *\\?([01])${PARAMETERS} *$`);
const INTEGER = new RegExp(`^ *(-?\\d{1,15})${PARAMETERS} *$`);
const MEMBER = new RegExp(`(${KEY})(?:=(${BARE}))?${PARAMETERS}`, 'y');
const COMMA = /[ \t]*,[ \t]*/y;

export function parseBoolean(text: string | null): boolean | undefined {
  const [, digit] = BOOLEAN.exec(text ?? '') ?? [];
  return digit === undefined ? undefined : digit === '1';
}

export function parseInteger(text: string | null): number | undefined {
  const [, digits] = INTEGER.exec(text ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Undefined as a value: no byte sequence. Of two members with one name the last counts. */
export type ByteMembers = ReadonlyMap<string, Uint8Array | undefined>;

/** A dictionary of byte sequences, as the digest fields are (RFC 9530). */
export function parseBytes(given: string): ByteMembers | undefined {
  const text = given.trim();
  const members = new Map<string, Uint8Array | undefined>();
  for (let at = 0; ;) {
    MEMBER.lastIndex = at;
    const [matched, key, value] = MEMBER.exec(text) ?? [];
    if (!key) return undefined;
    const bytes = value?.startsWith(':') ? Buffer.from(value.slice(1, -1), 'base64') : undefined;
    members.set(key, bytes);
    at += matched!.length;
    if (at === text.length) return members;
    COMMA.lastIndex = at;
    const [comma] = COMMA.exec(text) ?? [];
    if (!comma) return undefined;
    at += comma.length;
  }
}
