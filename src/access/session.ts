import type { ContentRule } from './suppression.ts';

/** Who is asking. Built once per request in authenticate.ts and never changed afterwards. */
export type Session = UserSession | SharedLinkSession;

export type UserSession = {
  readonly kind: 'user';
  readonly userId: string;
  readonly isAdmin: boolean;
  /** The session that the token belongs to; undefined for an API key alone. */
  readonly sessionId: string | undefined;
  readonly apiKeyId: string | undefined;
  /** The PIN was entered for this session: the owner's Locked media are visible. */
  readonly unlocked: boolean;
  /** Accounts that share their Timeline with this one. Known here so that scopes need no join. */
  readonly sharers: readonly string[];
  /** Those of them whose items the caller mixes into the own Timeline. */
  readonly timelineSharers: readonly string[];
  /** Those of the sharers who do not show where their pictures were taken. */
  readonly placelessSharers: readonly string[];
  /** What the account does not want to come across now; none while its filter is off. */
  readonly contentRules: readonly ContentRule[];
  readonly permissions: ReadonlySet<string>;
};

export type SharedLinkSession = {
  readonly kind: 'sharedLink';
  readonly linkId: string;
  readonly ownerId: string;
  /** Accounts that share their Timeline with the owner: what they end or hide, the link shows no more. */
  readonly sharers: readonly string[];
  /** Those of them who do not show the owner where their pictures were taken. */
  readonly placelessSharers: readonly string[];
  /** Undefined: the link lists its own assets. */
  readonly albumId: string | undefined;
  readonly allowUpload: boolean;
  readonly allowDownload: boolean;
  readonly showMetadata: boolean;
  /** Its password was not entered yet: nothing but entering it is allowed. */
  readonly needsPassword?: true;
};
