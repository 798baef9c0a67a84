// Comes with @scalar/api-reference: one dependency less to keep.
import { parse } from '@babel/parser';

export const KINDS = ['condition', 'call', 'constant'] as const;

/** A change of the product: a negated condition, a statement that is only a call removed, or another constant. */
export type Change = {
  readonly kind: (typeof KINDS)[number];
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
};

type Node = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly loc: { readonly start: { readonly line: number } };
  readonly [key: string]: unknown;
};

const COMPARISON = /^(?:[!=]==?|[<>]=?)$/;
/** Calls that only people with the log and tests of crashes notice. */
const UNNOTICED = /\blog\b|^console\b|^reach$/;
/** A longer list is data. */
const MOST_ELEMENTS = 20;

/** Returns all changes of a source. */
export function listChanges(file: string, text: string): Change[] {
  const found: Change[] = [];
  const slice = ({ start, end }: Node) => text.slice(start, end);
  const visit = (node: Node, parent: Node, key: string) => {
    const called = getCalled(node);
    const elements = (node['elements'] ?? node['properties'] ?? []) as unknown[];
    if ((called && UNNOTICED.test(slice(called))) || elements.length > MOST_ELEMENTS) return;
    const { start, end, loc } = node;
    const [before, line] = [slice(node), loc.start.line];
    const changed = toChange(node, parent, key, before);
    if (changed) found.push({ ...changed, file, line, start, end, before });
    for (const [name, value] of Object.entries(node)) {
      // Of what TypeScript adds, only `x as T` and its like have a value.
      if (node.type.startsWith('TS') && name !== 'expression') continue;
      for (const child of [value].flat() as Node[]) if (child?.loc) visit(child, node, name);
    }
  };
  const options = { sourceType: 'module', plugins: ['typescript', 'explicitResourceManagement'] };
  const { program } = parse(text, options as never) as unknown as { program: Node };
  visit(program, program, '');
  return found;
}

type Changed = Pick<Change, 'kind' | 'after'> | undefined;

function toChange(node: Node, parent: Node, key: string, before: string): Changed {
  const { type, value } = node;
  const isComparison = ({ operator }: Node) => COMPARISON.test(String(operator));
  if (type === 'ExpressionStatement' && getCalled(node)) return { kind: 'call', after: ';' };
  // A loop that never ends says nothing about the tests.
  const isCondition = key === 'test' ? /^(?:If|Cond)/.test(parent.type) : isComparison(node);
  if (isCondition) return { kind: 'condition', after: `!(${before})` };
  const isCompared = isComparison(parent) || parent.type === 'SwitchCase';
  let after: string | number | boolean | undefined;
  if (type === 'BooleanLiteral') after = !value;
  if (type === 'NumericLiteral') after = value === 0 ? 1 : Number(value) * 2;
  if (type === 'StringLiteral' && isCompared) after = JSON.stringify(`${String(value)}x`);
  return after === undefined ? undefined : { kind: 'constant', after: String(after) };
}

/** Returns what is called by a call, which may be awaited, or a statement. */
function getCalled(node: Node): Node | undefined {
  const inner = { ExpressionStatement: 'expression', AwaitExpression: 'argument' }[node.type];
  if (inner !== undefined) return getCalled(node[inner] as Node);
  return (node['callee'] ?? node['tag']) as Node | undefined;
}
