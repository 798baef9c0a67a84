import type { LogState } from '../db/change-log.ts';
import type { ContentRule } from './suppression.ts';
import { type AppError, unauthorized } from '../core/errors.ts';

/** A sharer who shares only what was taken on a day (YYYY-MM-DD, local) or later. */
export type PartialSharer = { readonly id: string; readonly from: string };

/** The caller of a request. Created by authenticate.ts, immutable. */
export type Session = UserSession | SharedLinkSession;

export type UserSession = {
  readonly kind: 'user';
  readonly userId: string;
  readonly isAdmin: boolean;
  /** The session that the token belongs to; undefined for an API key alone. */
  readonly sessionId: string | undefined;
  readonly apiKeyId: string | undefined;
  /** Device that has logged in, or name of the API key; empty: unknown. */
  readonly device: string;
  /** The PIN was entered for this session: the owner's Locked media are visible. */
  readonly unlocked: boolean;
  /** The user has logged in or given the password or PIN within the last minutes. */
  readonly isProven: boolean;
  /** Accounts that share their Timeline with this one. Stored here so that scopes need no join. */
  readonly sharers: readonly string[];
  /** Sharers whose items the caller shows in the own Timeline. */
  readonly timelineSharers: readonly string[];
  /** Accounts that hide the places of their items from this one. */
  readonly placelessSharers: readonly string[];
  readonly partialSharers: readonly PartialSharer[];
  /** Active content rules; empty while the filter is off. */
  readonly contentRules: readonly ContentRule[];
  readonly permissions: ReadonlySet<string>;
  /** The change log of the account and of `sharers` when the session was read; undefined: not asked. */
  readonly log: LogState | undefined;
};

export type SharedLinkSession = {
  readonly kind: 'sharedLink';
  readonly linkId: string;
  readonly ownerId: string;
  /** Accounts that share their Timeline with the owner of the link. */
  readonly sharers: readonly string[];
  /** Accounts that hide the places of their items from the owner of the link. */
  readonly placelessSharers: readonly string[];
  readonly partialSharers: readonly PartialSharer[];
  /** Undefined: the link lists its own assets. */
  readonly albumId: string | undefined;
  readonly allowUpload: boolean;
  readonly allowDownload: boolean;
  readonly showMetadata: boolean;
  /** Guests may not know where items were taken, whoever owns them. */
  readonly hidesPlaces: boolean;
  /** The password has not been entered: no other operation is allowed. */
  readonly needsPassword?: true;
};

/** Returns a 401 error for a request for locked media in a session without the PIN. */
export const elevationRequired = (): AppError =>
  unauthorized('Elevated permission is required', { code: 'elevation_required' });
