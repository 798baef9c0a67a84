import type { Db } from '../../db/client.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { ImmichAsset } from '../imports/index.ts';
import { listNamedFaces, type NamedFace } from './faces.ts';
import { insertFaces } from './faces.store.ts';
import { nameFaces } from './jobs.ts';

/** Faces of one statement. */
const BATCH = 1000;

/** Keeps the faces with names of a server for the people here, while a command takes it in. */
export function keepNamedFaces(db: Db) {
  let faces: NamedFace[] = [];
  let saving = Promise.resolve();
  const save = () => {
    const part = faces;
    faces = [];
    saving = saving.then(() => insertFaces(db, part));
    // Awaited at the end.
    saving.catch(() => {});
  };
  return {
    add: (assetId: string, asset: ImmichAsset): void => {
      faces.push(...listNamedFaces(assetId, asset));
      if (faces.length >= BATCH) save();
    },
    async finish(): Promise<void> {
      save();
      await saving;
      await enqueue(db, nameFaces, {});
    },
  };
}
