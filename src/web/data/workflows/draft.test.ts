import { describe, expect, test } from 'bun:test';
import { listMethods } from '../../../areas/workflows/plugins/plugins.domain.ts';
import { ApiError } from '../../base/api.ts';
import {
  type Draft,
  type DraftAction,
  EMPTY_DRAFT,
  isSameDraft,
  mergeFaults,
  parseShare,
  reduceDraft,
  toBody,
  toDraft,
  toFaults,
} from './draft.ts';

const find = (name: string) => listMethods({ name })[0]!;
const write = (...actions: DraftAction[]): Draft => actions.reduce(reduceDraft, EMPTY_DRAFT);
const listSteps = ({ steps }: Draft) => steps.map(({ method }) => method.split('#')[1]);
const add = (name: string): DraftAction => ({ type: 'add', method: find(name) });

const three = write(add('assetFileFilter'), add('assetArchive'), add('assetAddTags'));

describe('the reducer of a draft', () => {
  test('adds a step with the defaults of its schema', () => {
    expect(three.steps[0]).toEqual({
      id: 1,
      method: 'immich-plugin-core#assetFileFilter',
      config: { pattern: '', matchType: 'contains', caseSensitive: false },
      isEnabled: true,
    });
    expect(three.steps[2]!.config).toEqual({ tags: [] });
  });

  test('moves a step, and not past the ends', () => {
    const up = reduceDraft(three, { type: 'move', id: 3, by: -1 });
    expect(listSteps(up)).toEqual(['assetFileFilter', 'assetAddTags', 'assetArchive']);
    expect(reduceDraft(three, { type: 'move', id: 1, by: -1 }).steps).toEqual(three.steps);
    expect(reduceDraft(three, { type: 'move', id: 3, by: 1 }).steps).toEqual(three.steps);
  });

  test('changes and removes only the step that is named', () => {
    const off = reduceDraft(three, { type: 'change-step', id: 2, change: { isEnabled: false } });
    expect(off.steps.map(({ isEnabled }) => isEnabled)).toEqual([true, false, true]);
    const two = reduceDraft(three, { type: 'remove', id: 2 });
    expect(listSteps(two)).toEqual(['assetFileFilter', 'assetAddTags']);
    expect(reduceDraft(two, add('assetLock')).steps.at(-1)!.id).toBe(4);
  });
});

test('a draft is sent with empty texts as null', () => {
  const draft = reduceDraft(three, { type: 'change', change: { name: ' Sea ', description: ' ' } });
  expect(toBody(draft)).toMatchObject({ name: 'Sea', description: null, logging: true });
  expect(toDraft({ ...toBody(draft), name: 'Sea', description: null, steps: [] }).name).toBe('Sea');
});

test('an exported workflow is read, and nothing else', () => {
  const steps = [
    { method: 'a#b', config: { x: 1 }, enabled: false },
    { method: 'a#c', config: null },
  ];
  const share = { trigger: 'AssetTagged', name: null, description: 'Why', steps };
  expect(parseShare(JSON.stringify(share))).toEqual({
    name: '',
    description: 'Why',
    trigger: 'AssetTagged',
    isLogging: true,
    steps: [
      { id: 1, method: 'a#b', config: { x: 1 }, isEnabled: false },
      { id: 2, method: 'a#c', config: {}, isEnabled: true },
    ],
  });
  const others = [
    'no JSON',
    '[]',
    '{}',
    JSON.stringify({ ...share, trigger: 'constructor' }),
    JSON.stringify({ ...share, steps: [{ config: {} }] }),
    JSON.stringify({ ...share, steps: [{ method: 'a#b', config: [] }] }),
    JSON.stringify({ ...share, name: 5 }),
  ];
  for (const text of others) expect(() => parseShare(text)).toThrow('This file holds no workflow.');
});

test('faults are told at the step that the server names, also after steps were moved', () => {
  const moved = reduceDraft(three, { type: 'move', id: 1, by: 1 });
  const error = new ApiError(400, 'Bad', {
    'steps.1.config.pattern': 'is too long',
    'steps.1.method': 'Unknown method',
  });
  const faults = toFaults(error, moved.steps);
  expect([...faults.steps]).toEqual([[1, ['Text: is too long', 'Unknown method']]]);
  expect(faults.text).toBeUndefined();
  expect(toFaults(new Error('No server'), moved.steps)).toEqual({
    steps: new Map(),
    text: 'No server',
  });
  expect(toFaults(new ApiError(400, 'Name', { name: 'is too long' }), moved.steps).text).toBe(
    'Name',
  );
});

test('faults of a save and of the preview are told together, the same one once', () => {
  const one = { steps: new Map([[1, ['Needed']]]), text: undefined };
  const other = {
    steps: new Map([
      [1, ['Needed', 'Too long']],
      [2, ['Unknown']],
    ]),
    text: 'Later',
  };
  expect(mergeFaults(one, other)).toEqual({
    steps: new Map([
      [1, ['Needed', 'Too long']],
      [2, ['Unknown']],
    ]),
    text: 'Later',
  });
});

test('a draft is the same until something that the server stores is another', () => {
  expect(isSameDraft(three, reduceDraft(three, { type: 'change', change: {} }))).toBe(true);
  expect(isSameDraft(three, { ...three, name: ' ' })).toBe(true);
  expect(isSameDraft(three, reduceDraft(three, { type: 'move', id: 1, by: 1 }))).toBe(false);
});
