import type { Settings } from '../../core/settings.ts';
import { getCapabilities } from '../../inference/index.ts';
import { getStylePath, toClientUrl } from '../map/index.ts';
import { DAYS_UNTIL_REMOVAL } from '../users/index.ts';
import type { PublicConfig, UserConfig } from './config.schemas.ts';
import type { ServerFeatures } from './schemas.ts';

const FEATURES = {
  configFile: false,
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

/** Features that need a model, and whether this version implements them. */
const MODEL_FEATURES: Pick<
  ServerFeatures,
  'duplicateDetection' | 'facialRecognition' | 'ocr' | 'smartSearch'
> = {
  duplicateDetection: true,
  facialRecognition: true,
  ocr: true,
  smartSearch: true,
};

/** Features that depend on the models and the settings of this machine only. */
export type LocalFeatures = Omit<ServerFeatures, 'email'>;

/** Returns the features of this server with its models. Clients hide those that are false. */
export function getLocalFeatures(settings: Settings): LocalFeatures {
  const { faces, embedding, text, feature, speech } = getCapabilities(settings);
  return {
    ...FEATURES,
    duplicateDetection: MODEL_FEATURES.duplicateDetection && feature !== undefined,
    facialRecognition: MODEL_FEATURES.facialRecognition && faces !== undefined,
    ocr: MODEL_FEATURES.ocr && text !== undefined,
    smartSearch: MODEL_FEATURES.smartSearch && embedding !== undefined,
    // An extension: left out without a speech model, so that the response equals Immich's.
    ...(speech && { speech: true }),
  };
}

export const MIN_FACES = 3;

/** Long edge, in pixels. */
const THUMBNAIL_SIZE = 250;
const PREVIEW_SIZE = 1440;

const oauth = {
  enabled: FEATURES.oauth,
  autoLaunch: FEATURES.oauthAutoLaunch,
  buttonText: 'Login with OAuth',
};

/** Configuration for the login page. */
export const PUBLIC_CONFIG: PublicConfig = {
  oauth,
  passwordLogin: { enabled: FEATURES.passwordLogin },
  server: { loginPageMessage: '' },
  theme: { customCss: '' },
};

/** Returns the configuration for signed-in clients. */
export function createUserConfig(
  settings: Settings,
  request: Request,
  externalDomain = '',
): UserConfig {
  const features = getLocalFeatures(settings);
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
    server: { externalDomain, loginPageMessage: '', publicUsers: true },
    theme: { customCss: '' },
    trash: { enabled: FEATURES.trash, days: settings.trashDays },
    user: { deleteDelay: DAYS_UNTIL_REMOVAL },
  };
}
