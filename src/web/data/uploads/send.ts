import type { Uploaded } from '../types.ts';
import { request, type Sending, toError } from './request.ts';

type Beside = {
  readonly checksum?: string | undefined;
  readonly sidecar?: File | undefined;
  readonly liveVideoId?: string | undefined;
};

/** As a form, in one go: for guests, and for files with a sidecar. */
export function sendForm(
  file: File,
  { checksum, sidecar, liveVideoId }: Beside,
  onProgress: (sent: number) => void,
): Sending {
  const form = toForm(file);
  if (liveVideoId) form.set('livePhotoVideoId', liveVideoId);
  // Text first: a server that streams knows all about the file before its bytes come.
  if (sidecar) form.set('sidecarData', sidecar, sidecar.name);
  form.set('assetData', file, file.name);
  return sendTo(checksum, form, onProgress);
}

/** Sends only the checksum of a file that the library has; 400 if it has it no longer. */
export const sendChecksum = (checksum: string): Sending => sendTo(checksum, new FormData());

function sendTo(
  checksum: string | undefined,
  body: FormData,
  onProgress?: (sent: number) => void,
): Sending {
  const { answer, abort } = request('POST', '/assets', {
    headers: checksum ? { 'x-immich-checksum': checksum } : {},
    body,
    ...(onProgress && { onProgress }),
  });
  const result = answer.then((received) => {
    const { status, text } = received;
    if (status === 200 || status === 201) return JSON.parse(text) as Uploaded;
    throw toError(received);
  });
  return { result, abort, pause: abort };
}

function toForm(file: Pick<File, 'name' | 'lastModified'>): FormData {
  const time = new Date(file.lastModified).toISOString();
  const form = new FormData();
  form.set('fileCreatedAt', time);
  form.set('fileModifiedAt', time);
  form.set('filename', file.name);
  return form;
}
