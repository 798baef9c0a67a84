import { readStorage, writeStorage } from '../../base/storage.ts';

const MAX_KEPT = 6;
const toKey = (accountId: string) => `recent-searches:${accountId}`;

/** Latest first. They stay in this browser, until the account logs out. */
export function listRecentSearches(accountId: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(readStorage(toKey(accountId)) ?? '[]');
    return Array.isArray(list) ? list.filter((words) => typeof words === 'string') : [];
  } catch {
    return [];
  }
}

export function rememberSearch(accountId: string, words: string): void {
  const others = listRecentSearches(accountId).filter((other) => other !== words);
  writeStorage(toKey(accountId), JSON.stringify([words, ...others].slice(0, MAX_KEPT)));
}

export const forgetSearches = (accountId: string): void =>
  writeStorage(toKey(accountId), undefined);
