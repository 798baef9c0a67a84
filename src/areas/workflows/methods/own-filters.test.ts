import { describe, expect, test } from 'bun:test';
import { AppError } from '../../../core/errors.ts';
import { requireValidSteps } from '../definition.ts';
import type { Facts } from '../runs/facts.ts';
import { findMethod } from './catalogue.ts';
import { fillTemplate } from './name-template.ts';

const FACTS: Facts = {
  id: 'a',
  type: 'IMAGE',
  fileName: 'DJI_0001.JPG',
  fileSize: 5_000_000,
  visibility: 'timeline',
  isFavorite: false,
  localTakenAt: '2024-03-09T10:00:00',
  takenAt: new Date(Date.now() - 10 * 24 * 60 * 60_000),
  width: 4000,
  height: 3000,
  durationMs: null,
  make: 'DJI',
  model: 'FC3582',
  lensModel: null,
  timeZone: null,
  latitude: null,
  longitude: null,
  city: 'Berlin',
  state: null,
  country: 'Germany',
  description: '',
  uploadedFrom: 'iPhone 15 iOS',
  rating: 4,
  tags: new Set(),
  albums: new Set(['11111111-1111-4111-8111-111111111111']),
  people: new Set(),
  pets: new Set(['22222222-2222-4222-8222-222222222222']),
  text: 'rechnung nr. 5 cafe',
  similarities: new Map([['a dog', { cosine: 0.6, typical: 0.65 }]]),
};
const [album, pet] = [[...FACTS.albums][0]!, [...FACTS.pets][0]!];
const other = '33333333-3333-4333-8333-333333333333';

const toStep = (name: string, config: object) => ({
  method: `safelight#${name}`,
  config: config as Record<string, unknown>,
  enabled: true,
});

/** Returns whether a filter lets the item pass, as a run would. */
function matches(name: string, config: object, facts: Partial<Facts> = {}): boolean {
  requireValidSteps([toStep(name, config)]);
  const method = findMethod(`safelight#${name}`);
  if (method?.kind !== 'filter') throw new Error(`no filter ${name}`);
  return method.compile(config as never)({ ...FACTS, ...facts });
}

function findRefusal(name: string, config: object): string | undefined {
  try {
    requireValidSteps([toStep(name, config)]);
    return undefined;
  } catch (error) {
    const [first] = (error as AppError).detail['errors'] as { path: string[]; message: string }[];
    return `${first!.path.join('.')}: ${first!.message}`;
  }
}

describe('filters', () => {
  test.each([
    ['extensionFilter', { extensions: ['jpg', '.png'] }, {}, true],
    ['extensionFilter', { extensions: ['pg'] }, {}, false],
    ['extensionFilter', { extensions: [] }, {}, false],
    ['cameraFilter', { pattern: 'dji' }, {}, true],
    ['cameraFilter', { pattern: 'DJI FC3582', matchType: 'exact' }, {}, true],
    ['deviceFilter', { pattern: 'iphone' }, {}, true],
    ['deviceFilter', { pattern: 'ios$', matchType: 'regex' }, {}, true],
    ['deviceFilter', { pattern: 'Android' }, {}, false],
    ['deviceFilter', { pattern: '.*', matchType: 'regex' }, { uploadedFrom: '' }, false],
    ['cameraFilter', { pattern: 'Canon' }, {}, false],
    ['cameraFilter', { pattern: 'Canon' }, { make: null, model: null }, false],
    ['sizeFilter', { min: 5, max: 5 }, {}, true],
    ['sizeFilter', { min: 5.1 }, {}, false],
    ['sizeFilter', {}, {}, true],
    ['dimensionsFilter', { min: 4000 }, {}, true],
    ['dimensionsFilter', { min: 4001 }, {}, false],
    ['dimensionsFilter', { shape: 'landscape' }, {}, true],
    ['dimensionsFilter', { shape: 'portrait' }, {}, false],
    ['dimensionsFilter', {}, { width: null }, false],
    ['durationFilter', { max: 10 }, {}, false],
    ['durationFilter', { max: 10 }, { type: 'VIDEO', durationMs: 10_000 }, true],
    ['durationFilter', { max: 10 }, { type: 'IMAGE', durationMs: 1500 }, false],
    ['weekdayFilter', { weekdays: ['saturday'] }, {}, true],
    ['weekdayFilter', { weekdays: ['friday', 'sunday'] }, {}, false],
    ['ageFilter', { min: 9, max: 11 }, {}, true],
    ['ageFilter', { max: 9 }, {}, false],
    ['favoriteFilter', {}, {}, false],
    ['favoriteFilter', { inverse: true }, {}, true],
    ['ratingFilter', { min: 4 }, {}, true],
    ['ratingFilter', { min: 5 }, {}, false],
    ['ratingFilter', {}, { rating: null }, false],
    ['albumFilter', { albumIds: [album] }, {}, true],
    ['albumFilter', { albumIds: [other] }, {}, false],
    ['albumFilter', { albumIds: [other], inverse: true }, {}, true],
    ['petFilter', { petIds: [pet] }, {}, true],
    ['petFilter', { petIds: [other] }, {}, false],
    ['textFilter', { pattern: 'Café' }, {}, true],
    ['textFilter', { pattern: 'invoice' }, {}, false],
    ['documentFilter', {}, {}, false],
    ['documentFilter', {}, { text: 'a'.repeat(60) }, true],
    ['documentFilter', { inverse: true }, {}, true],
  ] as const)('%s %j', (name, config, facts, expected) => {
    expect(matches(name, config, facts)).toBe(expected);
  });
});

describe('groups', () => {
  const yes = { method: 'safelight#ratingFilter', config: { min: 1 } };
  const no = { method: 'safelight#ratingFilter', config: { min: 5 } };
  test.each([
    ['all', [yes, yes], true],
    ['all', [yes, no], false],
    ['all', [], true],
    ['any', [yes, no], true],
    ['any', [no], false],
    ['any', [], false],
    ['none', [no], true],
    ['none', [yes, no], false],
  ] as const)('%s of %j', (combine, filters, expected) => {
    expect(matches('groupFilter', { combine, filters })).toBe(expected);
  });

  test('contain groups, and need what their filters need', () => {
    const inner = {
      method: 'safelight#groupFilter',
      config: {
        combine: 'any',
        filters: [
          no,
          { method: 'safelight#petFilter', config: { petIds: [pet] } },
          { method: 'safelight#textFilter', config: { pattern: 'x' } },
          { method: 'safelight#likenessFilter', config: { sentence: 'a dog' } },
        ],
      },
    };
    const config = { combine: 'all', filters: [yes, inner] };
    expect(matches('groupFilter', config)).toBe(true);
    const method = findMethod('safelight#groupFilter');
    if (method?.kind !== 'filter') throw new Error('no group');
    expect<object>(method.getNeeds(config as never)).toEqual({
      groups: ['pets'],
      tasks: ['objects', 'text', 'embedding'],
      sentences: ['a dog'],
    });
  });

  test('refuse actions, unknown methods, invalid configurations and endless nesting', () => {
    const within = (filter: object) =>
      findRefusal('groupFilter', { combine: 'all', filters: [filter] });
    expect(within({ method: 'immich-plugin-core#assetArchive' })).toContain('Not a filter');
    expect(within({ method: 'nothing' })).toContain('steps.0.config.filters.0: Not a filter');
    expect(within({ method: 'safelight#textFilter', config: {} })).toContain(
      'steps.0.config.filters.0.config',
    );
    const sentences = Array.from({ length: 21 }, (_, at) => ({
      method: 'safelight#likenessFilter',
      config: { sentence: `a dog ${at}` },
    }));
    expect(findRefusal('groupFilter', { combine: 'any', filters: sentences })).toBe(
      'steps: At most 20 different sentences',
    );
    let nested: object = yes;
    for (let level = 0; level < 20; level++) {
      nested = { method: 'safelight#groupFilter', config: { combine: 'all', filters: [nested] } };
    }
    expect(within(nested)).toContain('Not a filter');
  });
});

describe('templates of names', () => {
  test('are filled in; an item that lacks a value has no name', () => {
    expect(fillTemplate('{{year}}/{{ month }} {{city}}', FACTS)).toBe('2024/03 Berlin');
    expect(fillTemplate('{{make}} in {{country}}', FACTS)).toBe('DJI in Germany');
    expect(fillTemplate('{{state}} {{year}}', FACTS)).toBeUndefined();
    expect(fillTemplate('  ', FACTS)).toBeUndefined();
    expect(fillTemplate('{{city}}', { ...FACTS, city: '{{year}}' })).toBe('{{year}}');
  });

  test('with unknown placeholders are refused', () => {
    expect(findRefusal('addToNamedAlbum', { name: '{{yeer}}' })).toBe(
      'steps.0.config.name: Unknown placeholder {{yeer}}',
    );
    expect(findRefusal('addToNamedAlbum', { name: '{{constructor}}' })).toContain('Unknown');
    expect(findRefusal('addNamedTags', { tags: ['a', '{{}}'] })).toContain('steps.0.config.tags.1');
    expect(findRefusal('addToNamedAlbum', { name: '{{year}}' })).toBeUndefined();
  });
});
