import type { Settings } from '../../core/settings.ts';
import { getCapabilities } from '../../inference/index.ts';
import { getStylePath, toClientUrl } from '../map/index.ts';
import { DAYS_UNTIL_REMOVAL } from '../users/index.ts';
import type { PublicConfig, UserConfig } from './config.schemas.ts';
import type { ServerFeatures } from './schemas.ts';

const FEATURES = {
  configFile: false,
  email: false,
  importFaces: false,
  map: true,
  oauth: false,
  oauthAutoLaunch: false,
  passwordLogin: true,
  realtimeTranscoding: false,
  reverseGeocoding: true,
  search: true,
  sidecar: true,
  trash: true,
};

/** What this version serves of what models make possible. */
const SERVED: Pick<
  ServerFeatures,
  'duplicateDetection' | 'facialRecognition' | 'ocr' | 'smartSearch'
> = {
  duplicateDetection: true,
  facialRecognition: true,
  ocr: true,
  smartSearch: true,
};

/** Clients hide what is false here: true only for what this server really does, with its models. */
export function featuresOf(settings: Settings): ServerFeatures {
  const { faces, embedding, text, feature, speech } = getCapabilities(settings);
  return {
    ...FEATURES,
    duplicateDetection: SERVED.duplicateDetection && feature !== undefined,
    facialRecognition: SERVED.facialRecognition && faces !== undefined,
    ocr: SERVED.ocr && text !== undefined,
    smartSearch: SERVED.smartSearch && embedding !== undefined,
    // Immich has no such member: where nothing is written down, the answer is the same as its.
    ...(speech && { speech: true }),
  };
}

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
export function userConfig(settings: Settings, request: Request): UserConfig {
  const features = featuresOf(settings);
  return {
    ffmpeg: {
      realtime: { enabled: FEATURES.realtimeTranscoding, resolutions: [], videoCodecs: [] },
    },
    image: {
      fullsize: { enabled: false },
      preview: { size: PREVIEW_SIZE },
      thumbnail: { size: THUMBNAIL_SIZE },
    },
    machineLearning: {
      enabled: features.smartSearch || features.facialRecognition,
      clip: { enabled: features.smartSearch },
      duplicateDetection: { enabled: features.duplicateDetection },
      facialRecognition: { enabled: features.facialRecognition, minFaces: MIN_FACES },
      ocr: { enabled: features.ocr },
    },
    map: {
      enabled: FEATURES.map,
      darkStyle: toClientUrl(request, getStylePath('dark')),
      lightStyle: toClientUrl(request, getStylePath('light')),
    },
    oauth,
    passwordLogin: { enabled: FEATURES.passwordLogin },
    reverseGeocoding: { enabled: FEATURES.reverseGeocoding },
    server: { externalDomain: '', loginPageMessage: '', publicUsers: true },
    theme: { customCss: '' },
    trash: { enabled: FEATURES.trash, days: settings.trashDays },
    user: { deleteDelay: DAYS_UNTIL_REMOVAL },
  };
}
