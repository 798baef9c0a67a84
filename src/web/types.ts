// What the API says, taken from its own schemas. Types only: nothing of the server is bundled.
import type { AlbumResponseDto } from '../areas/albums/schemas.ts';
import type { ApiKeyCreateResponseDto, ApiKeyResponseDto } from '../areas/api-keys/schemas.ts';
import type {
  AssetResponseDto,
  AssetVisibility as Visibility,
  ExifResponseDto,
  UpdateAssetDto,
} from '../areas/assets/schemas.ts';
import type { LoginResponseDto } from '../areas/auth/schemas.ts';
import type { QueueResponseLegacyDto, QueuesResponseLegacyDto } from '../areas/jobs/schemas.ts';
import type {
  ServerAboutResponseDto,
  ServerConfigDto,
  ServerMediaTypesResponseDto,
  ServerStorageResponseDto,
} from '../areas/server/schemas.ts';
import type { SessionResponseDto } from '../areas/sessions/schemas.ts';
import type {
  TimeBucketAssetResponseDto,
  TimeBucketsResponseDto,
} from '../areas/timeline/schemas.ts';
import type {
  AssetBulkUploadCheckResponseDto,
  AssetMediaResponseDto,
} from '../areas/uploads/schemas.ts';
import type { UserAdminResponseDto, UserResponseDto } from '../areas/users/schemas.ts';
import type { BulkIdResponseDto } from '../http/schemas.ts';

export type AssetVisibility = typeof Visibility.static;
export type Asset = typeof AssetResponseDto.static;
export type Exif = typeof ExifResponseDto.static;
export type AssetChange = typeof UpdateAssetDto.static;

export type MonthCount = typeof TimeBucketsResponseDto.static;
/** One month, as columns of equal length. */
export type MonthColumns = typeof TimeBucketAssetResponseDto.static;

export type Album = typeof AlbumResponseDto.static;
export type AlbumRole = Album['albumUsers'][number]['role'];
export type BulkResult = typeof BulkIdResponseDto.static;

export type Login = typeof LoginResponseDto.static;
export type Me = typeof UserAdminResponseDto.static;
export type Person = typeof UserResponseDto.static;
export type DeviceSession = typeof SessionResponseDto.static;
export type ApiKey = typeof ApiKeyResponseDto.static;
export type NewApiKey = typeof ApiKeyCreateResponseDto.static;

export type Queue = typeof QueueResponseLegacyDto.static;
export type Queues = typeof QueuesResponseLegacyDto.static;

export type UploadCheck = typeof AssetBulkUploadCheckResponseDto.static;
export type Uploaded = typeof AssetMediaResponseDto.static;

export type ServerConfig = typeof ServerConfigDto.static;
export type ServerAbout = typeof ServerAboutResponseDto.static;
export type MediaTypes = typeof ServerMediaTypesResponseDto.static;
export type Storage = typeof ServerStorageResponseDto.static;
export type DownloadPlan = {
  totalSize: number;
  archives: { size: number; assetIds: string[] }[];
};
