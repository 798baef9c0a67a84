import { t } from 'elysia';
import { stringEnum, Timestamp, Uuid } from '../../../http/schemas.ts';

const MAX_ACCEPTED = 500;

const Field = stringEnum(['date', 'place'], { title: 'MetadataProposalField' });
export type ProposalField = typeof Field.static;

export const ProposalsQuery = t.Object({
  field: Field,
  cursor: t.Optional(t.String({ minLength: 1, maxLength: 200 })),
});
export type ProposalsRequest = typeof ProposalsQuery.static;

const Text = t.Nullable(t.String());

/** A date or a place, by the field that was asked for. */
const ProposalDto = t.Object(
  {
    /** 'neighbours': items uploaded just before and after. 'nearby': items of the same hours. */
    source: stringEnum(['fileName', 'folder', 'neighbours', 'nearby'], {
      title: 'MetadataProposalSource',
    }),
    localDateTime: t.Nullable(Timestamp),
    timeZone: Text,
    latitude: t.Nullable(t.Number()),
    longitude: t.Nullable(t.Number()),
    city: Text,
    state: Text,
    country: Text,
  },
  { title: 'MetadataProposalDto' },
);
export type ShownProposal = typeof ProposalDto.static;

export const ProposalPageDto = t.Object(
  {
    items: t.Array(
      t.Object(
        {
          assetId: Uuid,
          originalFileName: t.String(),
          /** Where it is on the timeline now. */
          localDateTime: Timestamp,
          proposal: t.Nullable(ProposalDto),
        },
        { title: 'MetadataProposalItemDto' },
      ),
    ),
    /** There may be more, also behind a page without items. */
    nextCursor: Text,
  },
  { title: 'MetadataProposalPageDto' },
);
export type ProposalPage = typeof ProposalPageDto.static;

const AssetIds = t.Array(Uuid, { minItems: 1, maxItems: MAX_ACCEPTED });

export const ProposalsAcceptDto = t.Object(
  { field: Field, assetIds: AssetIds },
  { title: 'MetadataProposalsAcceptDto' },
);
export type Acceptance = typeof ProposalsAcceptDto.static;

export const ProposalsDismissDto = t.Object(
  { field: Field, assetIds: AssetIds, isDismissed: t.Boolean() },
  { title: 'MetadataProposalsDismissDto' },
);
export type Dismissal = typeof ProposalsDismissDto.static;
