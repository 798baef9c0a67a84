import { t } from 'elysia';
import { oneOf, Uuid } from '../../http/schemas.ts';
import { UserResponseDto } from '../users/index.ts';

/** 'shared-by': to whom the caller shows the own Timeline; 'shared-with': whose Timelines the caller sees. */
export const PartnerDirection = oneOf(['shared-by', 'shared-with'], { title: 'PartnerDirection' });
export type Direction = typeof PartnerDirection.static;
export const PartnerQuery = t.Object({ direction: PartnerDirection });

const HidesPlaces = t.Boolean({
  description:
    'Whoever shares keeps to themselves where the pictures were taken: no places, and no originals, which tell them.',
});

/** The other account, whichever side it is on. */
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

/** Each side has its own: `inTimeline` is the viewer's, `hidesPlaces` that of whoever shares. */
export const PartnerUpdateDto = t.Object(
  { inTimeline: t.Optional(t.Boolean()), hidesPlaces: t.Optional(HidesPlaces) },
  { title: 'PartnerUpdateDto' },
);
export type PartnerUpdate = typeof PartnerUpdateDto.static;
