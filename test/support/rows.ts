import type { Database } from '../../src/db/client.ts';

// Rows as the driver returns them, with the names of their columns: times and large numbers are texts.

type Connection = Pick<Database, 'sql'>;

export type AssetRow = {
  readonly id: string;
  readonly type: string;
  readonly sha256: Buffer;
  readonly file_size: string;
  readonly visibility: string;
  readonly taken_at: string;
  /** When it was taken, by the clock of the place. */
  readonly local: string;
  readonly trashed_at: string | null;
  readonly locked_at: string | null;
  readonly live_video_id: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration_ms: number | null;
  readonly thumbhash: Buffer | null;
  readonly broken_reason: string | null;
  readonly damage: string | null;
  readonly metadata_read_at: string | null;
};

export async function getAssetRow({ sql }: Connection, id: string): Promise<AssetRow> {
  const [row] = await sql<[AssetRow]>`
    select *, local_taken_at::text as local from asset where id = ${id}`;
  return row;
}

export type ExifRow = {
  readonly date_source: string | null;
  readonly date_time_original: string;
  readonly rating: number | null;
  readonly live_photo_cid: string | null;
};

export async function getExifRow({ sql }: Connection, assetId: string): Promise<ExifRow> {
  const [row] = await sql<[ExifRow]>`select * from asset_exif where asset_id = ${assetId}`;
  return row;
}

export type FileRow = {
  readonly kind: string;
  readonly name: string;
  readonly tag: string;
  readonly size: string;
};

export const listFileRows = async ({ sql }: Connection, assetId: string): Promise<FileRow[]> => [
  ...(await sql<FileRow[]>`
    select * from asset_file where asset_id = ${assetId} order by kind`),
];

export type JobRow = {
  readonly id: string;
  readonly name: string;
  readonly lane: string;
  readonly state: string;
  readonly payload: { readonly assetId: string };
  readonly attempt: number;
  readonly failures: number;
  readonly last_error: string | null;
  readonly lease_until: string | null;
  readonly correlation_id: string | null;
};

export const listJobRows = async ({ sql }: Connection): Promise<JobRow[]> => [
  ...(await sql<JobRow[]>`select * from job order by id`),
];
