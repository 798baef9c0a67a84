import { applyDifferences, findDifferences, isMembers, type Members } from './differences.ts';

/**
 * Settings that decide who is who, hand out rights, or say where secrets, mail and copies go. Changing one
 * needs a session with a recent proof, never a key. Every other setting is listed in protected.test.ts.
 */
const PROTECTED: readonly string[] = [
  'oauth',
  'passwordLogin',
  // The address in mail and shared links, the message before the login, and who sees which accounts.
  'server',
  // Texts and looks for everybody, in mail and around the login.
  'templates',
  'theme',
  'notifications.smtp',
  'webhooks',
  'integrity.backupFolders',
];

/** Returns the paths of protected settings that a document changes. Members that are unknown change nothing. */
export const listProtectedChanges = (before: Members, after: Members): string[] =>
  listLeaves(findDifferences(before, applyDifferences(before, after))).filter(isProtected);

export const isProtected = (path: string): boolean =>
  PROTECTED.some((start) => path === start || path.startsWith(`${start}.`));

/** Returns the paths of all settings of a document. */
export const listLeaves = (members: Members, prefix = ''): string[] =>
  Object.entries(members).flatMap(([name, member]) =>
    isMembers(member) ? listLeaves(member, `${prefix}${name}.`) : [`${prefix}${name}`],
  );
