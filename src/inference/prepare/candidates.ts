import { requireValue } from '../../core/required.ts';
import { removeNode } from './channel-scaling.ts';
import { createNode, type EditableGraph, type GraphNode } from './editable-graph.ts';

/** Below the wanted score by more than Sigmoid is inexact. */
const TOLERANCE = 1e-3;

/** The last version of ONNX in which the axes of ReduceMax are an attribute. */
const MAX_OPSET = 17;

/**
 * Rewrites a detector with three results: boxes (1, count, 4), scores by Sigmoid (1, count, kinds), anchors (count, 4).
 * The results of the new one are of candidates only, in the same order: of the few among tens of thousands whose score
 * is about `leastScore` or more for some kind. Returns false for every other model.
 */
export function keepCandidates(graph: EditableGraph, leastScore: number): boolean {
  const [boxes, scores, anchors] = graph.outputs;
  const found = findSigmoid(graph, scores);
  if (
    graph.opset > MAX_OPSET ||
    graph.hasSubgraphs ||
    !found ||
    boxes === undefined ||
    scores === undefined ||
    anchors === undefined
  )
    return false;
  const logits = requireValue(found.sigmoid.inputs[0], 'input of Sigmoid');
  const least = leastScore - TOLERANCE;
  const limit = graph.addConstant([Math.log(least / (1 - least))], [1]);
  const select = (name: string) => `${name}_found`;
  for (const node of found.removed) removeNode(graph, node);
  graph.nodes.push(
    createNode('ReduceMax', [logits], 'most_certain', { axes: [0, 2], keepdims: 0 }),
    createNode('Greater', ['most_certain', limit], 'is_candidate'),
    createNode('NonZero', ['is_candidate'], 'candidates'),
    createNode('Gather', [boxes, 'candidates'], select(boxes), { axis: 1 }),
    createNode('Gather', [logits, 'candidates'], select(logits), { axis: 1 }),
    createNode('Sigmoid', [select(logits)], select(scores)),
    createNode('Gather', [anchors, 'candidates'], select(anchors), { axis: 0 }),
  );
  graph.outputs = [boxes, scores, anchors].map(select);
  return true;
}

/** Returns Sigmoid that computes a value, and the nodes that only rename it; undefined for another operation. */
function findSigmoid(
  { nodes }: EditableGraph,
  scores: string | undefined,
): { readonly sigmoid: GraphNode; readonly removed: readonly GraphNode[] } | undefined {
  const removed: GraphNode[] = [];
  let name = scores;
  for (;;) {
    const node = nodes.find(({ outputs }) => outputs[0] === name);
    if (!node) return undefined;
    removed.push(node);
    if (node.operation === 'Sigmoid') return { sigmoid: node, removed };
    if (node.operation !== 'Identity') return undefined;
    name = node.inputs[0];
  }
}
