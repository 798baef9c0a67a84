import { ApiError, parseError } from '../api.ts';
import type { Uploaded } from '../types.ts';

export type Sending = { result: Promise<Uploaded>; abort: () => void };

/** XMLHttpRequest, because fetch cannot say how much of a body has gone out. */
export function sendFile(
  file: File,
  checksum: string,
  onProgress: (sent: number) => void,
): Sending {
  const request = new XMLHttpRequest();
  const result = new Promise<Uploaded>((done, fail) => {
    request.open('POST', '/api/assets');
    request.setRequestHeader('accept', 'application/json');
    request.setRequestHeader('x-immich-checksum', checksum);
    request.upload.onprogress = (event) => onProgress(event.loaded);
    request.onerror = () => fail(new ApiError(0, 'The connection was lost.'));
    request.onabort = () => fail(new ApiError(-1, 'Cancelled'));
    request.onload = () => {
      if (request.status === 200 || request.status === 201) {
        done(JSON.parse(request.responseText) as Uploaded);
      } else fail(parseError(request.status, request.responseText));
    };
    request.send(formOf(file));
  });
  return { result, abort: () => request.abort() };
}

function formOf(file: File): FormData {
  const time = new Date(file.lastModified).toISOString();
  const form = new FormData();
  // Text first: a server that streams knows all about the file before its bytes come.
  form.set('fileCreatedAt', time);
  form.set('fileModifiedAt', time);
  form.set('filename', file.name);
  form.set('assetData', file, file.name);
  return form;
}
