import type { TSchema } from 'elysia';

type Node = {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
};

/**
 * Where an answer has a member that its schema does not list, or lacks one that it requires. For
 * answers that do not pass through their schema.
 */
export const listDifferences = (schema: TSchema, value: unknown): string[] =>
  differences(schema as Node, value, '');

function differences(schema: Node, value: unknown, path: string): string[] {
  if (schema.anyOf) {
    const [first, ...others] = schema.anyOf.map((choice) => differences(choice, value, path));
    return others.reduce((best, found) => (found.length < best.length ? found : best), first ?? []);
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return [`${path} is a list`];
    return value.flatMap((item, index) => differences(items, item, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return [];
  const { properties } = schema;
  if (!properties) return [`${path} is an object`];
  const missing = (schema.required ?? []).filter((name) => !(name in value));
  return [
    ...missing.map((name) => `${path}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, member]) => {
      const known = properties[name];
      return known ? differences(known, member, `${path}.${name}`) : [`${path}.${name} is extra`];
    }),
  ];
}
