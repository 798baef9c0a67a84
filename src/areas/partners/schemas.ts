import { t } from 'elysia';
import { oneOf, Uuid } from '../../http/schemas.ts';
import { UserResponseDto } from '../users/index.ts';

/** 'shared-by': to whom the caller shows the own Timeline; 'shared-with': whose Timelines the caller sees. */
export const PartnerDirection = oneOf(['shared-by', 'shared-with'], { title: 'PartnerDirection' });
export type Direction = typeof PartnerDirection.static;
export const PartnerQuery = t.Object({ direction: PartnerDirection });

/** The other account, whichever side it is on. */
export const PartnerResponseDto = t.Object(
  { ...UserResponseDto.properties, inTimeline: t.Optional(t.Boolean()) },
  { title: 'PartnerResponseDto' },
);
export type Partner = typeof PartnerResponseDto.static;

export const PartnerCreateDto = t.Object({ sharedWithId: Uuid }, { title: 'PartnerCreateDto' });
export const PartnerUpdateDto = t.Object(
  { inTimeline: t.Boolean() },
  { title: 'PartnerUpdateDto' },
);
