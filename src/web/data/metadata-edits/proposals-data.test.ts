import { expect, test } from 'bun:test';
import { groupByDay, type ProposalItem } from './proposals-data.ts';

const item = (assetId: string, taken: string, proposed?: string): ProposalItem => ({
  assetId,
  originalFileName: `${assetId}.jpg`,
  localDateTime: `${taken}T10:00:00.000Z`,
  proposal:
    proposed === undefined
      ? null
      : {
          source: 'fileName',
          localDateTime: `${proposed}T12:00:00.000Z`,
          timeZone: null,
          latitude: null,
          longitude: null,
          city: null,
          state: null,
          country: null,
        },
});

test('items are grouped by the proposed day, those without a proposal come last', () => {
  const items = [
    item('a', '2024-01-01'),
    item('b', '2024-01-01', '2019-08-12'),
    item('c', '2024-01-02', '2019-08-12'),
  ];
  const groups = groupByDay('date', items).map(({ day, items: members }) => [
    day,
    members.map(({ assetId }) => assetId).join(''),
  ]);
  expect(groups).toEqual([
    ['2019-08-12', 'bc'],
    [undefined, 'a'],
  ]);
  expect(groupByDay('place', items).map(({ day }) => day)).toEqual([
    '2024-01-01',
    '2024-01-02',
    undefined,
  ]);
});
