import { Type } from 'typebox';
import { defineOperation } from '../../../operations/define.ts';
import { moveItems } from '../jobs.ts';

const Move = Type.Union([Type.Literal('trash'), Type.Literal('restore'), Type.Literal('delete')]);

/**
 * Moves of many items to the trash, from it, or out of the library. `createdAt` becomes `trashed_at` of all that are
 * trashed. They are deleted at their end: nobody asks for them.
 */
export const moveKind = defineOperation({
  name: 'move',
  job: moveItems,
  payload: Type.Object({ action: Move }),
  progress: Type.Object({}),
  start: {},
});
