import { toName } from '../../core/fold-text.ts';

/**
 * Returns the path and its ancestors: 'Travel/Japan' → ['Travel', 'Travel/Japan']. Drops blank parts. With another
 * separator a slash is a letter of a name.
 */
export function listPathPrefixes(path: string, separator: '/' | '|' = '/'): string[] {
  const parts = path.split(separator).map(toName).filter(Boolean);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Returns undefined at the top level. */
export const getParentPath = ({
  name,
  value,
}: {
  readonly name: string;
  readonly value: string;
}): string | undefined =>
  name.length < value.length ? value.slice(0, -name.length - 1) : undefined;

export const joinPath = (parent: string | undefined, name: string): string =>
  parent === undefined ? name : `${parent}/${name}`;
