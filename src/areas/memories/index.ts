export { DOCUMENT_CHARACTERS } from './generation/candidates.store.ts';
export {
  findOwnMemory,
  listVisibleMemoryAssets,
  type OwnMemory,
  getMemoryCards,
  type MemoryCard,
} from './visible.domain.ts';
export { isWanted, showsNobodyUnwanted } from './show-less/rules.store.ts';
export { mergePetMemories } from './show-less/store.ts';
export { cleanMemories, generateAllMemories } from './jobs.ts';
