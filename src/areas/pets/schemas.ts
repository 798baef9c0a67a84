import { t } from 'elysia';
import { oneOf, Uuid } from '../../http/schemas.ts';

export const PetResponseDto = t.Object(
  {
    id: Uuid,
    name: t.String(),
    species: oneOf(['cat', 'dog', 'bird', 'horse', 'other'], { title: 'PetSpecies' }),
    isConfirmed: t.Boolean(),
    /** Timeline items that show it. */
    assetCount: t.Integer({ minimum: 0 }),
  },
  { title: 'PetResponseDto' },
);
export type Pet = typeof PetResponseDto.static;

export const PetUpdateDto = t.Object(
  {
    name: t.Optional(t.String({ maxLength: 255, pattern: '^[^\\u0000]*$' })),
    isConfirmed: t.Optional(t.Boolean()),
  },
  { title: 'PetUpdateDto' },
);
export type PetUpdate = typeof PetUpdateDto.static;
