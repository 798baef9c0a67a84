export { assignDuplicateId } from './assignment.domain.ts';
export { saveKeepDecision } from './decisions.store.ts';
export { isCopy, type Likeness, LIKENESSES } from './grouping.ts';
export { isAlike, SURE } from './likeness.ts';
export {
  type DuplicateSet,
  findSetId,
  isOfDuplicates,
  listSets,
  listSetsAround,
} from './sets.store.ts';
