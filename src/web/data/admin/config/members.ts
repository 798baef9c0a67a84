import type { Config } from '../../types.ts';

type Leaf = string | number | boolean | null | readonly unknown[];
type PathIn<T> = {
  [Name in keyof T & string]: T[Name] extends Leaf ? Name : `${Name}.${PathIn<T[Name]>}`;
}[keyof T & string];

/** The path of a member of the configuration, as 'trash.days'. */
export type ConfigPath = PathIn<Config>;

/** Labels by value. */
export type Options = Readonly<Record<string, string>>;

type Control =
  // 'lines' is a list of texts, one on each line; a 'secret' is written, never read.
  | {
      readonly kind:
        'switch' | 'number' | 'optional-number' | 'text' | 'long-text' | 'lines' | 'secret';
    }
  | { readonly kind: 'choice' | 'choices'; readonly options: Options };

export type Member = Control & {
  readonly path: ConfigPath;
  readonly title: string;
  readonly help?: string | undefined;
  /** Switch with which it must have a value. The server takes it without, as Immich does. */
  readonly requiredBy?: ConfigPath;
};

export type Subject = {
  readonly id: string;
  readonly title: string;
  readonly help?: string;
  /** Some of its members are times by the clock of the server. */
  readonly hasTimes?: boolean;
  /** The path of the API where the document is read and written. */
  readonly document: '/admin/config' | '/admin/config/safelight';
  readonly members: readonly Member[];
};

type Texts = readonly [path: ConfigPath, title: string, help?: string];

const create =
  (kind: Exclude<Control['kind'], 'choice' | 'choices'>) =>
  (...[path, title, help]: Texts): Member => ({ kind, path, title, help });

export const toggle = create('switch');
export const number = create('number');
/** Null when it is empty. */
export const optionalNumber = create('optional-number');
export const text = create('text');
export const longText = create('long-text');
export const lines = create('lines');
export const secret = create('secret');

export const choice = (options: Options, ...[path, title, help]: Texts): Member => ({
  kind: 'choice',
  options,
  path,
  title,
  help,
});
export const choices = (options: Options, ...[path, title, help]: Texts): Member => ({
  kind: 'choices',
  options,
  path,
  title,
  help,
});
