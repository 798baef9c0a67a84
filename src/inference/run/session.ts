import * as ort from 'onnxruntime-node';
import { releaseBytes } from '../../core/release-bytes.ts';
import { getFirst } from '../../core/required.ts';
import { ModelUnprepared } from '../errors.ts';
import { chooseRecipe, findPrepared, type Machine, type ModelUse } from '../models/prepared.ts';

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
  readonly machine: Machine;
  /** Folders of models: prepared files are looked for beside them. */
  readonly folders: readonly string[];
  /** Files that are run as they were published, because they could not be prepared. */
  readonly published: readonly string[];
};

export type OpenOptions = {
  /** For models with many small runs a second: keeps the memory arena. */
  readonly keepsMemory?: boolean;
  /** The file is prepared for it, and for the machine. */
  readonly use?: ModelUse;
};

export type Sessions = {
  /** Loads a model once, and keeps it until its family is released. Throws ModelUnprepared. */
  open(family: string, path: string, options?: OpenOptions): Promise<Session>;
  release(family: string): Promise<void>;
};

/** ONNX Runtime prints a page of warnings about some models: only errors. */
const SEVERITY_ERROR = 3;

export function newSessions(options: SessionOptions): Sessions {
  const { threads, concurrency, machine, folders, published } = options;
  const { provider } = machine;
  const families = new Map<string, Map<string, Promise<ort.InferenceSession>>>();

  const create = (family: string, model: string, keepsMemory: boolean) =>
    ort.InferenceSession.create(model, {
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

  /** Returns the file to run. */
  async function findFile(path: string, use: ModelUse | undefined): Promise<string> {
    const recipe = use && !published.includes(path) ? chooseRecipe(use, machine) : undefined;
    const file = recipe ? await findPrepared(folders, path, recipe) : path;
    if (file === undefined) throw new ModelUnprepared(path, machine);
    return file;
  }

  return {
    async open(family, path, { use, keepsMemory = false } = {}) {
      const models = families.get(family) ?? new Map<string, Promise<ort.InferenceSession>>();
      families.set(family, models);
      let opening = models.get(path);
      if (!opening) {
        opening = findFile(path, use).then((file) => create(family, file, keepsMemory));
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
