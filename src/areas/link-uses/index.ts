export { countLinkUse } from './uses.domain.ts';
export { type LinkUse, listLinkUses } from './uses.store.ts';
