import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Permission } from '../../../access/permissions.ts';
import type { Ctx } from '../../../core/context.ts';
import type { WorkflowRow } from '../../../db/tables/workflows.ts';
import type { TaskName } from '../../../inference/types.ts';
import type { Facts, FactGroup } from '../runs/facts.ts';

/** Immich's own methods, under the names that its clients and shared workflows use. */
export const CORE_PLUGIN = 'immich-plugin-core';
/** Ours. */
export const OWN_PLUGIN = 'safelight';

type Description = {
  readonly plugin: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
};

export type Needs = {
  /** Facts that the predicate reads beside those of the asset itself. */
  readonly groups: readonly FactGroup[];
  /** Recognition without which it cannot tell. */
  readonly tasks: readonly TaskName[];
  /** Sentences that it compares with the picture. */
  readonly sentences: readonly string[];
};

/** An action runs in a transaction with the session of the owner. */
export type ActionCtx = Ctx & {
  readonly workflow: Pick<WorkflowRow, 'id' | 'name' | 'ownerId'>;
  readonly stepIndex: number;
  /** The same for each attempt. */
  readonly runId: string;
};

export type Predicate = (facts: Facts) => boolean;

/** A step that ends the run for assets that it does not match. */
export type Filter = Description & {
  readonly kind: 'filter';
  readonly config: TObject;
  readonly getNeeds: (config: never) => Needs;
  /** Returns the filters within it, with their paths in the configuration. */
  readonly listParts?: (
    config: never,
  ) => readonly { readonly path: string; readonly method: Method; readonly config: object }[];
  /** Throws an AppError for a configuration that cannot work, such as a broken expression. */
  readonly compile: (config: never) => Predicate;
};

/** A step that changes something. Doing it again changes nothing. */
export type Action = Description & {
  readonly kind: 'action';
  readonly config: TObject;
  /** Permissions of what it does, beside 'asset.read', which every method needs. */
  readonly getPermissions: (config: never) => readonly Permission[];
  /** Throws 400 for a configuration that cannot work. */
  readonly check?: (config: never) => void;
  /** Throws 400 for what the account may not reach, as a host or an album. Runs when it is saved. */
  readonly checkAccess?: (ctx: Ctx, config: never) => Promise<void>;
  readonly needs: Needs;
  /** Whether the undo of a run takes back all that it does to an item: see undo/changes.ts. */
  readonly isUndoable: (config: never) => boolean;
  readonly apply: (ctx: ActionCtx, facts: Facts, config: never) => Promise<void>;
};

export type Method = Filter | Action;

export const defineFilter = <S extends TObject, C = Static<S>>(
  spec: Description & {
    readonly config: S;
    readonly needs?: Partial<Needs>;
    readonly getSentences?: (config: C) => readonly string[];
    readonly compile: (config: C) => Predicate;
  },
): Filter => {
  const { needs, getSentences = () => [], ...rest } = spec;
  const getNeeds = (config: C) => ({ ...NOTHING, ...needs, sentences: getSentences(config) });
  return { ...rest, kind: 'filter', getNeeds };
};

export const defineAction = <S extends TObject, C = Static<S>>(
  spec: Description & {
    readonly config: S;
    readonly permissions: readonly Permission[] | ((config: C) => readonly Permission[]);
    readonly undoable: boolean | ((config: C) => boolean);
    readonly check?: (config: C) => void;
    readonly checkAccess?: (ctx: Ctx, config: C) => Promise<void>;
    readonly needs?: Partial<Needs>;
    readonly apply: (ctx: ActionCtx, facts: Facts, config: C) => Promise<void>;
  },
): Action => {
  const { permissions, undoable, ...rest } = spec;
  const getPermissions = typeof permissions === 'function' ? permissions : () => permissions;
  const isUndoable = typeof undoable === 'function' ? undoable : () => undoable;
  const needs = { ...NOTHING, ...spec.needs };
  return { ...rest, kind: 'action', getPermissions, isUndoable, needs };
};

const NOTHING: Needs = { groups: [], tasks: [], sentences: [] };

/** Words to choose from. */
export const choice = <const T extends readonly string[]>(words: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...options });

/** Ids of what the hint names. */
export const Ids = (title: string, description: string, uiHint: string) =>
  Type.Array(Type.String({ format: 'uuid' }), {
    title,
    description,
    uiHint: { type: uiHint },
    maxItems: 1_000,
  });

/** A flag; absent means `fallback`. */
export const flag = (title: string, description: string, fallback = false) =>
  Type.Optional(Type.Boolean({ title, description, default: fallback }));

type SchemaNode = TSchema & {
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, TSchema>>;
};

/** Returns the schema as Immich's clients read it: a list is its item with `array`. */
export function toPluginSchema(schema: TSchema): Record<string, unknown> {
  const { items, properties, ...rest } = schema as SchemaNode;
  if (items) return { ...toPluginSchema(items), ...without(rest, 'type'), array: true };
  if (!properties) return rest;
  const members = Object.entries(properties).map(([name, one]) => [name, toPluginSchema(one)]);
  return { ...rest, properties: Object.fromEntries(members) as unknown };
}

const without = (value: Record<string, unknown>, member: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== member));

const validators = new Map<TSchema, ReturnType<typeof Compile<TSchema>>>();

/** Returns the first fault of a configuration as a path and a message; undefined if it is valid. */
export function findConfigFault(
  schema: TSchema,
  config: unknown,
): { readonly path: string; readonly message: string } | undefined {
  let validator = validators.get(schema);
  if (!validator) validators.set(schema, (validator = Compile<TSchema>(schema)));
  if (validator.Check(config)) return undefined;
  const [fault] = validator.Errors(config);
  return {
    path: (fault?.instancePath ?? '').replaceAll('/', '.').replace(/^\./, ''),
    message: fault?.message ?? 'Invalid',
  };
}
