import { t } from 'elysia';
import { MAX_RETENTION_DAYS, stringEnum } from '../../../http/schemas.ts';
import { AdminConfigFFmpegDto, AdminConfigImageDto } from './media.ts';
import { AdminConfigMachineLearningDto } from './recognition.ts';
import {
  AdminConfigBackupsDto,
  AdminConfigIntegrityChecksDto,
  AdminConfigJobDto,
  AdminConfigLibraryDto,
  AdminConfigNightlyTasksDto,
} from './work.ts';
import {
  AdminConfigNotificationsDto,
  AdminConfigOAuthDto,
  AdminConfigPasswordLoginDto,
  AdminConfigTemplatesDto,
  AdminConfigUserDto,
} from './accounts.ts';

const AdminConfigLoggingDto = t.Object(
  {
    enabled: t.Boolean(),
    level: stringEnum(['verbose', 'debug', 'log', 'warn', 'error', 'fatal'], { title: 'LogLevel' }),
  },
  { title: 'AdminConfigLoggingDto' },
);

const AdminConfigMapDto = t.Object(
  {
    darkStyle: t.String({ format: 'uri' }),
    enabled: t.Boolean(),
    lightStyle: t.String({ format: 'uri' }),
  },
  { title: 'AdminConfigMapDto' },
);

const AdminConfigFacesDto = t.Object(
  {
    import: t.Boolean(),
  },
  { title: 'AdminConfigFacesDto' },
);

const AdminConfigMetadataDto = t.Object(
  {
    faces: AdminConfigFacesDto,
  },
  { title: 'AdminConfigMetadataDto' },
);

const AdminConfigNewVersionCheckDto = t.Object(
  {
    channel: stringEnum(['stable', 'releaseCandidate'], { title: 'ReleaseChannel' }),
    enabled: t.Boolean(),
  },
  { title: 'AdminConfigNewVersionCheckDto' },
);

const AdminConfigReverseGeocodingDto = t.Object(
  {
    enabled: t.Boolean(),
  },
  { title: 'AdminConfigReverseGeocodingDto' },
);

const AdminConfigServerDto = t.Object(
  {
    externalDomain: t.String(),
    loginPageMessage: t.String(),
    publicUsers: t.Boolean(),
  },
  { title: 'AdminConfigServerDto' },
);

const AdminConfigStorageTemplateDto = t.Object(
  {
    enabled: t.Boolean(),
    hashVerificationEnabled: t.Boolean(),
    template: t.String(),
  },
  { title: 'AdminConfigStorageTemplateDto' },
);

const AdminConfigThemeDto = t.Object(
  {
    customCss: t.String(),
  },
  { title: 'AdminConfigThemeDto' },
);

const AdminConfigTrashDto = t.Object(
  {
    days: t.Integer({ minimum: 0, maximum: MAX_RETENTION_DAYS }),
    enabled: t.Boolean(),
  },
  { title: 'AdminConfigTrashDto' },
);

/** Immich's whole configuration document. */
export const AdminConfigDto = t.Object(
  {
    backup: AdminConfigBackupsDto,
    ffmpeg: AdminConfigFFmpegDto,
    image: AdminConfigImageDto,
    integrityChecks: AdminConfigIntegrityChecksDto,
    job: AdminConfigJobDto,
    library: AdminConfigLibraryDto,
    logging: AdminConfigLoggingDto,
    machineLearning: AdminConfigMachineLearningDto,
    map: AdminConfigMapDto,
    metadata: AdminConfigMetadataDto,
    newVersionCheck: AdminConfigNewVersionCheckDto,
    nightlyTasks: AdminConfigNightlyTasksDto,
    notifications: AdminConfigNotificationsDto,
    oauth: AdminConfigOAuthDto,
    passwordLogin: AdminConfigPasswordLoginDto,
    reverseGeocoding: AdminConfigReverseGeocodingDto,
    server: AdminConfigServerDto,
    storageTemplate: AdminConfigStorageTemplateDto,
    templates: AdminConfigTemplatesDto,
    theme: AdminConfigThemeDto,
    trash: AdminConfigTrashDto,
    user: AdminConfigUserDto,
  },
  { title: 'AdminConfigDto' },
);
/** The document as clients send it: members with a default may be left out. */
export type AdminConfigInput = typeof AdminConfigDto.static;
export type AdminConfig = Complete<AdminConfigInput>;
type Complete<T> = T extends readonly unknown[] | string | number | boolean | null
  ? T
  : { [Name in keyof T]-?: Complete<Exclude<T[Name], undefined>> };

/** A member that the command line or the environment sets. */
export const LockedConfigMemberDto = t.Object(
  {
    /** As 'trash.days'. */
    path: t.String(),
    /** As '--trash-days'. */
    flag: t.String(),
  },
  { title: 'LockedConfigMemberDto' },
);
export type LockedConfigMember = typeof LockedConfigMemberDto.static;

export const SystemConfigTemplateStorageOptionDto = t.Object(
  {
    dayOptions: t.Array(t.String()),
    hourOptions: t.Array(t.String()),
    minuteOptions: t.Array(t.String()),
    monthOptions: t.Array(t.String()),
    presetOptions: t.Array(t.String()),
    secondOptions: t.Array(t.String()),
    weekOptions: t.Array(t.String()),
    yearOptions: t.Array(t.String()),
  },
  { title: 'SystemConfigTemplateStorageOptionDto' },
);
