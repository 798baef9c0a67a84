import type { Settings } from '../../core/settings.ts';
import { DAYS_UNTIL_REMOVAL } from '../users/index.ts';
import type { PublicConfig, UserConfig } from './config.schemas.ts';
import type { ServerFeatures } from './schemas.ts';

/** Clients hide what is false here: true only for what this server really does. */
export const FEATURES: ServerFeatures = {
  configFile: false,
  duplicateDetection: false,
  email: false,
  facialRecognition: false,
  importFaces: false,
  map: false,
  oauth: false,
  oauthAutoLaunch: false,
  ocr: false,
  passwordLogin: true,
  realtimeTranscoding: false,
  reverseGeocoding: true,
  search: true,
  sidecar: true,
  smartSearch: false,
  trash: true,
};

export const MIN_FACES = 3;

/** Sizes of the long edge, in pixels. */
const THUMBNAIL_SIZE = 250;
const PREVIEW_SIZE = 1440;

const oauth = {
  enabled: FEATURES.oauth,
  autoLaunch: FEATURES.oauthAutoLaunch,
  buttonText: 'Login with OAuth',
};

/** What the login page has to know. */
export const PUBLIC_CONFIG: PublicConfig = {
  oauth,
  passwordLogin: { enabled: FEATURES.passwordLogin },
  server: { loginPageMessage: '' },
  theme: { customCss: '' },
};

/** What a client has to know once somebody is logged in. */
export const userConfig = ({ trashDays }: Settings): UserConfig => ({
  ffmpeg: {
    realtime: { enabled: FEATURES.realtimeTranscoding, resolutions: [], videoCodecs: [] },
  },
  image: {
    fullsize: { enabled: false },
    preview: { size: PREVIEW_SIZE },
    thumbnail: { size: THUMBNAIL_SIZE },
  },
  machineLearning: {
    enabled: FEATURES.smartSearch || FEATURES.facialRecognition,
    clip: { enabled: FEATURES.smartSearch },
    duplicateDetection: { enabled: FEATURES.duplicateDetection },
    facialRecognition: { enabled: FEATURES.facialRecognition, minFaces: MIN_FACES },
    ocr: { enabled: FEATURES.ocr },
  },
  map: { enabled: FEATURES.map, darkStyle: '', lightStyle: '' },
  oauth,
  passwordLogin: { enabled: FEATURES.passwordLogin },
  reverseGeocoding: { enabled: FEATURES.reverseGeocoding },
  server: { externalDomain: '', loginPageMessage: '', publicUsers: true },
  theme: { customCss: '' },
  trash: { enabled: FEATURES.trash, days: trashDays },
  user: { deleteDelay: DAYS_UNTIL_REMOVAL },
});
