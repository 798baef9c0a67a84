import { Type } from 'typebox';
import { defineJob, defineRound } from '../../jobs/define.ts';

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
export const clusterFaces = defineRound({
  name: 'people.cluster',
  queue: 'facialRecognition',
  attempts: 3,
  everyMinutes: 1,
});

/** Lets every face wait again of which the owner has not said whose it is. */
export const reclusterAll = defineJob({
  name: 'people.forgetClusters',
  queue: 'facialRecognition',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 5,
  uniqueKey: () => 'all',
});

/** Folds the delta rows of person_count together. */
export const foldPersonCounts = defineRound({
  name: 'people.foldCounts',
  attempts: 1,
  everyMinutes: 1,
});
