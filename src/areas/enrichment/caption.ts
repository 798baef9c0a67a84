import type { DetectedObject, Label } from '../../inference/types.ts';

export type Seen = {
  readonly objects: readonly DetectedObject[];
  readonly labels: readonly Label[];
};

const SURE_OBJECT = 0.4;
const SURE_LABEL = 0.3;
const MOST_OBJECTS = 4;
const MOST_LABELS = 2;
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
 * In plain words, as 'A dog and 2 people, seashore'; null: nothing is recognised. Without the place: who
 * may see the video may not always know where it was recorded.
 */
export function captionOf({ objects, labels }: Seen): string | null {
  const counts = new Map<string, number>();
  for (const { label, score } of objects) {
    if (score >= SURE_OBJECT) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const things = [...counts].slice(0, MOST_OBJECTS).map(([label, count]) => counted(label, count));
  const kinds = labels
    .filter(({ label, score }) => score >= SURE_LABEL && !counts.has(label))
    .slice(0, MOST_LABELS)
    .map(({ label }) => label.replaceAll('_', ' '));
  const said = [...(things.length > 0 ? [listed(things)] : []), ...kinds];
  if (said.length === 0) return null;
  const text = said.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const counted = (label: string, count: number) =>
  count > 1
    ? `${count} ${PLURALS[label] ?? `${label}s`}`
    : `${/^[aeiou]/.test(label) ? 'an' : 'a'} ${label}`;

const listed = (things: readonly string[]) =>
  things.length === 1 ? things[0]! : `${things.slice(0, -1).join(', ')} and ${things.at(-1)}`;
