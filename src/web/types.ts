// What the API says, by the names of its own schemas. Types only: nothing of the server is bundled.

export type AssetVisibility = 'archive' | 'timeline' | 'hidden' | 'locked';
export type AlbumRole = 'owner' | 'editor' | 'viewer';

export type ServerConfig = { isInitialized: boolean; loginPageMessage: string };

export type Me = {
  id: string;
  name: string;
  email: string;
  isAdmin: boolean;
  shouldChangePassword: boolean;
  quotaSizeInBytes: number | null;
  quotaUsageInBytes: number | null;
  status: string;
  deletedAt: string | null;
};
export type Person = { id: string; name: string; email: string };

export type MonthCount = { timeBucket: string; count: number };

/** One month, as columns of equal length. */
export type MonthColumns = {
  id: string[];
  ownerId: string[];
  ratio: number[];
  isFavorite: boolean[];
  isImage: boolean[];
  thumbhash: (string | null)[];
  fileCreatedAt: string[];
  localOffsetHours: number[];
  duration: (number | null)[];
  livePhotoVideoId: (string | null)[];
};

export type Exif = {
  make?: string | null;
  model?: string | null;
  lensModel?: string | null;
  fNumber?: number | null;
  focalLength?: number | null;
  iso?: number | null;
  exposureTime?: string | null;
  fileSizeInByte?: number | null;
  dateTimeOriginal?: string | null;
  timeZone?: string | null;
  city?: string | null;
  state?: string | null;
  country?: string | null;
  description?: string | null;
  rating?: number | null;
};
export type Asset = {
  id: string;
  ownerId: string;
  type: 'IMAGE' | 'VIDEO' | 'AUDIO' | 'OTHER';
  originalFileName: string;
  fileCreatedAt: string;
  localDateTime: string;
  width: number | null;
  height: number | null;
  isFavorite: boolean;
  visibility: AssetVisibility;
  exifInfo?: Exif;
};
export type AssetChange = {
  isFavorite?: boolean;
  visibility?: AssetVisibility;
  description?: string;
  rating?: number | null;
};

export type Album = {
  id: string;
  albumName: string;
  description: string;
  albumThumbnailAssetId: string | null;
  assetCount: number;
  albumUsers: { role: AlbumRole; user: Person }[];
  shared: boolean;
  startDate?: string;
  endDate?: string;
};
export type BulkResult = { id: string; success: boolean; error?: string };

export type UploadCheck = {
  results: {
    id: string;
    action: 'accept' | 'reject';
    reason?: 'duplicate' | 'unsupported-format';
    assetId?: string;
  }[];
};
export type Uploaded = { id: string; status: 'created' | 'duplicate' | 'replaced' };

export type JobCounts = {
  active: number;
  completed: number;
  failed: number;
  delayed: number;
  waiting: number;
  paused: number;
};
export type Queue = {
  jobCounts: JobCounts;
  queueStatus: { isActive: boolean; isPaused: boolean };
};
export type Queues = Record<string, Queue>;

export type ApiKey = { id: string; name: string; permissions: string[]; createdAt: string };
export type DeviceSession = {
  id: string;
  current: boolean;
  deviceOS: string;
  deviceType: string;
  createdAt: string;
  updatedAt: string;
};
export type DownloadPlan = {
  totalSize: number;
  archives: { size: number; assetIds: string[] }[];
};
export type ServerAbout = { version: string; build?: string };
export type Storage = { diskUse: string; diskSize: string; diskUsagePercentage: number };
