import { expect, test } from 'bun:test';
import type { Filter } from '../../data/timeline/timeline-data.ts';
import { listActionNames, listBarNames } from './action-names.ts';

const SELECTED = { own: 2, all: 2, may: { download: true, info: true }, hasCopiedEdits: true };

/** The actions of the bar and of its menu, for two selected photos. */
function list(filter: Filter, selected: Partial<typeof SELECTED> = {}) {
  const names = listActionNames({ filter, ...SELECTED, ...selected });
  const inBar = listBarNames(names);
  return {
    bar: names.filter((name) => inBar.has(name)),
    menu: names.filter((name) => !inBar.has(name)),
  };
}

test('the bar has the five actions that are wanted most, and its menu all others', () => {
  const { bar, menu } = list({});
  expect(bar).toEqual(['favorite', 'album', 'archive', 'link', 'trash']);
  expect(menu).toEqual([
    'tag',
    'metadata',
    'pasteEdits',
    'stack',
    'compare',
    'lock',
    'memory',
    'download',
  ]);
});

test('what a place is for is in the bar there', () => {
  expect(list({ albumId: 'a' }).bar).toEqual(['favorite', 'album', 'takeOut', 'link', 'trash']);
  expect(list({ tagId: 't' }).bar).toEqual(['favorite', 'album', 'untag', 'link', 'trash']);
  expect(list({ visibility: 'archive' }).bar).toContain('unarchive');
  expect(list({ visibility: 'locked' }).bar).toEqual(['favorite', 'unlock', 'download', 'trash']);
});

test('a few actions need no menu', () => {
  expect(list({ isTrashed: true })).toEqual({ bar: ['restore', 'delete'], menu: [] });
  expect(list({}, { own: 0, hasCopiedEdits: false })).toEqual({
    bar: ['album', 'compare', 'save', 'download'],
    menu: [],
  });
});

test('photos of others offer no change of them', () => {
  const { bar, menu } = list({}, { own: 0 });
  for (const name of ['favorite', 'tag', 'metadata', 'archive', 'lock', 'link', 'trash'] as const) {
    expect([...bar, ...menu]).not.toContain(name);
  }
});
