import { ApiError, parseError } from '../api.ts';
import type { Uploaded, UploadResult } from '../types.ts';
import { findBegun, forget, remember } from './interrupted-uploads.ts';
import { type Answer, request, type Sending } from './request.ts';
import { t } from '../i18n.ts';

// draft-ietf-httpbis-resumable-upload, careful mode: the upload is made first and without bytes, so
// that its address is known before anything can be lost.

const VERSION = { 'upload-draft-interop-version': '9' };
/** The largest file, in bytes, of a resumable upload; a larger one is sent as a form. */
export const MAX_BYTES = 2 ** 31;

export type Source = {
  file: File;
  sha256: string;
  mediaType: string;
  userId: string;
  /** Half of a live photo: the server waits for the other half before it makes the asset. */
  isHalf?: boolean;
};
export type Watch = (sent: number) => void;

/** Sends a file from where the server has it. Call it again after a lost connection. */
export function sendResumable(source: Source, onProgress: Watch): Sending {
  const { run, abort } = createRun();
  const result = receive(source, onProgress, run).then(({ id, assetId, status }): Uploaded => {
    forget(id);
    return { id: assetId ?? '', status: status === 'duplicate' ? 'duplicate' : 'created' };
  });
  return { result, abort };
}

/** One request after the other, until it is called off. */
export type Run = {
  step: (...args: Parameters<typeof request>) => Promise<Answer>;
  /** To be given up when it is called off. */
  begin: (id: string) => void;
};

export function createRun(): { run: Run; abort: () => void } {
  const ids = new Set<string>();
  let abortStep: (() => void) | undefined;
  let isAborted = false;
  return {
    run: {
      async step(...args) {
        if (isAborted) throw new ApiError(-1, t('Cancelled'));
        const { answer, abort } = request(...args);
        abortStep = abort;
        return answer;
      },
      begin: (id) => void ids.add(id),
    },
    abort() {
      isAborted = true;
      abortStep?.();
      for (const id of ids) giveUp(id);
    },
  };
}

/** All bytes of a file. It is remembered until the caller forgets it. */
export async function receive(
  source: Source,
  onProgress: Watch,
  { step, begin }: Run,
): Promise<UploadResult> {
  const { file } = source;
  const begun = (await findOnServer(source, step)) ?? (await create(source, step));
  begin(begun.id);
  onProgress(begun.offset);
  const headers = {
    ...VERSION,
    'content-type': 'application/partial-upload',
    'upload-offset': String(begun.offset),
    'upload-complete': '?1',
  };
  const answer = await step('PATCH', toUploadPath(begun.id), {
    headers,
    // Without a type of its own, which would overrule the header.
    body: begun.offset < file.size ? file.slice(begun.offset, file.size, '') : undefined,
    onProgress: (sent) => onProgress(begun.offset + sent),
  });
  if (answer.status !== 200 && answer.status !== 202) {
    // Elsewhere than we thought: where, is asked at the next turn. All else is final.
    if (answer.status === 409) throw new ApiError(0, t('The upload goes on from another place.'));
    forgetIfOver(begun.id, answer.status);
    throw parseError(answer.status, answer.text);
  }
  return JSON.parse(answer.text) as UploadResult;
}

const toUploadPath = (id: string): string => `/assets/uploads/${id}`;
type Place = { id: string; offset: number };

/** Undefined: it was never begun, or the server has given it up. */
async function findOnServer(
  { userId, sha256, isHalf = false }: Source,
  step: Run['step'],
): Promise<Place | undefined> {
  const begun = findBegun(userId, sha256, isHalf);
  if (!begun) return undefined;
  const { status, header, text } = await step('HEAD', toUploadPath(begun.id), { headers: VERSION });
  if (status === 204 || status === 200) {
    return { id: begun.id, offset: Number(header('upload-offset') ?? 0) };
  }
  if (status !== 404 && status !== 410) throw parseError(status, text);
  forget(begun.id);
  return undefined;
}

async function create(source: Source, step: Run['step']): Promise<Place> {
  const { file, sha256, mediaType, userId, isHalf = false } = source;
  const { status, header, text } = await step('POST', '/assets/uploads', {
    headers: {
      ...VERSION,
      'content-type': mediaType,
      'upload-complete': '?0',
      'upload-length': String(file.size),
      'repr-digest': `sha-256=:${sha256}:`,
      'asset-metadata': toUploadMetadata(file, isHalf),
    },
  });
  const id = /[\da-f-]{36}$/.exec(header('location') ?? '')?.[0];
  if (status !== 201 || !id) throw parseError(status, text);
  remember({ sha256, id, userId, name: file.name, size: file.size, isHalf, at: Date.now() });
  return { id, offset: 0 };
}

/** Base64url without padding, of JSON. */
export function toUploadMetadata(
  { name, lastModified }: Pick<File, 'name' | 'lastModified'>,
  isHalf = false,
): string {
  const time = new Date(lastModified).toISOString();
  const text = JSON.stringify({
    filename: name.replaceAll(/[/\\\0]/g, '_'),
    fileCreatedAt: time,
    fileModifiedAt: time,
    ...(isHalf && { publication: 'live-photo' }),
  });
  // Not by what the worker uses for the same: its chunk must not lead back to this one.
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function forgetIfOver(id: string, status: number): void {
  if (status === 404 || status === 410 || status === 400) forget(id);
}

/** The server would do it by itself after a day. */
export function giveUp(id: string): void {
  forget(id);
  void request('DELETE', toUploadPath(id), { headers: VERSION }).answer.catch(() => undefined);
}
