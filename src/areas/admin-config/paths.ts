import { editDistance } from '../../core/edit-distance.ts';
import { DEFAULTS, isMembers, type Members, type AdminConfig } from '../system-config/index.ts';

// Places in the document: 'trash.days', or 'trash' for the whole section.

/** Returns undefined where the document has no such member. */
export const readPath = (config: AdminConfig, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Members | undefined)?.[name], config);

/** Returns the document with another value at a path. */
export const withValue = (config: AdminConfig, path: string, value: unknown): AdminConfig =>
  replaceMember(config, path.split('.'), value) as AdminConfig;

const replaceMember = (before: unknown, path: readonly string[], value: unknown): unknown => {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const members = before as Members | undefined;
  return { ...members, [name]: replaceMember(members?.[name], rest, value) };
};

const listPaths = (members: Members, prefix = ''): string[] =>
  Object.entries(members).flatMap(([name, member]) => [
    `${prefix}${name}`,
    ...(isMembers(member) ? listPaths(member, `${prefix}${name}.`) : []),
  ]);

const PATHS = listPaths(DEFAULTS);

export const isPath = (path: string): boolean => PATHS.includes(path);

/** Returns the first path in differences from the defaults that the document does not have. */
export const findUnknownPath = (differences: Members, prefix = ''): string | undefined =>
  listPaths(differences, prefix).find((path) => !isPath(path));

/** Returns the path that was probably meant: the end of one, or one of similar spelling. */
export const suggestPath = (path: string): string =>
  PATHS.find((known) => known.endsWith(`.${path}`)) ??
  PATHS.reduce((best, known) =>
    editDistance(path, known) < editDistance(path, best) ? known : best,
  );
