import { randomBytes } from 'node:crypto';
import { photoLikeJpeg } from '../fixtures/index.ts';
import { createForm, DATES, FORM_TYPE, filePart } from '../support/forms.ts';

/** Returns a function that makes another 12 MP photo at each call: its picture is the same, its bytes are not. */
export async function createPhotos(): Promise<() => Uint8Array> {
  const base = await photoLikeJpeg();
  return () => {
    // A comment behind the first marker.
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 18]), randomBytes(16)]);
    return Buffer.concat([base.subarray(0, 2), comment, base.subarray(2)]);
  };
}

/** Uploads a file. Returns the identifier of the asset. Throws when it is not created. */
export async function uploadFile(
  url: string,
  apiKey: string,
  bytes: Uint8Array,
  fileName = 'a.jpg',
): Promise<string> {
  const reply = await fetch(`${url}/assets`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': FORM_TYPE },
    body: createForm([...DATES, filePart(bytes, fileName)]) as Uint8Array<ArrayBuffer>,
  });
  if (reply.status !== 201) throw new Error(`not created: ${await reply.text()}`);
  return ((await reply.json()) as { id: string }).id;
}

/** Returns a function that uploads another photo to the API at that address, and returns its identifier. */
export async function createPhotoUpload(
  url: string,
  apiKey: string,
): Promise<() => Promise<string>> {
  const createPhoto = await createPhotos();
  return () => uploadFile(url, apiKey, createPhoto());
}
