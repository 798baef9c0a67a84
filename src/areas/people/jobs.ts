import { sql } from 'drizzle-orm';
import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';
import { hasUnfolded } from './counts.store.ts';

/** Assigns unclustered faces to people. */
export const clusterFaces = definePeriodicJob({
  name: 'people.cluster',
  queue: 'facialRecognition',
  // The first one may have to load all vectors from a slow disk.
  timeLimitMs: 30 * 60_000,
  attempts: 3,
  everyMinutes: 1,
  hasWork: sql`exists (select from face where clustered_at is null)`,
});

/** Requeues all faces that the owner has not assigned, of all accounts or of a cluster group. */
export const reclusterAll = defineJob({
  name: 'people.reclusterAll',
  queue: 'facialRecognition',
  lane: 'background',
  payload: Type.Object({ clusterGroupId: Type.Optional(Type.String({ format: 'uuid' })) }),
  attempts: 5,
  uniqueKey: ({ clusterGroupId = 'all' }) => clusterGroupId,
});

/** Deletes the people of an account without faces whom nobody has decided about. */
export const cleanUpPeople = defineJob({
  name: 'people.cleanUp',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({ ownerId: Type.String({ format: 'uuid' }) }),
  attempts: 3,
  uniqueKey: ({ ownerId }) => ownerId,
});

/** Folds the delta rows of person_count together. */
export const foldPersonCounts = definePeriodicJob({
  name: 'people.foldCounts',
  attempts: 1,
  everyMinutes: 1,
  hasWork: hasUnfolded,
});
