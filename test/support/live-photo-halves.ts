import { expect } from 'bun:test';
import type { App } from '../../src/app.ts';
import { call, type Reply, type TestUser, testApp } from './harness.ts';
import { create, encode, getUploadId, METADATA, sendRequest, UPLOADS } from './resumable.ts';
import { getAssetRow } from './rows.ts';
import type { UploadServer } from './upload-server.ts';

export type Half = {
  readonly type?: string;
  readonly metadata?: object;
  readonly by?: TestUser;
};

export const INCOMPATIBLE = { status: 409, body: { code: 'live_photo_incompatible' } };

/** Functions to upload the halves of live photos to a server, and to publish them together. */
export function liveUploads(place: Omit<UploadServer, 'close'>) {
  let app: App | undefined;
  /** Uploads a half and returns its upload id. */
  async function add(file: Uint8Array, { type = 'image/heic', metadata = {}, by }: Half = {}) {
    const filename = type.startsWith('image') ? 'IMG_1.HEIC' : 'IMG_1.MOV';
    const full = { ...METADATA, filename, publication: 'live-photo', ...metadata };
    const reply = await create({ ...place.client, key: (by ?? place.alice).key }, file, {
      headers: { 'content-type': type, 'asset-metadata': encode(full) },
    });
    expect(reply).toMatchObject({ status: 202, body: { status: 'verified' } });
    return getUploadId(reply.headers['location']!);
  }
  return {
    add,
    addVideo: (file: Uint8Array, half: Half = {}) =>
      add(file, { type: 'video/quicktime', ...half }),
    commit: (photoUploadId: string, videoUploadId: string, by = place.alice): Promise<Reply> =>
      call((app ??= testApp(place.database)), 'POST /assets/uploads/live-photo/commit', {
        as: by,
        body: { photoUploadId, videoUploadId },
      }),
    getAssetRow: (id: string) => getAssetRow(place.database, id),
    /** Expects that neither half is published and both still can be. */
    expectPrivate: async (photo: string, video: string, files: Uint8Array[]): Promise<void> => {
      for (const file of files) expect(await place.findAsset(file)).toBeUndefined();
      for (const id of [photo, video]) {
        const { body } = await sendRequest(place.client, `GET ${UPLOADS}/${id}`);
        expect(body).toMatchObject({ assetId: null, publication: 'live-photo' });
      }
    },
  };
}
