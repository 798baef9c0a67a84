import type { Json } from '../support/json.ts';
import compat from './compat.json' with { type: 'json' };
import specification from './operations.json' with { type: 'json' };

/** One operation as the contract states it, whichever of the two files it stands in. */
export type Wanted = {
  readonly name: string;
  readonly auth: string;
  readonly permission: string | null;
  readonly isAdmin: boolean;
  readonly parameters: readonly string[];
  /** The defaults of parameters that may be left out, by name. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly deprecated: readonly string[];
  readonly request: string | null;
  readonly responses: Readonly<Record<string, string | null>>;
  /** Statuses of refusals that are particular to the operation. */
  readonly refusals: readonly string[];
  /** Schema of a parameter by name. */
  readonly limits: Readonly<Record<string, Json>>;
};

export const SPECIFIED: readonly Wanted[] = specification.operations.map((operation: Json) => ({
  name: `${operation['method']} ${operation['path']}`,
  auth: operation['auth'],
  permission: operation['permission'],
  isAdmin: operation['adminOnly'],
  parameters: operation['params'].map((param: Json) => `${param['in']} ${param['name']}`),
  defaults: Object.fromEntries(
    operation['params']
      .filter((param: Json) => 'default' in param)
      .map((param: Json) => [param['name'], param['default']]),
  ),
  deprecated: operation['params']
    .filter((param: Json) => param['deprecated'])
    .map((param: Json) => param['name']),
  request: operation['requestSchema'],
  responses: operation['responses'],
  refusals: operation['immich'] === 'absent' ? Object.keys(operation['errors'] ?? {}) : [],
  limits: Object.fromEntries(operation['params'].map((param: Json) => [param['name'], param])),
}));

export const COMPATIBLE: readonly Wanted[] = compat.operations.map((operation: Json) => ({
  name: `${operation['method']} ${operation['path']}`,
  auth: operation['auth'],
  permission: operation['permission'],
  isAdmin: operation['admin'],
  parameters: operation['query'].map((name: string) => `query ${name}`),
  defaults: {},
  deprecated: [],
  request: operation['request'],
  responses: Object.fromEntries(
    operation['status']
      .filter((status: number) => status < 400)
      .map((status: number) => [status, operation['response']]),
  ),
  refusals: operation['status'].filter((status: number) => status >= 400).map(String),
  limits: {},
}));

const SCHEMAS: Json = { ...compat.schemas, ...specification.schemas };
const ENUMS: Json = {
  ...compat.enums,
  ...Object.fromEntries(
    Object.entries<Json>(specification.enums).map(([name, { values }]) => [name, values]),
  ),
};

/** Returns the differences from the contract, empty when there are none. */
export function differences(wanted: Wanted, document: Json): string[] {
  const [method, path] = wanted.name.split(' ') as [string, string];
  const operation: Json = document['paths'][path]?.[method.toLowerCase()];
  if (!operation) return ['missing'];
  return [
    ...accessDifferences(wanted, operation),
    ...parameterDifferences(wanted, operation, document),
    ...bodyDifferences(wanted, operation, document),
  ];
}

function accessDifferences({ auth, permission, isAdmin }: Wanted, operation: Json): string[] {
  if (auth === 'none') return operation['x-open'] ? [] : ['must be open to anyone'];
  // Without a name of its own an operation needs all, except those that any key may call.
  const allowed = permission ? [permission] : ['all', 'any'];
  const found = operation['x-permission'];
  return [
    ...(allowed.includes(found) ? [] : [`permission ${found}, not ${allowed.join(' or ')}`]),
    ...(Boolean(operation['x-admin']) === isAdmin ? [] : [`admin only: ${!isAdmin}`]),
    ...(auth === 'session' && !operation['x-session'] ? ['must need a session'] : []),
    ...(['pin', 'elevated'].includes(auth) && !operation['x-unlocked']
      ? ['must need the PIN']
      : []),
  ];
}

function parameterDifferences(wanted: Wanted, operation: Json, document: Json): string[] {
  const { parameters, defaults, deprecated, limits } = wanted;
  const documented: Json[] = operation['parameters'] ?? [];
  const found = new Set(
    documented.map((parameter: Json) => `${parameter['in']} ${parameter['name']}`),
  );
  const getDefault = (name: string) =>
    documented.find((parameter) => parameter['name'] === name)?.['schema']?.default;
  return [
    ...parameters.filter((name) => !found.has(name)).map((name) => `parameter ${name} is missing`),
    ...Object.entries(defaults)
      .filter(([name, value]) => getDefault(name) !== value)
      .map(([name, value]) => `parameter ${name} has not the default ${String(value)}`),
    ...documented
      .filter(
        (parameter) => Boolean(parameter['deprecated']) !== deprecated.includes(parameter['name']),
      )
      .map((parameter) => `parameter ${parameter['name']} must be deprecated or not`),
    ...documented.flatMap(({ name, schema }) =>
      limitDifferences(limits[name] ?? {}, listAlternatives(schema, document), `parameter ${name}`),
    ),
  ];
}

function bodyDifferences(wanted: Wanted, operation: Json, document: Json): string[] {
  const found: string[] = [];
  if (wanted.request) {
    const schema = Object.values<Json>(operation['requestBody']?.content ?? {})[0]?.['schema'];
    found.push(...named(wanted.request, schema, 'request', document, new Set()));
  }
  for (const [status, name] of Object.entries(wanted.responses)) {
    const response = operation['responses'][status];
    if (!response) found.push(`status ${status} is missing`);
    else if (name && name !== 'binary') {
      const schema = Object.values<Json>(response.content ?? {})[0]?.['schema'];
      found.push(...named(name, schema, status, document, new Set()));
    }
  }
  for (const status of wanted.refusals) {
    if (!operation['responses'][status]) found.push(`refusal ${status} is missing`);
  }
  return found;
}

/** Keywords of the contract, and of JSON Schema. */
const LIMITS = {
  min: 'minimum',
  max: 'maximum',
  minLength: 'minLength',
  maxLength: 'maxLength',
  minItems: 'minItems',
  maxItems: 'maxItems',
} as const;

/** Compares what is asked for: what the contract accepts is accepted, and no more. */
function limitDifferences(wanted: Json, choices: readonly Json[], at: string): string[] {
  const ours = choices.find(({ type }) => type !== 'null') ?? {};
  const found: string[] = [];
  for (const [name, keyword] of Object.entries(LIMITS)) {
    // A list of at least nothing may have any length.
    if (wanted[name] === undefined || (name === 'minItems' && wanted[name] === 0)) continue;
    if (wanted[name] === ours[keyword]) continue;
    found.push(`${at}: ${keyword} is ${ours[keyword]}, not ${wanted[name]}`);
  }
  const format: string | undefined = wanted['format'];
  if (COMPARED_FORMATS.has(format) && ours['format'] !== format) {
    found.push(`${at}: format is ${ours['format']}, not ${format}`);
  }
  return found;
}

const COMPARED_FORMATS = new Set<string | undefined>(['uuid', 'date', 'date-time']);

/** `name` is a schema, or a schema followed by [] for a list of it, or a plain type. */
function named(name: string, schema: Json, at: string, document: Json, seen: Set<string>) {
  if (name.endsWith('[]')) {
    const list = resolve(schema, document);
    if (list?.['type'] !== 'array') return [`${at}: not a list`];
    return named(name.slice(0, -2), list['items'], `${at}[]`, document, seen);
  }
  return SCHEMAS[name] ? objectDifferences(name, schema, at, document, seen) : [];
}

/** Members of requests: clients always send them, and whoever has something else to say need not. */
const MAY_LACK = new Set(['PartnerUpdateDto.inTimeline']);

function objectDifferences(
  name: string,
  given: Json,
  at: string,
  document: Json,
  seen: Set<string>,
): string[] {
  if (seen.has(name)) return [];
  const schema = resolve(given, document);
  if (!schema?.['properties']) return SCHEMAS[name].fields ? [`${at}: no schema for ${name}`] : [];
  const found: string[] = [];
  for (const [field, wanted] of Object.entries<Json>(SCHEMAS[name].fields ?? {})) {
    const place = `${at}.${field}`;
    const ours = schema['properties'][field];
    if (!ours) {
      // A field that may be left out may come later, with the feature that fills it.
      if (wanted['required']) found.push(`${place} is missing`);
      continue;
    }
    const isRequired = (schema['required'] ?? []).includes(field);
    const mayLack = MAY_LACK.has(`${name}.${field}`);
    if (wanted['required'] && !isRequired && !mayLack) found.push(`${place} must be required`);
    if (at.startsWith('request')) {
      if ('default' in wanted && ours['default'] !== wanted['default']) {
        found.push(`${place} has not the default ${String(wanted['default'])}`);
      }
      found.push(...limitDifferences(wanted, listAlternatives(ours, document), place));
    }
    found.push(...fieldDifferences(wanted, ours, place, document, new Set([...seen, name])));
  }
  return found;
}

function fieldDifferences(
  wanted: Json,
  given: Json,
  at: string,
  document: Json,
  seen: Set<string>,
): string[] {
  const choices = listAlternatives(given, document);
  const isNullable = choices.some((choice) => choice['type'] === 'null');
  const schema = choices.find((choice) => choice['type'] !== 'null');
  if (!schema) return [];
  if (wanted['nullable'] && !isNullable && !isAnything(schema)) return [`${at} must allow null`];
  if (wanted['ref']) return named(wanted['ref'], schema, at, document, seen);
  if (wanted['enum']) return enumDifferences(wanted['enum'], schema, at);
  // A list that is always empty has no items to describe.
  const isFilled = schema['type'] === 'array' && schema['maxItems'] !== 0;
  if (wanted['type'] === 'array' && isFilled && wanted['items']) {
    return fieldDifferences(wanted['items'], schema['items'], `${at}[]`, document, seen);
  }
  const type = schema['type'];
  const isNumber =
    ['integer', 'number'].includes(wanted['type']) && ['integer', 'number'].includes(type);
  if (type && wanted['type'] && type !== wanted['type'] && !isNumber) {
    return [`${at} is ${type}, not ${wanted['type']}`];
  }
  return [];
}

function enumDifferences(name: string, schema: Json, at: string): string[] {
  const ours: string[] = schema['enum'] ?? (schema['const'] ? [schema['const']] : []);
  if (ours.length === 0) return [];
  const extra = ours.filter((word) => !(ENUMS[name] as string[]).includes(word));
  return extra.length > 0 ? [`${at} has words that ${name} has not: ${extra.join(', ')}`] : [];
}

const isAnything = (schema: Json) => !schema['type'] && !schema['enum'] && !schema['properties'];

function listAlternatives(given: Json, document: Json): Json[] {
  const schema = resolve(given, document) ?? {};
  if (schema['nullable']) {
    return [...listAlternatives({ ...schema, nullable: undefined }, document), { type: 'null' }];
  }
  const choices: Json[] | undefined = schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf'];
  return choices ? choices.flatMap((choice) => listAlternatives(choice, document)) : [schema];
}

function resolve(schema: Json, document: Json): Json {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema?.['$ref'] ?? '')?.[1];
  return name ? resolve(document['components'].schemas[name], document) : schema;
}
