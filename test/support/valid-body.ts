import type { TSchema } from 'elysia';

export type Path = readonly (string | number)[];
export type Place = {
  readonly path: Path;
  readonly schema: TSchema;
  /** Another alternative may accept what this one refuses. */
  readonly inUnion: boolean;
};

/** Names of the framework's text formats of numbers and flags. */
const COERCED = new Set<unknown>(['integer', 'numeric', 'boolean']);
const MAX_DEPTH = 8;

/** Returns what a value of this schema may be: its alternatives, without null and texts of numbers. */
const listChoices = (schema: TSchema): readonly TSchema[] =>
  ((schema['anyOf'] as TSchema[] | undefined) ?? [schema]).filter(
    ({ type, format }) => type !== 'null' && !COERCED.has(format),
  );

/** Returns the places of a value of this schema and of all values in it, in each alternative. */
export function listPlaces(schema: TSchema, path: Path = [], isChoice = false): Place[] {
  if (path.length > MAX_DEPTH) return [];
  const choices = listChoices(schema);
  const inUnion = isChoice || choices.length > 1;
  return choices.flatMap((choice) => {
    const items = choice['items'] as TSchema | undefined;
    const members = Object.entries<TSchema>(choice['properties'] ?? {});
    return [
      { path, schema: choice, inUnion },
      ...(items ? listPlaces(items, [...path, 0], inUnion) : []),
      ...members.flatMap(([name, member]) => listPlaces(member, [...path, name], inUnion)),
    ];
  });
}

/** Returns a copy of a body with the value at that place, and what is required beside it. */
export function withValue(schema: TSchema, body: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const choice = listChoices(schema).find((one) => leadsTo(one, path))!;
  if (typeof step === 'number') {
    const [first, ...others] = Array.isArray(body) ? body : [];
    return [withValue(choice['items'], first, rest, value), ...others];
  }
  const given = { ...(createValid(choice) as object), ...(body as object) } as Record<
    string,
    unknown
  >;
  return { ...given, [step]: withValue(choice['properties'][step], given[step], rest, value) };
}

function leadsTo(schema: TSchema, [step, ...rest]: Path): boolean {
  if (step === undefined) return true;
  const next = typeof step === 'number' ? schema['items'] : schema['properties']?.[step];
  return next !== undefined && listChoices(next).some((one) => leadsTo(one, rest));
}

/** Returns a small value of a schema: with what is required only. */
export function createValid(schema: TSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  const [choice] = listChoices(schema);
  if (!choice) return null;
  const { type, enum: words, const: constant, format, minimum, items, minItems = 0 } = choice;
  if (constant !== undefined) return constant;
  if (words) return (words as string[])[0];
  if (type === 'object') {
    const names = (choice['required'] ?? []) as string[];
    return Object.fromEntries(names.map((name) => [name, createValid(choice['properties'][name])]));
  }
  if (type === 'array') return Array.from({ length: minItems as number }, () => createValid(items));
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Math.max(1, (minimum as number) ?? 1);
  if (format === 'uuid') return crypto.randomUUID();
  if (format === 'date-time') return '2026-01-01T00:00:00.000Z';
  return format === 'date' ? '2026-01-01' : 'x';
}
