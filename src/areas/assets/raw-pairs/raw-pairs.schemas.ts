import { type Static, t } from 'elysia';
import { Timestamp, Uuid } from '../../../http/schemas.ts';

export const RawPairsQuery = t.Object({
  /** `nextCursor` of the page before. */
  cursor: t.Optional(t.String({ maxLength: 200 })),
  size: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
});
export type RawPairsFilter = Static<typeof RawPairsQuery>;

const Amount = { description: 'Bytes', minimum: 0 };
const RawPairFileDto = t.Object(
  { id: Uuid, originalFileName: t.String(), fileSizeInBytes: t.Integer(Amount) },
  { title: 'RawPairFileDto' },
);

const RawPairDto = t.Object(
  {
    raw: RawPairFileDto,
    picture: RawPairFileDto,
    fileCreatedAt: Timestamp,
    isStacked: t.Boolean({ description: 'Whether one of both is in a stack' }),
  },
  { title: 'RawPairDto' },
);

export const RawPairsDto = t.Object(
  {
    items: t.Array(RawPairDto),
    /** All raw photos of the list, on its first page. */
    total: t.Nullable(
      t.Object(
        { files: t.Integer({ minimum: 0 }), bytes: t.Integer(Amount) },
        { title: 'RawPairsTotalDto' },
      ),
    ),
    nextCursor: t.Nullable(t.String()),
  },
  { title: 'RawPairsDto' },
);
export type RawPairs = Static<typeof RawPairsDto>;
