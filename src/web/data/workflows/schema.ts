/** A part of the schema of a step, in the dialect of Immich: a list is its item with `array`. */
export type SchemaNode = {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly array?: boolean;
  readonly uiHint?: { readonly type: string };
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
};

export type Config = Readonly<Record<string, unknown>>;

const ID_HINTS = ['AlbumId', 'TagId', 'PersonId', 'PetId', 'UserId'] as const;
export type IdHint = (typeof ID_HINTS)[number];

/** Returns of which things the schema takes ids; undefined: it takes something else. */
export const getIdHint = ({ array, uiHint }: SchemaNode): IdHint | undefined =>
  array ? ID_HINTS.find((hint) => hint === uiHint?.type) : undefined;

export type FieldKind =
  'choice' | 'choices' | 'conditions' | 'flag' | 'group' | 'ids' | 'number' | 'text' | 'texts';

/** Returns how the value of a property is asked for. */
export function getFieldKind(node: SchemaNode): FieldKind {
  if (getIdHint(node)) return 'ids';
  if (node.properties) return node.array ? 'conditions' : 'group';
  if (node.enum) return node.array ? 'choices' : 'choice';
  if (node.array) return 'texts';
  if (node.type === 'boolean') return 'flag';
  return node.type === 'integer' || node.type === 'number' ? 'number' : 'text';
}

/** Names its properties in the order in which they are shown. */
export const listProperties = ({ properties = {} }: SchemaNode): [string, SchemaNode][] =>
  Object.entries(properties);

export const isRequired = (schema: SchemaNode, name: string): boolean =>
  schema.required?.includes(name) ?? false;

/** Returns the configuration that a new step begins with. Numbers without a default stay open. */
export function createConfig(schema: SchemaNode): Config {
  const entries = listProperties(schema).flatMap(([name, node]): [string, unknown][] => {
    const value = createValue(node, isRequired(schema, name));
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

function createValue(node: SchemaNode, isNeeded: boolean): unknown {
  if (node.default !== undefined) return node.default;
  if (!isNeeded) return undefined;
  if (node.array) return [];
  if (node.properties) return createConfig(node);
  if (node.enum) return node.enum[0];
  if (node.type === 'string') return '';
  return node.type === 'boolean' ? false : undefined;
}

/** Returns a copy with another value; undefined removes it. */
export function withValue(config: Config, name: string, value: unknown): Config {
  const { [name]: _before, ...rest } = config;
  return value === undefined ? rest : { ...rest, [name]: value };
}
