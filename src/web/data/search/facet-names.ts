import type { FacetField } from './query.ts';

export const FACETS: readonly FacetField[] = [
  'people',
  'country',
  'city',
  'type',
  'isFavorite',
  'tags',
  'rating',
  'model',
];
