import { requireValue } from '../../core/required.ts';
import { createNode, parseGraph } from './editable-graph.ts';

/** Below the wanted score by more than Sigmoid is inexact. */
const TOLERANCE = 1e-3;

/** The last version of ONNX in which the axes of ReduceMax are an attribute. */
const MAX_OPSET = 17;

/**
 * Rewrites a detector with three results: boxes (1, count, 4), scores by Sigmoid (1, count, kinds), anchors (count, 4).
 * The results of the new one are of candidates only, in the same order: of the few among tens of thousands whose score
 * is about `leastScore` or more for some kind. Returns every other model as it is.
 */
export function keepCandidates(model: Uint8Array, leastScore: number): Uint8Array {
  const graph = parseGraph(model);
  const [boxes, scores, anchors] = graph.outputs;
  const sigmoid = graph.nodes.find(
    ({ operation, outputs }) => operation === 'Sigmoid' && outputs[0] === scores,
  );
  if (
    graph.opset > MAX_OPSET ||
    graph.hasSubgraphs ||
    !sigmoid ||
    boxes === undefined ||
    scores === undefined ||
    anchors === undefined
  )
    return model;
  const logits = requireValue(sigmoid.inputs[0], 'input of Sigmoid');
  const least = leastScore - TOLERANCE;
  const limit = graph.addConstant([Math.log(least / (1 - least))], [1]);
  const found = (name: string) => `${name}_found`;
  graph.nodes.splice(graph.nodes.indexOf(sigmoid), 1);
  graph.nodes.push(
    createNode('ReduceMax', [logits], 'most_certain', { axes: [0, 2], keepdims: 0 }),
    createNode('Greater', ['most_certain', limit], 'is_candidate'),
    createNode('NonZero', ['is_candidate'], 'candidates'),
    createNode('Gather', [boxes, 'candidates'], found(boxes), { axis: 1 }),
    createNode('Gather', [logits, 'candidates'], found(logits), { axis: 1 }),
    createNode('Sigmoid', [found(logits)], found(scores)),
    createNode('Gather', [anchors, 'candidates'], found(anchors), { axis: 0 }),
  );
  graph.outputs = [boxes, scores, anchors].map(found);
  return graph.finish();
}
