import { t } from 'elysia';

export const AdminOnboardingUpdateDto = t.Object(
  { isOnboarded: t.Boolean() },
  { title: 'AdminOnboardingUpdateDto' },
);

export const ReverseGeocodingStateResponseDto = t.Object(
  { lastImportFileName: t.Nullable(t.String()), lastUpdate: t.Nullable(t.String()) },
  { title: 'ReverseGeocodingStateResponseDto' },
);

export const VersionCheckStateResponseDto = t.Object(
  { checkedAt: t.Nullable(t.String()), releaseVersion: t.Nullable(t.String()) },
  { title: 'VersionCheckStateResponseDto' },
);
