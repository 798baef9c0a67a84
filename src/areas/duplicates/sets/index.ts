export { saveKeepDecision } from './decisions.store.ts';
export { SURE } from './likeness.ts';
export { findSetId, listSetsAround } from './sets.store.ts';
