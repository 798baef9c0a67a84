import { t } from 'elysia';
import { Timestamp, Uuid } from '../../http/schemas.ts';

const Text = t.Optional(t.String());

export const ServerAboutResponseDto = t.Object(
  {
    version: t.String(),
    versionUrl: t.String(),
    licensed: t.Boolean(),
    build: Text,
    buildUrl: Text,
    buildImage: Text,
    buildImageUrl: Text,
    repository: Text,
    repositoryUrl: Text,
    sourceRef: Text,
    sourceCommit: Text,
    sourceUrl: Text,
    thirdPartySourceUrl: Text,
    thirdPartyBugFeatureUrl: Text,
    thirdPartyDocumentationUrl: Text,
    thirdPartySupportUrl: Text,
    exiftool: Text,
    ffmpeg: Text,
    imagemagick: Text,
    libvips: Text,
    nodejs: Text,
    /** Extension. */
    postgres: Text,
  },
  { title: 'ServerAboutResponseDto' },
);
export type ServerAbout = typeof ServerAboutResponseDto.static;

export const ServerApkLinksDto = t.Object(
  {
    arm64v8a: t.String(),
    armeabiv7a: t.String(),
    universal: t.String(),
    x86_64: t.String(),
  },
  { title: 'ServerApkLinksDto' },
);

export const ServerConfigDto = t.Object(
  {
    externalDomain: t.String(),
    isInitialized: t.Boolean(),
    isOnboarded: t.Boolean(),
    loginPageMessage: t.String(),
    maintenanceMode: t.Boolean(),
    mapDarkStyleUrl: t.String(),
    mapLightStyleUrl: t.String(),
    minFaces: t.Integer(),
    oauthAccountManagementUrl: Text,
    oauthButtonText: t.String(),
    publicUsers: t.Boolean(),
    trashDays: t.Integer(),
    userDeleteDelay: t.Integer(),
  },
  { title: 'ServerConfigDto' },
);
export type ServerConfig = typeof ServerConfigDto.static;

export const ServerFeaturesDto = t.Object(
  {
    configFile: t.Boolean(),
    duplicateDetection: t.Boolean(),
    email: t.Boolean(),
    facialRecognition: t.Boolean(),
    importFaces: t.Boolean(),
    map: t.Boolean(),
    oauth: t.Boolean(),
    oauthAutoLaunch: t.Boolean(),
    ocr: t.Boolean(),
    passwordLogin: t.Boolean(),
    realtimeTranscoding: t.Boolean(),
    reverseGeocoding: t.Boolean(),
    search: t.Boolean(),
    sidecar: t.Boolean(),
    smartSearch: t.Boolean(),
    /** Speech in videos is transcribed. Extension. */
    speech: t.Optional(t.Boolean()),
    trash: t.Boolean(),
  },
  { title: 'ServerFeaturesDto' },
);
export type ServerFeatures = typeof ServerFeaturesDto.static;

const Extensions = t.Array(t.String());
export const ServerMediaTypesResponseDto = t.Object(
  { image: Extensions, video: Extensions, audio: Extensions, sidecar: Extensions },
  { title: 'ServerMediaTypesResponseDto' },
);

export const ServerPingResponse = t.Object({ res: t.String() }, { title: 'ServerPingResponse' });

export const ServerReadyDto = t.Object({ res: t.Literal('ready') }, { title: 'ServerReadyDto' });

const UsageByUserDto = t.Object(
  {
    photos: t.Integer(),
    quotaSizeInBytes: t.Nullable(t.Integer()),
    usage: t.Integer(),
    usagePhotos: t.Integer(),
    usageVideos: t.Integer(),
    userId: Uuid,
    userName: t.String(),
    videos: t.Integer(),
  },
  { title: 'UsageByUserDto' },
);
export type UsageByUser = typeof UsageByUserDto.static;

export const ServerStatsResponseDto = t.Object(
  {
    photos: t.Integer(),
    usage: t.Integer(),
    usageByUser: t.Array(UsageByUserDto),
    usagePhotos: t.Integer(),
    usageVideos: t.Integer(),
    videos: t.Integer(),
  },
  { title: 'ServerStatsResponseDto' },
);
export type ServerStats = typeof ServerStatsResponseDto.static;

export const ServerStorageResponseDto = t.Object(
  {
    diskAvailable: t.String(),
    diskAvailableRaw: t.Integer(),
    diskSize: t.String(),
    diskSizeRaw: t.Integer(),
    diskUsagePercentage: t.Number({ format: 'double' }),
    diskUse: t.String(),
    diskUseRaw: t.Integer(),
  },
  { title: 'ServerStorageResponseDto' },
);
export type ServerStorage = typeof ServerStorageResponseDto.static;

export const ServerVersionResponseDto = t.Object(
  {
    major: t.Integer({ minimum: 0 }),
    minor: t.Integer({ minimum: 0 }),
    patch: t.Integer({ minimum: 0 }),
    prerelease: t.Nullable(t.Integer({ minimum: 0 })),
  },
  { title: 'ServerVersionResponseDto' },
);

export const ServerVersionHistoryResponseDto = t.Object(
  { id: Uuid, version: t.String(), createdAt: Timestamp },
  { title: 'ServerVersionHistoryResponseDto' },
);
