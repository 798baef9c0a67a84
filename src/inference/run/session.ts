import { readFileSync } from 'node:fs';
import * as ort from 'onnxruntime-node';
import { releaseGarbage } from '../../core/malloc.ts';
import { releaseBytes } from '../../core/release-bytes.ts';
import { getFirst } from '../../core/required.ts';
import { quantizeKnown } from '../prepare/activation-ranges.ts';
import { describeModel } from '../onnx/describe.ts';
import { type Rewrite, rewriteModel } from '../prepare/editable-graph.ts';
import { keepOutputs } from '../prepare/outputs.ts';
import type { ProviderName } from '../types.ts';

export type Tensor = ort.Tensor;
export type Session = {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Returns whether an input takes int64; int32 otherwise. */
  isLong(input: string): boolean;
  /** `wanted`: names of the outputs that are needed; all of them unless given. */
  run(
    feeds: Readonly<Record<string, ort.Tensor>>,
    wanted?: readonly string[],
  ): Promise<Readonly<Record<string, ort.Tensor>>>;
};

export type SessionOptions = {
  readonly threads: number;
  /** Sessions of pictures that run at once, each with its part of the threads. */
  readonly concurrency: number;
  readonly provider: ProviderName;
  /** Whether the processor computes fast in integers of 8 bits. */
  readonly hasFastIntegers: boolean;
};

export type OpenOptions = {
  /** Selects outputs that will be requested; the others take no memory. */
  readonly wanted?: (output: string) => boolean;
  /** For models with many small runs a second: keeps the memory arena. */
  readonly keepsMemory?: boolean;
  /** Makes an equal model from the file before it is loaded. */
  readonly rewrite?: Rewrite;
  /** The same for a processor that computes convolutions in a blocked layout. */
  readonly rewriteForBlocks?: Rewrite;
  /** Whether it is quantized, too, if its ranges are known and the processor computes fast in integers of 8 bits. */
  readonly isQuantized?: boolean;
};

export type Sessions = {
  /** Loads a model once, and keeps it until its family is released. */
  open(family: string, path: string, options?: OpenOptions): Promise<Session>;
  release(family: string): Promise<void>;
};

/** ONNX Runtime prints a page of warnings about some models: only errors. */
const SEVERITY_ERROR = 3;

/** ONNX Runtime has a blocked layout for every processor of this architecture. */
const hasBlockedLayout = (provider: ProviderName): boolean =>
  provider === 'cpu' && process.arch === 'x64';

export function newSessions(options: SessionOptions): Sessions {
  const { threads, concurrency, provider } = options;
  const families = new Map<string, Map<string, Promise<ort.InferenceSession>>>();

  const create = (family: string, model: string | Uint8Array, keepsMemory: boolean) =>
    // Two signatures of one function.
    ort.InferenceSession.create(model as string, {
      executionProviders: provider === 'cpu' ? ['cpu'] : [provider, 'cpu'],
      // Nothing else runs beside speech.
      intraOpNumThreads: family === 'speech' ? threads : Math.ceil(threads / concurrency),
      interOpNumThreads: 1,
      logSeverityLevel: SEVERITY_ERROR,
      // Both keep what the largest picture needed, for ever.
      enableCpuMemArena: keepsMemory,
      enableMemPattern: false,
      // Threads that spin while they wait take the cores from everybody else.
      extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
    });

  return {
    async open(family, path, openOptions = {}) {
      const models = families.get(family) ?? new Map<string, Promise<ort.InferenceSession>>();
      families.set(family, models);
      let opening = models.get(path);
      if (!opening) {
        const model = readModel(path, openOptions, options);
        // Rewriting leaves several times the size of the file.
        if (typeof model !== 'string') releaseGarbage();
        opening = create(family, model, openOptions.keepsMemory ?? false);
        models.set(path, opening);
        opening.catch(() => models.delete(path));
      }
      const session = await opening;
      return {
        inputs: session.inputNames,
        outputs: session.outputNames,
        isLong: (input) =>
          session.inputMetadata.some(
            (info) => info.name === input && info.isTensor && info.type === 'int64',
          ),
        run: (feeds, wanted) => (wanted ? session.run(feeds, wanted) : session.run(feeds)),
      };
    },
    async release(family) {
      const models = families.get(family);
      families.delete(family);
      for (const opening of models?.values() ?? []) await (await opening).release();
    },
  };
}

/** Returns the file as it is loaded, or its path. */
function readModel(
  path: string,
  { wanted, rewrite, rewriteForBlocks, isQuantized = false }: OpenOptions,
  { provider, hasFastIntegers }: SessionOptions,
): string | Uint8Array {
  if (wanted) return readWanted(path, wanted);
  const rewriteFloats = hasBlockedLayout(provider) ? (rewriteForBlocks ?? rewrite) : rewrite;
  const hasIntegers = isQuantized && provider === 'cpu' && hasFastIntegers;
  if (!rewriteFloats && !hasIntegers) return path;
  const file = readFileSync(path);
  const quantized = hasIntegers ? quantizeKnown(file, rewriteForBlocks ?? rewrite) : undefined;
  return quantized ?? (rewriteFloats ? rewriteModel(file, rewriteFloats) : path);
}

function readWanted(path: string, wanted: (output: string) => boolean): string | Uint8Array {
  const all = describeModel(path).outputs.map(({ name }) => name);
  const names = all.filter(wanted);
  if (names.length === 0 || names.length === all.length) return path;
  return keepOutputs(readFileSync(path), names);
}

export const floats = (values: Float32Array, shape: readonly number[]): ort.Tensor =>
  new ort.Tensor('float32', values, shape);

/** Returns a tensor of int64 or int32. */
export const integers = (values: readonly number[], shape: readonly number[], isLong = true) =>
  isLong
    ? new ort.Tensor('int64', BigInt64Array.from(values, BigInt), shape)
    : new ort.Tensor('int32', Int32Array.from(values), shape);

export const booleans = (value: boolean): ort.Tensor => new ort.Tensor('bool', [value], [1]);

/** Runs a model that has one input, and frees the input. */
export async function feed(
  session: Session,
  input: ort.Tensor,
  wanted?: readonly string[],
): ReturnType<Session['run']> {
  const outputs = await session.run({ [getFirst(session.inputs)]: input }, wanted);
  if (ArrayBuffer.isView(input.data)) releaseBytes(input.data);
  return outputs;
}

/** Throws when the model has no such output, or another type. */
export function toFloats(tensor: ort.Tensor | undefined): Float32Array {
  if (tensor?.data instanceof Float32Array) return tensor.data;
  throw new Error('The model gives no floats where they were expected');
}
