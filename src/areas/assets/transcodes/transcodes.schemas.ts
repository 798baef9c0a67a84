import { t } from 'elysia';

const Transcodes = t.Object(
  { files: t.Integer({ minimum: 0 }), bytes: t.Integer({ minimum: 0 }) },
  { title: 'TranscodeSumDto' },
);

export const TranscodesDto = t.Object(
  {
    all: Transcodes,
    /** Videos of LARGE_BYTES and more. */
    large: Transcodes,
    /** Whether a deletion waits or runs: `all` is what is left. */
    isDeleting: t.Boolean(),
  },
  { title: 'TranscodesDto' },
);
export type Transcodes = typeof TranscodesDto.static;

export const DeleteTranscodesQuery = t.Object({
  /** Smaller ones stay; without it all are deleted. */
  minBytes: t.Optional(t.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
});
export type DeleteTranscodesQuery = typeof DeleteTranscodesQuery.static;
