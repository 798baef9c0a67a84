import { isNetwork } from './network.ts';
import { parsePostgresAddress } from './postgres-url.ts';

// Parsers of setting values. Each throws an Error whose message completes "NAME must be …".

export function parseText(value: string): string {
  if (value.trim() === '') throw new Error('a text');
  return value;
}

/** A bearer token (RFC 6750 §2.1) that cannot be guessed. */
export function parseToken(value: string): string {
  if (/^[\w.~+/-]{16,256}=*$/.test(value)) return value;
  throw new Error('16 to 256 letters, digits or -._~+/');
}

export function parseInteger(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new Error(`a whole number from ${min} to ${max}`);
  };
}

const UNITS: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

export function parseBytes(min: number, max: number) {
  return (value: string): number => {
    const [, number, unit] = /^(\d+)\s*([kmg]?)(?:i?b)?$/i.exec(value) ?? [];
    const size = Number(number) * (UNITS[unit?.toLowerCase() ?? ''] ?? Number.NaN);
    if (size >= min && size <= max) return size;
    throw new Error(`a size from ${min} to ${max} bytes, as 10MiB`);
  };
}

export function parseChoice<const T extends string>(values: readonly T[]) {
  return (value: string): T => {
    const found = values.find((candidate) => candidate === value);
    if (found) return found;
    throw new Error(`one of ${values.join(', ')}`);
  };
}

export function parseNetworks(value: string): readonly string[] {
  if (value === 'none') return [];
  const list = value.split(',').map((part) => part.trim());
  if (list.every(isNetwork)) return list;
  throw new Error('a list of addresses and networks, as 10.0.0.2,172.18.0.0/16, or none');
}

export function parseChoices<const T extends string>(values: readonly T[]) {
  return (value: string): readonly T[] => {
    const one = parseChoice(values);
    return [...new Set(value.split(',').map((part) => one(part.trim())))];
  };
}

/** Returns the scheme, the host and the port of a URL that has no more. */
export function parseHttpOrigin(value: string): string {
  const url = URL.parse(value);
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new Error('a URL of a scheme, a host and a port, as http://10.0.0.2:2283');
}

export function parsePostgresUrl(value: string): string {
  try {
    parsePostgresAddress(value);
    return value;
  } catch (error) {
    const text = 'a PostgreSQL URL, as postgres://user:password@host:5432/name';
    throw new Error(`${text} (${(error as Error).message})`, { cause: error });
  }
}

export type PortRange = { readonly min: number; readonly max: number };

export function parsePortRange(value: string): PortRange {
  const [, min, max] = (/^(\d+)-(\d+)$/.exec(value) ?? []).map(Number);
  if (min !== undefined && max !== undefined && min >= 1024 && min <= max && max <= 65_535)
    return { min, max };
  throw new Error('a range of ports from 1024 to 65535, as 50000-50099');
}
