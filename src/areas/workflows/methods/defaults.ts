import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import type { WorkflowStep } from '../../../db/tables/workflows.ts';
import { findMethod } from './catalogue.ts';

type Schema = TSchema & {
  readonly default?: unknown;
  readonly format?: string;
  readonly items?: { readonly format?: string };
};

/** Lists of ids mean nothing to another library. */
const isIdList = ({ items }: Schema): boolean => items?.format === 'uuid';
/** Addresses of webhooks contain keys. */
const isAddress = ({ format }: Schema): boolean => format === 'uri';

type Step = Pick<WorkflowStep, 'method' | 'config'>;
/** True for the filters of a group. */
const areSteps = (value: unknown): value is readonly Step[] =>
  Array.isArray(value) &&
  value.every((item) => typeof (item as Partial<Step>)?.method === 'string');

/** Returns the configuration of a step without ids and without values that are the default. */
export function removeDefaults({ method, config }: Step): Record<string, unknown> | null {
  if (!config) return null;
  const properties = (findMethod(method)?.config.properties ?? {}) as Record<string, Schema>;
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, value]): [string, unknown][] => {
      const schema = properties[name];
      if (!schema) return [[name, value]];
      if (isIdList(schema)) return [[name, []]];
      if (isAddress(schema)) return [[name, '']];
      if (areSteps(value)) {
        return [[name, value.map((step) => ({ ...step, config: removeDefaults(step) ?? {} }))]];
      }
      return isDeepStrictEqual(schema.default, value) ? [] : [[name, value]];
    }),
  );
}
