import type { Uploaded } from '../types.ts';
import { ApiError, parseError, REFERENCE, toUrl } from '../../base/api.ts';
import { checkConnection } from '../../base/connection.ts';
import { t } from '../../base/i18n.ts';

export type Sending = {
  result: Promise<Uploaded>;
  /** Gives it up. */
  abort: () => void;
  /** Ends the transfer; what the server has stays there and is resumed by the next one. */
  pause: () => void;
};
export type Answer = {
  status: number;
  text: string;
  header: (name: string) => string | null;
};

/** An answer that is no success. */
export const toError = ({ status, text, header }: Answer): ApiError =>
  parseError(status, text, header(REFERENCE));

type Options = {
  headers: Readonly<Record<string, string>>;
  body?: XMLHttpRequestBodyInit | undefined;
  /** Bytes of the body that have gone out. */
  onProgress?: (sent: number) => void;
};

/** XMLHttpRequest, because fetch cannot say how much of a body has gone out. */
export function request(
  method: string,
  path: string,
  { headers, body, onProgress }: Options,
): { answer: Promise<Answer>; abort: () => void } {
  const sent = new XMLHttpRequest();
  const answer = new Promise<Answer>((done, fail) => {
    sent.open(method, toUrl(path));
    sent.setRequestHeader('accept', 'application/json');
    for (const [name, value] of Object.entries(headers)) sent.setRequestHeader(name, value);
    if (onProgress) sent.upload.onprogress = (event) => onProgress(event.loaded);
    sent.onerror = () => {
      void checkConnection();
      fail(new ApiError(0, t('The connection was lost.')));
    };
    sent.onabort = () => fail(new ApiError(-1, t('Canceled')));
    sent.onload = () =>
      done({
        status: sent.status,
        text: sent.responseText,
        header: (name) => sent.getResponseHeader(name),
      });
    sent.send(body ?? null);
  });
  return { answer, abort: () => sent.abort() };
}
