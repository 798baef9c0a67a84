import { t } from 'elysia';
import { stringEnum, Uuid } from '../../http/schemas.ts';
import { AssetResponseDto } from '../assets/index.ts';

const PetSpecies = stringEnum(['cat', 'dog', 'bird', 'horse', 'other'], {
  title: 'PetSpecies',
});
const Name = t.String({ maxLength: 255, pattern: '^[^\\u0000]*$' });

/** Fractions of the displayed picture. */
const Part = t.Number({ minimum: 0, maximum: 1 });
const PetBoxDto = t.Object({ x1: Part, y1: Part, x2: Part, y2: Part }, { title: 'PetBoxDto' });
const SEEN = {
  assetId: Uuid,
  thumbhash: t.Nullable(t.String()),
  /** Width divided by height. */
  ratio: t.Number(),
  box: PetBoxDto,
};

export const PetResponseDto = t.Object(
  {
    id: Uuid,
    name: t.String(),
    species: PetSpecies,
    isConfirmed: t.Boolean(),
    /** Timeline items that show it. */
    assetCount: t.Integer({ minimum: 0 }),
    /** Best observation of the pet. */
    cover: t.Nullable(t.Object(SEEN, { title: 'PetCoverDto' })),
  },
  { title: 'PetResponseDto' },
);
export type Pet = typeof PetResponseDto.static;

export const PetUpdateDto = t.Object(
  { name: t.Optional(Name), isConfirmed: t.Optional(t.Boolean()) },
  { title: 'PetUpdateDto' },
);
export type PetUpdate = typeof PetUpdateDto.static;

export const PetCreateDto = t.Object(
  { name: Name, species: PetSpecies },
  { title: 'PetCreateDto' },
);
export type PetCreate = typeof PetCreateDto.static;

export const PetMergeDto = t.Object(
  { ids: t.Array(Uuid, { minItems: 2, maxItems: 100 }) },
  { title: 'PetMergeDto' },
);

const PetVerdict = stringEnum(['confirmed', 'denied'], { title: 'PetVerdict' });
export const PetObservationResponseDto = t.Object(
  {
    id: Uuid,
    /** Null: the owner denies that it is an animal. */
    petId: t.Nullable(Uuid),
    species: PetSpecies,
    score: t.Number(),
    verdict: t.Nullable(PetVerdict),
    ...SEEN,
  },
  { title: 'PetObservationResponseDto' },
);
export type PetObservation = typeof PetObservationResponseDto.static;

export const PetObservationUpdateDto = t.Object(
  {
    /** Null withdraws the verdict. */
    verdict: t.Nullable(PetVerdict),
    /** A pet of the caller. */
    petId: t.Optional(Uuid),
  },
  { title: 'PetObservationUpdateDto' },
);
export type PetObservationUpdate = typeof PetObservationUpdateDto.static;

export const ObservationsQuery = t.Object({ assetId: Uuid });
export const UnconfirmedQuery = t.Object({
  size: t.Optional(t.Integer({ minimum: 1, maximum: 100 })),
});
export const PetAssetsQuery = t.Object({
  cursor: t.Optional(t.String({ maxLength: 200 })),
  size: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
});
export type PetAssetsFilter = typeof PetAssetsQuery.static;
export const PetAssetsResponseDto = t.Object(
  { items: t.Array(AssetResponseDto), nextCursor: t.Nullable(t.String()) },
  { title: 'PetAssetsResponseDto' },
);
export type PetAssets = typeof PetAssetsResponseDto.static;
