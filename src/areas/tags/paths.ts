/** 'Travel/Japan' → ['Travel', 'Travel/Japan']; blank parts are dropped. */
export function ancestorsOf(path: string): string[] {
  const parts = path
    .split('/')
    .map((part) => part.trim())
    .filter(Boolean);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

export const nameOf = (value: string): string => value.slice(value.lastIndexOf('/') + 1);

/** Undefined: the tag is at the top. */
export function parentOf(value: string): string | undefined {
  const slash = value.lastIndexOf('/');
  return slash < 0 ? undefined : value.slice(0, slash);
}

export const joinPath = (parent: string | undefined, name: string): string =>
  parent === undefined ? name : `${parent}/${name}`;
