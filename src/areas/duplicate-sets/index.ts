export { assignDuplicateId } from './assignment.domain.ts';
export { saveKeepDecision } from './decisions.store.ts';
export { isAlike, SURE } from './likeness.ts';
export { findSetId, listSetsAround } from './sets.store.ts';
