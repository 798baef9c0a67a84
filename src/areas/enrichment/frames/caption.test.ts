import { expect, test } from 'bun:test';
import { createCaption } from './caption.ts';

const box = { x1: 0, y1: 0, x2: 1, y2: 1 };
const thing = (label: string, score = 0.9) => ({ label, score, box });

test('captions count objects and append labels', () => {
  const objects = [thing('dog'), thing('person'), thing('person'), thing('car', 0.2)];
  const labels = [
    { label: 'seashore', score: 0.6 },
    { label: 'dog', score: 0.5 },
    { label: 'lakeside', score: 0.1 },
  ];
  expect(createCaption({ objects, labels })).toBe('A dog and 2 people, seashore');
  expect(createCaption({ objects: [thing('umbrella')], labels: [] })).toBe('An umbrella');
});

test('there is no caption without recognized content', () => {
  expect(createCaption({ objects: [], labels: [] })).toBeNull();
});
