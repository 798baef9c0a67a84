import { t } from 'elysia';
import { LANGUAGES } from '../../core/languages.ts';
import { Email, stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';
import { NewPassword, PersonName } from '../users/index.ts';

const Quota = t.Nullable(t.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));

export const InvitationCreateDto = t.Object(
  {
    email: Email,
    name: PersonName,
    quotaSizeInBytes: t.Optional(Quota),
    expiresInDays: t.Integer({ minimum: 1, maximum: 30 }),
    language: t.Optional(stringEnum(LANGUAGES)),
    sendMail: t.Optional(t.Boolean({ description: 'Sends the link to the address' })),
  },
  { title: 'InvitationCreateDto' },
);
export type InvitationCreate = typeof InvitationCreateDto.static;

export const InvitationDto = t.Object(
  {
    id: Uuid,
    email: t.String(),
    name: t.String(),
    inviterName: t.String(),
    quotaSizeInBytes: Quota,
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  { title: 'InvitationDto' },
);
export type Invitation = typeof InvitationDto.static;

export const NewInvitationDto = t.Object(
  {
    ...InvitationDto.properties,
    token: t.String({ description: 'Part of the link, shown this once' }),
    mail: stringEnum(['none', 'sent', 'failed']),
    mailError: t.Optional(t.String({ description: 'Words of the mail server' })),
  },
  { title: 'NewInvitationDto' },
);
export type NewInvitation = typeof NewInvitationDto.static;

/** As long as the text of a token, and some more. */
const Token = t.String({ minLength: 1, maxLength: 100 });

export const InvitationTokenDto = t.Object({ token: Token }, { title: 'InvitationTokenDto' });

export const OpenInvitationDto = t.Object(
  { email: t.String(), name: t.String(), inviterName: t.String(), expiresAt: Timestamp },
  { title: 'OpenInvitationDto' },
);
export type OpenInvitation = typeof OpenInvitationDto.static;

export const InvitationAcceptDto = t.Object(
  { token: Token, name: PersonName, password: NewPassword },
  { title: 'InvitationAcceptDto' },
);
export type InvitationAccept = typeof InvitationAcceptDto.static;
