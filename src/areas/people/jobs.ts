import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** The picture of a person, cut from the photo with the chosen or the best face. */
export const renderPerson = defineJob({
  name: 'people.render',
  queue: 'thumbnailGeneration',
  lane: 'image',
  payload: Type.Object({ personId: Type.String({ format: 'uuid' }) }),
  attempts: 3,
  uniqueKey: ({ personId }) => personId,
});

/** Finds out whose the faces are that wait for it. */
export const clusterFaces = defineJob({
  name: 'people.cluster',
  queue: 'facialRecognition',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 3,
  everyMinutes: 1,
  uniqueKey: () => 'all',
});

/** Lets every face wait again of which the owner has not said whose it is. */
export const forgetClusters = defineJob({
  name: 'people.forgetClusters',
  queue: 'facialRecognition',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 5,
  uniqueKey: () => 'all',
});

/** Folds the delta rows of person_count together. */
export const foldPersonCounts = defineJob({
  name: 'people.foldCounts',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 1,
  everyMinutes: 1,
  uniqueKey: () => 'all',
});
