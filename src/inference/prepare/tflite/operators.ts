import type { Attribute } from '../../onnx/graph.ts';
import type { Conversion } from './convert.ts';
import type { Operator, Tensor } from './model.ts';
import { permute } from './permutation.ts';

// Numbers of operators and of the fields of their options are those of the TFLite schema.

/** `output`: the first of its outputs. */
type Convert = (conversion: Conversion, operator: Operator & { readonly output: number }) => void;

const ACTIVATION = { none: 0, relu: 1, relu6: 3 } as const;
const SAME_PADDING = 0;

/** Adds what does the same as this operator. */
export function convertOperator(conversion: Conversion, operator: Operator): void {
  const { code, customName, outputs } = operator;
  const [output] = outputs;
  if (output === undefined) throw new Error(`Operator ${code} ${customName} has no output`);
  const convert = CONVERTERS[code];
  if (!convert) {
    const { name } = conversion.tensor(output);
    throw new Error(`Operator ${code} ${customName} of ${name} is not known`);
  }
  convert(conversion, { ...operator, output });
}

const toChannelsFirst = ({ graph }: Conversion, value: string) =>
  graph.node('Transpose', [value], { attributes: { perm: [0, 3, 1, 2] } });
const toChannelsLast = ({ graph }: Conversion, value: string) =>
  graph.node('Transpose', [value], { attributes: { perm: [0, 2, 3, 1] } });

/** Returns the channels of a picture: the last of its four sizes. */
function getChannels({ name, shape }: Tensor): number {
  const channels = shape[3];
  if (channels === undefined) throw new Error(`${name} has no channels`);
  return channels;
}

function activate({ graph }: Conversion, activation: number, value: string): string {
  switch (activation) {
    case ACTIVATION.none:
      return value;
    case ACTIVATION.relu:
      return graph.node('Relu', [value]);
    case ACTIVATION.relu6:
      return graph.node('Clip', [value, graph.floats([0], []), graph.floats([6], [])]);
    default:
      throw new Error(`Activation ${activation} is not known`);
  }
}

const convolution =
  (isDepthwise: boolean): Convert =>
  (conversion, { inputs, output, options }) => {
    const { graph, value, constant, tensor, define } = conversion;
    const [input = -1, weights = -1, bias = -1] = inputs;
    const kernel = constant(weights);
    const [first = 0, height = 0, width = 0, last = 0] = kernel.shape;
    // Per channel they are rows, columns, channels; else outputs, rows, columns, inputs.
    const packed = isDepthwise
      ? graph.floats(permute(kernel, [3, 0, 1, 2]), [last, 1, height, width])
      : graph.floats(permute(kernel, [0, 3, 1, 2]), [first, last, height, width]);
    const from = [toChannelsFirst(conversion, value(input)), packed];
    if (bias >= 0) from.push(value(bias));
    const dilation = isDepthwise ? 5 : 4;
    const convolved = graph.node('Conv', from, {
      attributes: {
        kernel_shape: [height, width],
        strides: [options.int32(2, 1), options.int32(1, 1)],
        dilations: [options.int32(dilation + 1, 1) || 1, options.int32(dilation, 1) || 1],
        group: isDepthwise ? getChannels(tensor(input)) : 1,
        auto_pad: toPadding(options.int8(0)),
      },
    });
    const activated = activate(conversion, options.int8(isDepthwise ? 4 : 3), convolved);
    define(output, toChannelsLast(conversion, activated));
  };

const toPadding = (padding: number) => (padding === SAME_PADDING ? 'SAME_UPPER' : 'VALID');

const pooling =
  (operation: 'MaxPool' | 'AveragePool'): Convert =>
  (conversion, { inputs: [input = -1], output, options }) => {
    const pooled = conversion.graph.node(
      operation,
      [toChannelsFirst(conversion, conversion.value(input))],
      {
        attributes: {
          kernel_shape: [options.int32(4), options.int32(3)],
          strides: [options.int32(2), options.int32(1)],
          auto_pad: toPadding(options.int8(0)),
        },
      },
    );
    const activated = activate(conversion, options.int8(5), pooled);
    conversion.define(output, toChannelsLast(conversion, activated));
  };

const arithmetic =
  (operation: 'Add' | 'Mul' | 'Sub' | 'Div'): Convert =>
  (conversion, { inputs, output, options }) => {
    const [a = -1, b = -1] = inputs;
    const result = conversion.graph.node(operation, [conversion.value(a), conversion.value(b)]);
    conversion.define(output, activate(conversion, options.int8(0), result));
  };

const unary =
  (operation: string, attributes: Readonly<Record<string, Attribute>> = {}): Convert =>
  ({ graph, value, define }, { inputs: [input = -1], output }) =>
    define(output, graph.node(operation, [value(input)], { attributes }));

const concat: Convert = ({ graph, value, define }, { inputs, output, options }) => {
  const parts = inputs.map((input) => value(input));
  define(output, graph.node('Concat', parts, { attributes: { axis: options.int32(0) } }));
};

/** Folded at conversion time when the input is constant. */
const dequantize: Convert = (conversion, { inputs: [input = -1], output }) => {
  if (!conversion.isConstant(input)) return conversion.define(output, conversion.value(input));
  const { values, shape } = conversion.constant(input);
  conversion.defineConstant(output, values, shape);
};

const reshape: Convert = ({ graph, value, define, tensor }, { inputs: [input = -1], output }) => {
  const shape = graph.integers(tensor(output).shape);
  define(output, graph.node('Reshape', [value(input), shape]));
};

const pad: Convert = (
  { graph, value, define, constant },
  { inputs: [input = -1, widths = -1], output },
) => {
  const { values } = constant(widths);
  const before = [...values].filter((_, index) => index % 2 === 0);
  const after = [...values].filter((_, index) => index % 2 === 1);
  const around = graph.integers([...before, ...after]);
  const attributes = { mode: 'constant' };
  define(output, graph.node('Pad', [value(input), around], { attributes }));
};

const resize =
  (mode: 'linear' | 'nearest'): Convert =>
  (conversion, { inputs: [input = -1], output, options }) => {
    const { graph, tensor, value, define } = conversion;
    const [alignField, halfField] = mode === 'linear' ? [2, 3] : [0, 1];
    const [, height = 0, width = 0] = tensor(output).shape;
    const channels = getChannels(tensor(input));
    // Sizes rather than scales: 5/3 rounded gives a picture that is one row short.
    const sizes = graph.integers([1, channels, height, width]);
    const from = toChannelsFirst(conversion, value(input));
    const resized = graph.node('Resize', [from, '', '', sizes], {
      attributes: {
        mode,
        coordinate_transformation_mode: options.boolean(alignField)
          ? 'align_corners'
          : options.boolean(halfField)
            ? 'half_pixel'
            : 'asymmetric',
        ...(mode === 'nearest' ? { nearest_mode: 'floor' } : {}),
      },
    });
    define(output, toChannelsLast(conversion, resized));
  };

const mean: Convert = (
  { graph, value, define, constant },
  { inputs: [input = -1, axes = -1], output, options },
) => {
  const attributes = { axes: [...constant(axes).values], keepdims: options.boolean(0) ? 1 : 0 };
  define(output, graph.node('ReduceMean', [value(input)], { attributes }));
};

const transpose: Convert = (
  { graph, value, define, constant },
  { inputs: [input = -1, order = -1], output },
) => {
  const attributes = { perm: [...constant(order).values] };
  define(output, graph.node('Transpose', [value(input)], { attributes }));
};

const fullyConnected: Convert = (conversion, { inputs, output, options }) => {
  const { graph, value, define, constant } = conversion;
  const [input = -1, weights = -1, bias = -1] = inputs;
  const matrix = constant(weights);
  const [rows = 0, columns = 0] = matrix.shape;
  const flat = graph.node('Reshape', [value(input), graph.integers([-1, columns])]);
  const turned = graph.floats(permute(matrix, [1, 0]), [columns, rows]);
  const product = graph.node('MatMul', [flat, turned]);
  const sum = bias >= 0 ? graph.node('Add', [product, value(bias)]) : product;
  define(output, activate(conversion, options.int8(0), sum));
};

const custom: Convert = (conversion, { customName, inputs }) => {
  const [boxes = -1, scores = -1, anchors = -1] = inputs;
  if (customName !== 'TFLite_Detection_PostProcess') {
    throw new Error(`Operator ${customName} is not known`);
  }
  conversion.cutDetections([boxes, scores, anchors]);
};

const relu6: Convert = (conversion, { inputs: [input = -1], output }) =>
  conversion.define(output, activate(conversion, ACTIVATION.relu6, conversion.value(input)));

const CONVERTERS: Readonly<Record<number, Convert>> = {
  0: arithmetic('Add'),
  1: pooling('AveragePool'),
  2: concat,
  3: convolution(false),
  4: convolution(true),
  6: dequantize,
  9: fullyConnected,
  14: unary('Sigmoid'),
  17: pooling('MaxPool'),
  18: arithmetic('Mul'),
  19: unary('Relu'),
  21: relu6,
  22: reshape,
  23: resize('linear'),
  25: unary('Softmax', { axis: -1 }),
  32: custom,
  34: pad,
  39: transpose,
  40: mean,
  41: arithmetic('Sub'),
  42: arithmetic('Div'),
  97: resize('nearest'),
  114: dequantize,
  117: unary('HardSwish'),
};
