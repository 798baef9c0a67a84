import type { Settings } from '../../core/settings.ts';
import { getCapabilities } from '../../inference/index.ts';
import { getStylePath, toClientUrl } from '../map/index.ts';
import type { AdminConfig } from '../system-config/index.ts';
import type { PublicConfig, UserConfig } from './config.schemas.ts';
import type { ServerFeatures } from './schemas.ts';

const FEATURES = {
  configFile: false,
  importFaces: false,
  search: true,
  sidecar: true,
};

/** Features that depend on the models and the settings of this machine only. */
export type LocalFeatures = Omit<ServerFeatures, 'email'>;

/** Sections on which features depend. */
export const FEATURE_SECTIONS = [
  'ffmpeg',
  'machineLearning',
  'map',
  'oauth',
  'passwordLogin',
  'reverseGeocoding',
  'trash',
] as const;
type FeatureConfig = Pick<AdminConfig, (typeof FEATURE_SECTIONS)[number]>;

/** Returns the features of this server with its models. Clients hide those that are false. */
export function getLocalFeatures(
  settings: Settings,
  { ffmpeg, machineLearning, map, oauth, passwordLogin, reverseGeocoding, trash }: FeatureConfig,
): LocalFeatures {
  const { faces, embedding, text, feature, speech } = getCapabilities(settings);
  const isOn = (task: 'clip' | 'duplicateDetection' | 'facialRecognition' | 'ocr') =>
    machineLearning.enabled && machineLearning[task].enabled;
  return {
    ...FEATURES,
    realtimeTranscoding: ffmpeg.realtime.enabled,
    map: map.enabled,
    oauth: oauth.enabled,
    oauthAutoLaunch: oauth.autoLaunch,
    passwordLogin: passwordLogin.enabled,
    trash: trash.enabled,
    reverseGeocoding: reverseGeocoding.enabled,
    duplicateDetection: feature !== undefined && isOn('duplicateDetection'),
    facialRecognition: faces !== undefined && isOn('facialRecognition'),
    ocr: text !== undefined && isOn('ocr'),
    smartSearch: embedding !== undefined && isOn('clip'),
    // An extension: left out without a speech model, so that the response equals Immich's.
    ...(speech && { speech: true }),
  };
}

const createOAuth = ({ oauth }: Pick<AdminConfig, 'oauth'>) => ({
  enabled: oauth.enabled,
  autoLaunch: oauth.autoLaunch,
  buttonText: oauth.buttonText,
});

/** Returns the configuration for the login page. */
export const createPublicConfig = (
  config: Pick<AdminConfig, 'oauth' | 'passwordLogin' | 'server' | 'theme'>,
): PublicConfig => ({
  oauth: createOAuth(config),
  passwordLogin: config.passwordLogin,
  server: { loginPageMessage: config.server.loginPageMessage },
  theme: { customCss: config.theme.customCss },
});

/** Returns the configuration for signed-in clients. */
export function createUserConfig(
  settings: Settings,
  request: Request,
  config: AdminConfig,
): UserConfig {
  const features = getLocalFeatures(settings, config);
  const { image } = config;
  const { minFaces } = config.machineLearning.facialRecognition;
  return {
    ffmpeg: {
      realtime: config.ffmpeg.realtime,
    },
    image: {
      fullsize: { enabled: image.fullsize.enabled },
      preview: { size: image.preview.size },
      thumbnail: { size: image.thumbnail.size },
    },
    machineLearning: {
      enabled: features.smartSearch || features.facialRecognition,
      clip: { enabled: features.smartSearch },
      duplicateDetection: { enabled: features.duplicateDetection },
      facialRecognition: { enabled: features.facialRecognition, minFaces },
      ocr: { enabled: features.ocr },
    },
    map: {
      enabled: features.map,
      darkStyle: toClientUrl(request, getStylePath('dark')),
      lightStyle: toClientUrl(request, getStylePath('light')),
    },
    oauth: createOAuth(config),
    passwordLogin: config.passwordLogin,
    reverseGeocoding: { enabled: features.reverseGeocoding },
    server: config.server,
    theme: config.theme,
    trash: { enabled: config.trash.enabled, days: settings.trashDays ?? config.trash.days },
    user: config.user,
  };
}
