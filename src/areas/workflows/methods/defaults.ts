import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import type { WorkflowStep } from '../../../db/tables/workflows.ts';
import { findMethod } from './catalogue.ts';

/** Lists of ids mean nothing to another library. */
const isIdList = (schema: TSchema & { items?: { format?: string } }): boolean =>
  schema.items?.format === 'uuid';

/** Returns the configuration of a step without ids and without values that are the default. */
export function removeDefaults({ method, config }: WorkflowStep): Record<string, unknown> | null {
  if (config === null) return null;
  const properties = (findMethod(method)?.config.properties ?? {}) as Record<string, TSchema>;
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) => {
      const schema = properties[name] as (TSchema & { default?: unknown }) | undefined;
      if (schema && isIdList(schema)) return [[name, []]];
      return schema && isDeepStrictEqual(schema.default, value) ? [] : [[name, value]];
    }),
  );
}
