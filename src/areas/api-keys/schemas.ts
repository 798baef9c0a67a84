import { t } from 'elysia';
import { PERMISSIONS } from '../../access/permissions.ts';
import { stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';

const PermissionName = stringEnum(PERMISSIONS, { title: 'Permission' });
const KeyName = t.String({ maxLength: 255 });
const KeyPermissions = t.Array(PermissionName, { minItems: 1, maxItems: PERMISSIONS.length });

export const ApiKeyResponseDto = t.Object(
  {
    id: Uuid,
    name: t.String(),
    permissions: t.Array(PermissionName),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'ApiKeyResponseDto' },
);
export type ApiKey = typeof ApiKeyResponseDto.static;

export const ApiKeyCreateDto = t.Object(
  { name: t.Optional(KeyName), permissions: KeyPermissions },
  { title: 'ApiKeyCreateDto' },
);
export type ApiKeyCreate = typeof ApiKeyCreateDto.static;

export const ApiKeyUpdateDto = t.Object(
  { name: t.Optional(KeyName), permissions: t.Optional(KeyPermissions) },
  { title: 'ApiKeyUpdateDto' },
);
export type ApiKeyUpdate = typeof ApiKeyUpdateDto.static;

/** The members of the key are there twice: older clients read them from `apiKey`. */
export const ApiKeyCreateResponseDto = t.Object(
  {
    apiKey: ApiKeyResponseDto,
    id: t.String(),
    name: t.String(),
    permissions: t.Array(PermissionName),
    createdAt: t.String(),
    updatedAt: t.String(),
    secret: t.String(),
  },
  { title: 'ApiKeyCreateResponseDto' },
);
export type ApiKeyWithSecret = typeof ApiKeyCreateResponseDto.static;
