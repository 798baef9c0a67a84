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

/** The other account, in either direction. */
export const PartnerResponseDto = t.Object(
  {
    ...UserResponseDto.properties,
    inTimeline: t.Optional(t.Boolean()),
    hidesPlaces: t.Optional(HidesPlaces),
  },
  { title: 'PartnerResponseDto' },
);
export type Partner = typeof PartnerResponseDto.static;

export const PartnerCreateDto = t.Object(
  { sharedWithId: Uuid, hidesPlaces: t.Optional(HidesPlaces) },
  { title: 'PartnerCreateDto' },
);
export type PartnerCreate = typeof PartnerCreateDto.static;

/** `inTimeline` belongs to the viewer, `hidesPlaces` to the account that shares. */
export const PartnerUpdateDto = t.Object(
  { inTimeline: t.Optional(t.Boolean()), hidesPlaces: t.Optional(HidesPlaces) },
  { title: 'PartnerUpdateDto' },
);
export type PartnerUpdate = typeof PartnerUpdateDto.static;
