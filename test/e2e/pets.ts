import { petsSink } from '../../src/areas/pets/sink.ts';
import type { Stage } from './stage.ts';

/** Keeps what a model sees as the job does that lets it look at a picture. */
export async function addPets(
  { api, database }: Stage,
  assetId: string,
  score: number,
  ...seen: [label: string, x: number][]
): Promise<void> {
  const { ownerId } = await api('GET', `/assets/${assetId}`);
  const objects = seen.map(([label, x]) => ({
    label,
    score,
    box: { x1: x, y1: 0.2, x2: x + 0.25, y2: 0.7 },
  }));
  const asset = { assetId, ownerId, type: 'IMAGE', picture: { width: 900, height: 600 } } as const;
  await database.db.transaction((tx) =>
    petsSink.store(tx, asset, objects, { modelId: 'test', dimension: 0 }),
  );
}
