import type { DetectedObject, Label } from '../../../inference/types.ts';

export type DetectedContent = {
  readonly objects: readonly DetectedObject[];
  readonly labels: readonly Label[];
};

const MIN_OBJECT_SCORE = 0.4;
const MIN_LABEL_SCORE = 0.3;
const MAX_OBJECTS = 4;
const MAX_LABELS = 2;
const PLURALS: Readonly<Record<string, string>> = {
  person: 'people',
  knife: 'knives',
  mouse: 'mice',
  sheep: 'sheep',
  skis: 'skis',
  scissors: 'scissors',
  bus: 'buses',
  bench: 'benches',
  couch: 'couches',
  sandwich: 'sandwiches',
  toothbrush: 'toothbrushes',
};

/**
 * Returns a caption such as 'A dog and 2 people, seashore'; null when nothing was recognized.
 * Without the place: not every viewer of the video may know it.
 */
export function createCaption({ objects, labels }: DetectedContent): string | null {
  const counts = new Map<string, number>();
  for (const { label, score } of objects) {
    if (score >= MIN_OBJECT_SCORE) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const things = [...counts]
    .slice(0, MAX_OBJECTS)
    .map(([label, count]) => formatCount(label, count));
  const kinds = labels
    .filter(({ label, score }) => score >= MIN_LABEL_SCORE && !counts.has(label))
    .slice(0, MAX_LABELS)
    .map(({ label }) => label.replaceAll('_', ' '));
  const parts = [...(things.length > 0 ? [joinWithAnd(things)] : []), ...kinds];
  if (parts.length === 0) return null;
  const text = parts.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const formatCount = (label: string, count: number) =>
  count > 1
    ? `${count} ${PLURALS[label] ?? `${label}s`}`
    : `${/^[aeiou]/.test(label) ? 'an' : 'a'} ${label}`;

const joinWithAnd = (things: readonly string[]) =>
  [things.slice(0, -1).join(', '), things.at(-1)].filter(Boolean).join(' and ');
