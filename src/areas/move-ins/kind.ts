import { type Static, Type } from 'typebox';
import { defineOperation, type Operation } from '../../operations/define.ts';
import { runMoveIn } from './jobs.ts';

const Count = Type.Integer({ minimum: 0 });
const MaybeCount = Type.Union([Count, Type.Null()]);

const Payload = Type.Object({
  /** Address of the API of the other server. */
  url: Type.String(),
  /** Id of the account there. */
  userId: Type.String(),
  /** The numbers of things that the account had there when it was checked. */
  found: Type.Object({
    photos: Count,
    videos: Count,
    albums: Count,
    tags: Count,
    people: MaybeCount,
    bytes: MaybeCount,
  }),
});

const Progress = Type.Object({
  /** Photos and videos that the present run has dealt with. */
  assets: Count,
  albums: Count,
  tags: Count,
  /** Files refused by the present run. */
  failures: Count,
  /** The other server does not answer, and is asked again. */
  isAway: Type.Boolean(),
  /** These are of all runs together. */
  taken: Count,
  takenBytes: Count,
  livePhotos: Count,
  stacks: Count,
  albumItems: Count,
  /** These are of the present run. */
  duplicates: Count,
  inTrash: Count,
  others: Count,
  /** Node that was given the API key. */
  keyHolder: Type.Union([Type.String(), Type.Null()]),
});

/** Moves of an account from another server. What was not started yet is prepared, and so is what was paused. */
export const moveInKind = defineOperation({
  name: 'move-in',
  job: runMoveIn,
  payload: Payload,
  progress: Progress,
  start: {
    assets: 0,
    albums: 0,
    tags: 0,
    failures: 0,
    isAway: false,
    taken: 0,
    takenBytes: 0,
    livePhotos: 0,
    stacks: 0,
    albumItems: 0,
    duplicates: 0,
    inTrash: 0,
    others: 0,
    keyHolder: null,
  },
});

export type MoveInProgress = Static<typeof Progress>;
export type MoveInOperation = Operation<Static<typeof Payload>, MoveInProgress>;
