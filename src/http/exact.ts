import type { TSchema } from 'elysia';
import { AppError } from '../core/errors.ts';

/**
 * For a route of our own, after `permission`: a body of which every member is known. Others are refused
 * by name, where the framework would drop them in silence. Clients of Immich send more than is
 * documented: their routes take a plain `body`.
 */
export const exactBody = <S extends TSchema>(schema: S) => ({ body: schema, exact: schema });

const MAX_ERRORS = 20;

/** Before the framework drops what it does not know. */
export function refuseUnknown(schema: TSchema, body: unknown): void {
  const paths = unknownIn(schema, body).slice(0, MAX_ERRORS);
  if (paths.length === 0) return;
  const errors = paths.map((path) => ({ code: 'unrecognized', path, message: 'Unknown member' }));
  throw new AppError('badRequest', 'Validation failed', { detail: { errors } });
}

/**
 * Every body of this API is an object. The framework takes `[]` or `1` for one without members, which
 * is right where all members may be left out. No body at all is none; an empty text is that of the phone.
 */
export function refuseNoObject(body: unknown): void {
  if (body === undefined || body === null || body === '') return;
  if (typeof body === 'object' && !Array.isArray(body)) return;
  const errors = [{ code: 'invalid', path: [], message: 'Expected object' }];
  throw new AppError('badRequest', 'Validation failed', { detail: { errors } });
}

type Path = (string | number)[];

/** Where the value has members that the schema does not name. Types are checked elsewhere. */
function unknownIn(schema: TSchema, value: unknown, path: Path = []): Path[] {
  const choices: readonly TSchema[] | undefined = schema['anyOf'] ?? schema['oneOf'];
  if (choices) {
    // What fits any of them fits; else the nearest one says what is too much.
    const isAlike = (choice: TSchema) =>
      choice['type'] === (Array.isArray(value) ? 'array' : 'object') || 'anyOf' in choice;
    const found = choices.filter(isAlike).map((choice) => unknownIn(choice, value, path));
    return found.toSorted((a, b) => a.length - b.length)[0] ?? [];
  }
  if (Array.isArray(value)) {
    const items: TSchema | undefined = schema['items'];
    return items ? value.flatMap((item, at) => unknownIn(items, item, [...path, at])) : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const known: Readonly<Record<string, TSchema>> | undefined = schema['properties'];
  if (!known || schema['additionalProperties'] || schema['patternProperties']) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    Object.hasOwn(known, name)
      ? unknownIn(known[name]!, member, [...path, name])
      : [[...path, name]],
  );
}
