import { type Graph, newGraph } from '../../onnx/graph.ts';
import { readTflite, countElements, type Tensor, type TfliteModel, toValues } from './model.ts';
import { convertOperator } from './operators.ts';

export type ConvertOptions = {
  /** Names of values inside the model that become outputs too, after its own. */
  readonly extraOutputs?: readonly string[];
};

/** Context of the conversion of one operator. Values are identified by tensor numbers. */
export type Conversion = {
  readonly graph: Graph;
  readonly model: TfliteModel;
  readonly tensor: (index: number) => Tensor;
  readonly isConstant: (index: number) => boolean;
  readonly constant: (index: number) => {
    readonly values: Float32Array;
    readonly shape: readonly number[];
  };
  /** The ONNX name of a value, adding it to the graph if it is a constant. */
  readonly value: (index: number) => string;
  /** Sets the result of an operator. */
  readonly define: (index: number, name: string) => void;
  /** A constant that is known only now, and costs nothing at run time. */
  readonly defineConstant: (index: number, values: Float32Array, shape: readonly number[]) => void;
  /** The post-processing of a detector: left out, what goes into it are the model's outputs. */
  readonly cutDetections: (outputs: readonly number[]) => void;
};

/**
 * Rewrites a TFLite model as ONNX. Quantised weights become floats; the layout stays as it is (rows,
 * columns, channels), turned around each convolution, and so do names and shapes of what goes in and
 * out. A detector gives raw boxes, scores, and the anchors that the boxes are relative to (y, x,
 * height, width), in this order. Throws on an operator that is not known.
 */
export function convertTflite(bytes: Uint8Array, options: ConvertOptions = {}): Uint8Array {
  const model = readTflite(bytes);
  const graph = newGraph();
  const { state, conversion } = newConversion(graph, model);
  for (const index of model.inputs) {
    const { shape, name } = conversion.tensor(index);
    graph.input(name, shape);
    conversion.define(index, name);
  }
  for (const operator of model.operators) convertOperator(conversion, operator);
  const extra = (options.extraOutputs ?? []).map((name) => findTensor(model, name));
  const wanted = [...(state.detections ?? model.outputs), ...extra];
  for (const index of wanted) nameOutput(conversion, index);
  return graph.finish();
}

function findTensor(model: TfliteModel, name: string): number {
  const index = model.tensors.findIndex((tensor) => tensor.name === name);
  if (index < 0) throw new Error(`The model has no value ${name}`);
  return index;
}

function nameOutput(
  { graph, tensor, value, isConstant, constant }: Conversion,
  index: number,
): void {
  const { name } = tensor(index);
  const shape = isConstant(index) ? constant(index).shape : tensor(index).shape;
  graph.node('Identity', [value(index)], { outputs: [name] });
  graph.output(name, shape);
}

function newConversion(graph: Graph, model: TfliteModel) {
  const names = new Map<number, string>();
  const made = new Map<number, { values: Float32Array; shape: readonly number[] }>();
  const state: { detections: readonly number[] | undefined } = { detections: undefined };

  const tensor = (index: number): Tensor => {
    const found = model.tensors[index];
    if (!found) throw new Error(`The model has no tensor ${index}`);
    return found;
  };
  const isConstant = (index: number) => made.has(index) || tensor(index).data.length > 0;
  const constant = (index: number) =>
    made.get(index) ?? { values: toValues(tensor(index)), shape: tensor(index).shape };

  const conversion: Conversion = {
    graph,
    model,
    tensor,
    isConstant,
    constant,
    value(index) {
      const known = names.get(index);
      if (known !== undefined) return known;
      if (!isConstant(index))
        throw new Error(`${tensor(index).name} is used before it is computed`);
      const { values, shape } = constant(index);
      if (values.length !== countElements(shape))
        throw new Error(`${tensor(index).name} is cut short`);
      const name = graph.floats(values, shape);
      names.set(index, name);
      return name;
    },
    define: (index, name) => void names.set(index, name),
    defineConstant: (index, values, shape) => void made.set(index, { values, shape }),
    cutDetections(outputs) {
      state.detections = outputs;
    },
  };
  return { state, conversion };
}
