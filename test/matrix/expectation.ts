import type { Caller } from './callers.ts';
import type { Kind } from './world.ts';

/** Effect of a route on its target, which determines the allowed callers. */
export type Expectation = {
  /**
   * open: anyone. account: any account, about itself. admin: administrators.
   * see: whoever may see the target. own: whose it is. make: any account, but of the target only what
   * it may see anyway: afterwards nobody sees more than before.
   */
  readonly rule: 'open' | 'account' | 'admin' | 'see' | 'own' | 'make';
  /** Target of `:id` in the path and '{id}' elsewhere. */
  readonly target?: Kind | 'asset';
  readonly body?: object;
  readonly query?: string;
  /** Other parts of the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** Refusals are said for each item of the answer, not by the status. */
  readonly each?: true;
  /** Status for allowed callers: below 300 unless given, with the reason. */
  readonly answers?: readonly [status: number | readonly number[], why: string];
  /** States of the target that are tried; all of them unless said. */
  readonly states?: readonly string[];
  /** Callers besides the owner that are allowed, where the target is shared. */
  readonly also?: readonly Caller[];
  /** Callers that see the target and may not do this. */
  readonly except?: readonly Caller[];
  /** Sent with a body of bytes, of this media type. */
  readonly mediaType?: string;
};

type More = Omit<Expectation, 'rule' | 'target' | 'body'>;
type Target = Kind | 'asset';

export const open = (body?: object, more: More = {}): Expectation => with_('open', body, more);
export const account = (body?: object, more: More = {}): Expectation =>
  with_('account', body, more);
export const admin = (body?: object, more: More = {}): Expectation => with_('admin', body, more);
export const see = (target: Target, more: More & { body?: object } = {}): Expectation => ({
  rule: 'see',
  target,
  ...more,
});
export const own = (target: Target, body?: object, more: More = {}): Expectation => ({
  ...with_('own', body, more),
  target,
});
export const make = (target: Target, body?: object, more: More = {}): Expectation => ({
  ...with_('make', body, more),
  target,
});

const with_ = (rule: Expectation['rule'], body: object | undefined, more: More): Expectation => ({
  rule,
  ...(body && { body }),
  ...more,
});
