import { fold } from '../../../../core/fold-text.ts';
import { ApiError, getMessage } from '../../../base/api.ts';
import { t } from '../../../base/i18n.ts';
import type { Config } from '../../types.ts';
import type { ConfigPath, Member, Subject } from './members.ts';

/** Values that are not saved, by path. */
export type Changes = Readonly<Partial<Record<ConfigPath, unknown>>>;

type Members = Readonly<Record<string, unknown>>;

export const readMember = (config: Config, path: ConfigPath): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Members)[name], config);

function withMember(members: Members, path: string, value: unknown): Members {
  const dot = path.indexOf('.');
  if (dot === -1) return { ...members, [path]: value };
  const name = path.slice(0, dot);
  return { ...members, [name]: withMember(members[name] as Members, path.slice(dot + 1), value) };
}

export const applyChanges = <T extends Partial<Config>>(config: T, changes: Changes): T =>
  Object.entries(changes).reduce<Members>(
    (changed, [path, value]) => withMember(changed, path, value),
    config,
  ) as T;

/**
 * Returns the changes with another one, without what is as it was saved. While another value of the same member is
 * being saved (`sent`), what was saved before is a change, too.
 */
export function withChange(
  changes: Changes,
  { saved, sent }: { saved: Config; sent: Changes },
  path: ConfigPath,
  value: unknown,
): Changes {
  const { [path]: _before, ...rest } = changes;
  const isUnchanged = !(path in sent) && isSame(readMember(saved, path), value);
  return isUnchanged ? rest : { ...rest, [path]: value };
}

/** Returns the changes without those that were `sent`. Values typed meanwhile stay. */
export const withoutSaved = (changes: Changes, sent: Changes): Changes =>
  Object.fromEntries(
    Object.entries(changes).filter(
      ([path, value]) => !(path in sent && isSame(sent[path as ConfigPath], value)),
    ),
  );

export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

export const pickChanges = (changes: Changes, { members }: Subject): Changes =>
  Object.fromEntries(
    members.flatMap(({ path }) => (path in changes ? [[path, changes[path]]] : [])),
  );

/** Returns the subjects with those members in whose texts, or in those of the subject, each word is. */
export function filterSubjects(subjects: readonly Subject[], query: string): Subject[] {
  const words = fold(query).split(/\s+/).filter(Boolean);
  const hasAllWords = (subject: Subject, { title, help, path }: Member): boolean => {
    const text = fold([subject.title, title, help, path].join(' '));
    return words.every((word) => text.includes(word));
  };
  return subjects
    .map((subject) => ({
      ...subject,
      members: subject.members.filter((member) => hasAllWords(subject, member)),
    }))
    .filter(({ members }) => members.length > 0);
}

export type Faults = {
  readonly members: Readonly<Partial<Record<ConfigPath, string>>>;
  /** About no member of the subject. */
  readonly text: string | undefined;
};

export const NO_FAULTS: Faults = { members: {}, text: undefined };

/** Returns the empty members that must have a value. */
export const findMissing = (config: Config, { members }: Subject): Faults => ({
  members: Object.fromEntries(
    members
      .filter(({ path, requiredBy }) => {
        const isRequired = requiredBy && readMember(config, requiredBy) === true;
        return isRequired && readMember(config, path) === '';
      })
      .map(({ path }) => [path, t('Required')]),
  ),
  text: undefined,
});

/** Sorts what the server refused by member: it names the member, or a part of it: 'a.list.0'. */
export function toFaults(error: unknown, { members }: Subject): Faults {
  const fields = error instanceof ApiError ? Object.entries(error.fields) : [];
  const found = members.flatMap(({ path }) =>
    fields
      .filter(([field]) => `${field}.`.startsWith(`${path}.`))
      .map(([, message]) => [path, message]),
  );
  return {
    members: Object.fromEntries(found),
    text: found.length > 0 ? undefined : getMessage(error),
  };
}
