/** Returns the path and its ancestors: 'Travel/Japan' → ['Travel', 'Travel/Japan']. Drops blank parts. */
export function listPathPrefixes(path: string): string[] {
  const parts = path
    .split('/')
    .map((part) => part.trim())
    .filter(Boolean);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

export const getName = (value: string): string => value.slice(value.lastIndexOf('/') + 1);

/** Returns undefined at the top level. */
export function findParentPath(value: string): string | undefined {
  const slash = value.lastIndexOf('/');
  return slash < 0 ? undefined : value.slice(0, slash);
}

export const joinPath = (parent: string | undefined, name: string): string =>
  parent === undefined ? name : `${parent}/${name}`;
