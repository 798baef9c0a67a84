const NEEDED =
  'the API key needs asset.read, asset.download, asset.statistics, album.read, tag.read, stack.read and user.read';

/** Reasons why a server is not read, with their end of an English sentence that begins with its address. */
const REASONS = {
  address_invalid: 'is no address, as http://immich:2283',
  address_refused: 'leads to an address that this server does not connect to for this account',
  certificate_invalid: 'has a certificate that is not valid for this name',
  unreachable: 'cannot be read',
  timeout: 'did not answer in time',
  key_refused: 'does not know this API key',
  permission_missing: `refuses what is needed: ${NEEDED}`,
  redirected: 'redirects elsewhere: use the address that it leads to',
  not_immich: 'answers as no server of Immich does: it may be no server of Immich',
  answer_too_large: 'gives an answer that is too large',
} as const;
export type ImmichFault = keyof typeof REASONS;

/** Codes of errors about certificates, of OpenSSL and Node. */
const CERTIFICATE_ERROR = /CERT|UNABLE_TO_VERIFY|SELF_SIGNED/;

/** The server did not give what was asked for: its address, its key or the server itself is the reason. */
export class ImmichUnavailable extends Error {
  override readonly name = 'ImmichUnavailable';
  readonly code: ImmichFault;

  /** `detail` is of our own words: what the other server says is not repeated. */
  constructor(
    code: ImmichFault,
    address: string,
    options: ErrorOptions & { readonly detail?: string } = {},
  ) {
    const { detail, ...rest } = options;
    super(`${address} ${REASONS[code]}${detail === undefined ? '' : ` (${detail})`}`, rest);
    this.code = code;
  }
}

type ServerAway = ImmichUnavailable & { readonly code: 'unreachable' | 'timeout' };

/** Returns whether a server did not answer, and may do so later. */
export const isServerAway = (error: unknown): error is ServerAway =>
  error instanceof ImmichUnavailable && ['unreachable', 'timeout'].includes(error.code);

/** Returns the fault of a request that had no answer. */
export function toUnavailable(base: string, cause: unknown): ImmichUnavailable {
  if (cause instanceof ImmichUnavailable) return cause;
  const { name, message, code = '' } = cause as NodeJS.ErrnoException;
  if (CERTIFICATE_ERROR.test(code)) return new ImmichUnavailable('certificate_invalid', base);
  if (name === 'TimeoutError') return new ImmichUnavailable('timeout', base, { cause });
  return new ImmichUnavailable('unreachable', base, { cause, detail: message });
}
