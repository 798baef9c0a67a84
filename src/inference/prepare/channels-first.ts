import { createNode, type EditableGraph, type GraphNode, readNumbers } from './editable-graph.ts';

/** Operations that compute each value by itself, from those at its place in their first inputs. */
const OPERANDS: ReadonlyMap<string, number> = new Map([
  ['Add', 2],
  ['Clip', 1],
  ['Relu', 1],
]);

const TO_CHANNELS_FIRST = [0, 3, 1, 2];
const TO_CHANNELS_LAST = [0, 2, 3, 1];

const isTransposeTo = (node: GraphNode, order: readonly number[]): boolean =>
  node.operation === 'Transpose' && readNumbers(node, 'perm')?.join() === order.join();

/**
 * Keeps channels first between operations: models that come from TensorFlow have them last, and a Transpose before and
 * after each convolution. ONNX Runtime removes these too, but takes a third of the time of loading a model for it.
 * Results of operations keep their names.
 */
export function keepChannelsFirst(graph: EditableGraph): void {
  if (graph.hasSubgraphs) return;
  const nodes = graph.nodes.splice(0);
  /** Names of the values with channels first, by the names of those with channels last. */
  const channelsFirst = new Map<string, string>();
  /** Names of values, by those of the same after a Transpose that is left out. */
  const renamed = new Map<string, string>();
  const transposed = new Set<string>();

  /** Returns the name of a value for an operation that stays as it is. */
  function toOriginal(name: string): string {
    const from = channelsFirst.get(name);
    if (from === undefined) return renamed.get(name) ?? name;
    const to = from === name ? `${name}_channels_last` : name;
    if (!transposed.has(to)) {
      graph.nodes.push(createNode('Transpose', [from], to, { perm: TO_CHANNELS_LAST }));
      transposed.add(to);
    }
    return to;
  }

  for (const node of nodes) {
    const [[input = ''], [output = '']] = [node.inputs, node.outputs];
    const isResult = graph.outputs.includes(output);
    const first = channelsFirst.get(input);
    if (isTransposeTo(node, TO_CHANNELS_LAST)) channelsFirst.set(output, toOriginal(input));
    else if (isTransposeTo(node, TO_CHANNELS_FIRST) && first !== undefined && !isResult)
      renamed.set(output, first);
    else {
      const isMoved = isByValue(node, channelsFirst) && !isResult;
      if (isMoved) channelsFirst.set(output, output);
      node.inputs = node.inputs.map((name) =>
        isMoved ? (channelsFirst.get(name) ?? name) : toOriginal(name),
      );
      graph.nodes.push(node);
    }
  }
  for (const output of graph.outputs) toOriginal(output);
}

const isByValue = ({ operation, inputs }: GraphNode, names: ReadonlyMap<string, string>): boolean =>
  OPERANDS.has(operation) &&
  inputs.slice(0, OPERANDS.get(operation)).every((name) => names.has(name));
