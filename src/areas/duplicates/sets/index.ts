export { saveKeepDecision } from './decisions.store.ts';
export { findSetId, listSetsAround } from './sets.store.ts';
