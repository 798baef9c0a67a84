import { t } from 'elysia';

const AdminConfigMachineLearningAvailabilityChecksDto = t.Object(
  {
    enabled: t.Boolean(),
    interval: t.Number(),
    timeout: t.Number(),
  },
  { title: 'AdminConfigMachineLearningAvailabilityChecksDto' },
);

const AdminConfigClipDto = t.Object(
  {
    enabled: t.Boolean(),
    modelName: t.String(),
  },
  { title: 'AdminConfigClipDto' },
);

const AdminConfigDuplicateDetectionDto = t.Object(
  {
    enabled: t.Boolean(),
    maxDistance: t.Number(),
  },
  { title: 'AdminConfigDuplicateDetectionDto' },
);

const AdminConfigFacialRecognitionDto = t.Object(
  {
    enabled: t.Boolean(),
    maxDistance: t.Number(),
    minFaces: t.Number(),
    minScore: t.Number(),
    modelName: t.String(),
  },
  { title: 'AdminConfigFacialRecognitionDto' },
);

const AdminConfigOcrDto = t.Object(
  {
    enabled: t.Boolean(),
    maxResolution: t.Number(),
    minDetectionScore: t.Number(),
    minRecognitionScore: t.Number(),
    modelName: t.String(),
  },
  { title: 'AdminConfigOcrDto' },
);

export const AdminConfigMachineLearningDto = t.Object(
  {
    availabilityChecks: AdminConfigMachineLearningAvailabilityChecksDto,
    clip: AdminConfigClipDto,
    duplicateDetection: AdminConfigDuplicateDetectionDto,
    enabled: t.Boolean(),
    facialRecognition: AdminConfigFacialRecognitionDto,
    ocr: AdminConfigOcrDto,
    urls: t.Array(t.String(), { minItems: 1 }),
  },
  { title: 'AdminConfigMachineLearningDto' },
);
