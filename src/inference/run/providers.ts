import { existsSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { newGraph } from '../onnx/graph.ts';
import type { ProviderName, Providers } from '../types.ts';

/**
 * Returns the first provider that computes correctly. Tried one by one: a list fails as a whole
 * when the first cannot be loaded. `onTry` is called before each, because drivers may crash the
 * process.
 */
export async function probeProviders(
  order: readonly ProviderName[],
  onTry: (name: ProviderName) => void,
): Promise<Providers> {
  const tried: { name: ProviderName; error: string | undefined }[] = [];
  const model = buildDoublingModel();
  for (const name of order) {
    onTry(name);
    const error =
      name === 'cpu'
        ? undefined
        : hasDevice(name)
          ? await tryProvider(name, model)
          : 'there is no such device';
    tried.push({ name, error });
    if (error === undefined) return { used: name, tried };
  }
  return { used: 'cpu', tried };
}

const MOST_DEVICES = 16;

/** Checked first: libraries print pages of errors without a device. */
function hasDevice(name: ProviderName): boolean {
  // By name: this process may not list /dev.
  const isThere = Array.from({ length: MOST_DEVICES }, (_, index) =>
    name === 'cuda' ? `/dev/nvidia${index}` : `/dev/dri/renderD${128 + index}`,
  ).some((path) => existsSync(path));
  // Containers are given an NVIDIA card without its node of the rendering system.
  return isThere || (name === 'webgpu' && hasDevice('cuda'));
}

async function tryProvider(name: ProviderName, model: Uint8Array): Promise<string | undefined> {
  try {
    const session = await InferenceSession.create(model, {
      executionProviders: [name],
      logSeverityLevel: 3,
    });
    const { y } = await session.run({ x: new Tensor('float32', Float32Array.of(1, 2), [2]) });
    await session.release();
    return y?.data[1] === 4 ? undefined : 'it computes wrong results';
  } catch (error) {
    return (error as Error).message.split('\n')[0]?.slice(0, 200) ?? 'it cannot be loaded';
  }
}

/** y = x + x */
function buildDoublingModel(): Uint8Array {
  const graph = newGraph();
  graph.input('x', [2]);
  graph.node('Add', ['x', 'x'], { outputs: ['y'] });
  graph.output('y', [2]);
  return graph.finish();
}
