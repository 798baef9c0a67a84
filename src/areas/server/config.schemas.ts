import { t } from 'elysia';
import { stringEnum } from '../../http/schemas.ts';

const PublicConfigOAuthDto = t.Object(
  {
    autoLaunch: t.Boolean(),
    buttonText: t.String(),
    enabled: t.Boolean(),
  },
  { title: 'PublicConfigOAuthDto' },
);

const PublicConfigPasswordLoginDto = t.Object(
  { enabled: t.Boolean() },
  { title: 'PublicConfigPasswordLoginDto' },
);

const PublicConfigServerDto = t.Object(
  { loginPageMessage: t.String() },
  { title: 'PublicConfigServerDto' },
);

const PublicConfigThemeDto = t.Object({ customCss: t.String() }, { title: 'PublicConfigThemeDto' });

export const PublicConfigDto = t.Object(
  {
    oauth: PublicConfigOAuthDto,
    passwordLogin: PublicConfigPasswordLoginDto,
    server: PublicConfigServerDto,
    theme: PublicConfigThemeDto,
  },
  { title: 'PublicConfigDto' },
);

const UserConfigFFmpegRealtimeDto = t.Object(
  {
    enabled: t.Boolean(),
    resolutions: t.Array(t.Integer()),
    videoCodecs: t.Array(stringEnum(['h264', 'hevc', 'vp9', 'av1'], { title: 'VideoCodec' })),
  },
  { title: 'UserConfigFFmpegRealtimeDto' },
);

const UserConfigFFmpegDto = t.Object(
  { realtime: UserConfigFFmpegRealtimeDto },
  { title: 'UserConfigFFmpegDto' },
);

const UserConfigGeneratedFullsizeImageDto = t.Object(
  { enabled: t.Boolean() },
  { title: 'UserConfigGeneratedFullsizeImageDto' },
);

const UserConfigGeneratedImageDto = t.Object(
  { size: t.Number() },
  { title: 'UserConfigGeneratedImageDto' },
);

const UserConfigImageDto = t.Object(
  {
    fullsize: UserConfigGeneratedFullsizeImageDto,
    preview: UserConfigGeneratedImageDto,
    thumbnail: UserConfigGeneratedImageDto,
  },
  { title: 'UserConfigImageDto' },
);

const UserConfigClipDto = t.Object({ enabled: t.Boolean() }, { title: 'UserConfigClipDto' });

const UserConfigDuplicateDetectionDto = t.Object(
  { enabled: t.Boolean() },
  { title: 'UserConfigDuplicateDetectionDto' },
);

const UserConfigFacialRecognitionDto = t.Object(
  {
    enabled: t.Boolean(),
    minFaces: t.Number(),
  },
  { title: 'UserConfigFacialRecognitionDto' },
);

const UserConfigOcrDto = t.Object({ enabled: t.Boolean() }, { title: 'UserConfigOcrDto' });

const UserConfigMachineLearningDto = t.Object(
  {
    clip: UserConfigClipDto,
    duplicateDetection: UserConfigDuplicateDetectionDto,
    enabled: t.Boolean(),
    facialRecognition: UserConfigFacialRecognitionDto,
    ocr: UserConfigOcrDto,
  },
  { title: 'UserConfigMachineLearningDto' },
);

const UserConfigMapDto = t.Object(
  {
    darkStyle: t.String(),
    enabled: t.Boolean(),
    lightStyle: t.String(),
  },
  { title: 'UserConfigMapDto' },
);

const UserConfigOAuthDto = t.Object(
  {
    autoLaunch: t.Boolean(),
    buttonText: t.String(),
    enabled: t.Boolean(),
  },
  { title: 'UserConfigOAuthDto' },
);

const UserConfigPasswordLoginDto = t.Object(
  { enabled: t.Boolean() },
  { title: 'UserConfigPasswordLoginDto' },
);

const UserConfigReverseGeocodingDto = t.Object(
  { enabled: t.Boolean() },
  { title: 'UserConfigReverseGeocodingDto' },
);

const UserConfigServerDto = t.Object(
  {
    externalDomain: t.String(),
    loginPageMessage: t.String(),
    publicUsers: t.Boolean(),
  },
  { title: 'UserConfigServerDto' },
);

const UserConfigThemeDto = t.Object({ customCss: t.String() }, { title: 'UserConfigThemeDto' });

const UserConfigTrashDto = t.Object(
  {
    days: t.Number(),
    enabled: t.Boolean(),
  },
  { title: 'UserConfigTrashDto' },
);

const UserConfigUserDto = t.Object({ deleteDelay: t.Number() }, { title: 'UserConfigUserDto' });

export const UserConfigDto = t.Object(
  {
    ffmpeg: UserConfigFFmpegDto,
    image: UserConfigImageDto,
    machineLearning: UserConfigMachineLearningDto,
    map: UserConfigMapDto,
    oauth: UserConfigOAuthDto,
    passwordLogin: UserConfigPasswordLoginDto,
    reverseGeocoding: UserConfigReverseGeocodingDto,
    server: UserConfigServerDto,
    theme: UserConfigThemeDto,
    trash: UserConfigTrashDto,
    user: UserConfigUserDto,
  },
  { title: 'UserConfigDto' },
);

export type PublicConfig = typeof PublicConfigDto.static;
export type UserConfig = typeof UserConfigDto.static;
