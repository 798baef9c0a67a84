import { ApiError } from '../../base/api.ts';
import type { Uploaded, UploadResult } from '../types.ts';
import { tabLocks } from '../../base/tab-locks.ts';
import {
  findBegun,
  forget,
  type InterruptedUpload,
  remember,
  unlist,
} from './interrupted-uploads.ts';
import { toLockName } from './lock-names.ts';
import { type Answer, request, type Sending, toError } from './request.ts';
import {
  parseUploadId,
  toCreationHeaders,
  toRestHeaders,
  toUploadPath,
  VERSION,
} from './upload-headers.ts';
import { t } from '../../base/i18n.ts';

// draft-ietf-httpbis-resumable-upload, careful mode: the upload is made first and without bytes, so
// that its address is known before anything can be lost.

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
  const { run, ...ends } = createRun();
  const send = async (): Promise<Uploaded> => {
    const { upload, result } = await receive(source, onProgress, run);
    forget(upload);
    const { assetId, status } = result;
    return { id: assetId ?? '', status: status === 'duplicate' ? 'duplicate' : 'created' };
  };
  return { result: send(), ...ends };
}

/** Sends requests one after the other, until it is called off. */
export type Run = {
  step: (...args: Parameters<typeof request>) => Promise<Answer>;
  /** To be given up when it is called off. */
  begin: (upload: InterruptedUpload) => void;
};

export function createRun(): { run: Run } & Pick<Sending, 'abort' | 'pause'> {
  const uploads = new Set<InterruptedUpload>();
  let abortStep: (() => void) | undefined;
  let isAborted = false;
  const end = () => {
    isAborted = true;
    abortStep?.();
  };
  return {
    run: {
      async step(...args) {
        if (isAborted) throw new ApiError(-1, t('Canceled'));
        const { answer, abort } = request(...args);
        abortStep = abort;
        return answer;
      },
      begin: (upload) => void uploads.add(upload),
    },
    pause: end,
    abort() {
      end();
      for (const upload of uploads) giveUp(upload);
    },
  };
}

type Received = { upload: InterruptedUpload; result: UploadResult };

/** All bytes of a file, whose lock the caller holds. It is remembered until the caller forgets it. */
export async function receive(
  source: Source,
  onProgress: Watch,
  { step, begin }: Run,
): Promise<Received> {
  const { file } = source;
  const { upload, offset } = (await findOnServer(source, step)) ?? (await create(source, step));
  begin(upload);
  onProgress(offset);
  const answer = await step('PATCH', toUploadPath(upload.id), {
    headers: toRestHeaders(offset),
    // Without a type of its own, which would overrule the header.
    body: offset < file.size ? file.slice(offset, file.size, '') : undefined,
    onProgress: (sent) => onProgress(offset + sent),
  });
  if (answer.status !== 200 && answer.status !== 202) {
    // Elsewhere than we thought: where, is asked at the next turn. All else is final.
    if (answer.status === 409) throw new ApiError(0, t('The upload continues elsewhere.'));
    forgetIfOver(upload, answer);
    throw toError(answer);
  }
  return { upload, result: JSON.parse(answer.text) as UploadResult };
}

type Place = { upload: InterruptedUpload; offset: number };

/** Undefined: it was never begun, or the server has given it up. */
async function findOnServer(source: Source, step: Run['step']): Promise<Place | undefined> {
  const upload = findBegun(source);
  if (!upload) return undefined;
  const path = toUploadPath(upload.id);
  const answer = await step('HEAD', path, { headers: VERSION });
  const { status, header } = answer;
  if (status === 204 || status === 200) {
    return { upload, offset: Number(header('upload-offset') ?? 0) };
  }
  // 400: the bytes came damaged, and are gone.
  if (![400, 404, 410].includes(status)) throw toError(answer);
  forget(upload);
  return undefined;
}

async function create(source: Source, step: Run['step']): Promise<Place> {
  const { file, sha256, userId, isHalf } = source;
  const headers = toCreationHeaders(source);
  const answer = await step('POST', '/assets/uploads', { headers });
  const { status, header } = answer;
  const id = parseUploadId(header('location'));
  if (status !== 201 || !id) throw toError(answer);
  const { name, size } = file;
  const upload = { sha256, id, userId, name, size, isHalf, at: Date.now() };
  remember(upload);
  return { upload, offset: 0 };
}

function forgetIfOver(upload: InterruptedUpload, { status }: Answer): void {
  if (status === 404 || status === 410 || status === 400) forget(upload);
}

/** The server would do it by itself after a day. The caller holds the lock. */
export function giveUp(upload: InterruptedUpload): void {
  forget(upload);
  const { answer } = request('DELETE', toUploadPath(upload.id), { headers: VERSION });
  void answer.catch(() => undefined);
}

/** Gives up what a closed tab has begun, unless a tab has resumed it meanwhile. */
export async function giveUpInterrupted(upload: InterruptedUpload): Promise<void> {
  const release = await tabLocks.tryLock(toLockName(upload));
  if (release) giveUp(upload);
  else unlist(upload);
  release?.();
}
