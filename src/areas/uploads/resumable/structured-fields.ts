// Structured field values (RFC 9651), as far as uploads need them. Parameters are accepted and ignored.
// All parsers return undefined for malformed values and other types. A malformed value counts as none (§4.2): ask
// isItem where that makes a difference.

const BARE_ITEM = [
  String.raw`-?(?:\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])`,
  String.raw`"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"`,
  String.raw`[A-Za-z*][\w!#$%&'*+.^|~:/\x60-]*`,
  String.raw`:[A-Za-z0-9+/]*={0,2}:`,
  String.raw`\?[01]`,
  String.raw`@-?\d{1,15}`,
  String.raw`%"(?:[\x20-\x21\x23-\x24\x26-\x7e]|%[\da-f]{2})*"`,
].join('|');
const KEY = '[a-z*][a-z0-9_.*-]*';
const PARAMETERS = `(?:; *${KEY}(?:=(?:${BARE_ITEM}))?)*`;

const ITEM = new RegExp(`^ *(?:${BARE_ITEM})${PARAMETERS} *$`);
const BOOLEAN = new RegExp(`^ *\\?([01])${PARAMETERS} *$`);
const INTEGER = new RegExp(`^ *(-?\\d{1,15})${PARAMETERS} *$`);
const MEMBER = new RegExp(`(${KEY})(?:=(${BARE_ITEM}))?${PARAMETERS}`, 'y');
const COMMA = /[ \t]*,[ \t]*/y;

/** Returns whether a field value is an item, of any type. */
export const isItem = (text: string): boolean => ITEM.test(text);

export function parseBoolean(text: string | null): boolean | undefined {
  const [, digit] = BOOLEAN.exec(text ?? '') ?? [];
  return digit === undefined ? undefined : digit === '1';
}

export function parseInteger(text: string | null): number | undefined {
  const [, digits] = INTEGER.exec(text ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The value is undefined for a member that is not a byte sequence. Of two members with one name the
 * last counts.
 */
export type ByteDictionary = ReadonlyMap<string, Uint8Array | undefined>;

/** Parses a dictionary of byte sequences, like the digest fields of RFC 9530. */
export function parseByteDictionary(header: string): ByteDictionary | undefined {
  const text = header.trim();
  const members = new Map<string, Uint8Array | undefined>();
  for (let index = 0; ;) {
    MEMBER.lastIndex = index;
    const [, key, value] = MEMBER.exec(text) ?? [];
    if (!key) return undefined;
    const bytes = value?.startsWith(':') ? Buffer.from(value.slice(1, -1), 'base64') : undefined;
    members.set(key, bytes);
    index = MEMBER.lastIndex;
    if (index === text.length) return members;
    COMMA.lastIndex = index;
    const [comma] = COMMA.exec(text) ?? [];
    if (!comma) return undefined;
    index += comma.length;
  }
}
