import { prepareModels } from '../../src/inference/preparation.ts';
import { newSessions, type Sessions } from '../../src/inference/run/session.ts';
import { MODELS } from './models.ts';

/** Sessions in this process, of the real models as they are prepared for such a processor. */
export async function openSessions(hasFastIntegers: boolean): Promise<Sessions> {
  const machine = { provider: 'cpu', hasFastIntegers } as const;
  const folders = [MODELS!];
  const faults = await prepareModels(folders, machine);
  for (const fault of faults.values()) throw fault;
  return newSessions({ threads: 1, concurrency: 1, machine, folders, published: [] });
}
