import { t } from 'elysia';
import { stringEnum, Uuid } from '../../http/schemas.ts';
import { UserResponseDto } from '../users/index.ts';

/** 'shared-by': accounts that see the caller's Timeline; 'shared-with': accounts whose Timelines the caller sees. */
export const PartnerDirection = stringEnum(['shared-by', 'shared-with'], {
  title: 'PartnerDirection',
});
export type Direction = typeof PartnerDirection.static;
export const PartnerQuery = t.Object({ direction: PartnerDirection });

const HidesPlaces = t.Boolean({
  description:
    'Hides where the items were taken from the partner: no places, and no originals, which contain them.',
});

const SharedFrom = t.String({
  format: 'date',
  description:
    'First day of capture, by the local time of each item, that the partner sees. Earlier items are shared by albums only.',
});

/** The other account, in either direction. */
export const PartnerResponseDto = t.Object(
  {
    ...UserResponseDto.properties,
    inTimeline: t.Optional(t.Boolean()),
    hidesPlaces: t.Optional(HidesPlaces),
    sharedFrom: t.Optional(SharedFrom),
  },
  { title: 'PartnerResponseDto' },
);
export type Partner = typeof PartnerResponseDto.static;

export const PartnerCreateDto = t.Object(
  { sharedWithId: Uuid, hidesPlaces: t.Optional(HidesPlaces), sharedFrom: t.Optional(SharedFrom) },
  { title: 'PartnerCreateDto' },
);
export type PartnerCreate = typeof PartnerCreateDto.static;

/** `inTimeline` belongs to the viewer, the rest to the account that shares. `sharedFrom: null` shows all. */
export const PartnerUpdateDto = t.Object(
  {
    inTimeline: t.Optional(t.Boolean()),
    hidesPlaces: t.Optional(HidesPlaces),
    sharedFrom: t.Optional(t.Nullable(SharedFrom)),
  },
  { title: 'PartnerUpdateDto' },
);
export type PartnerUpdate = typeof PartnerUpdateDto.static;
