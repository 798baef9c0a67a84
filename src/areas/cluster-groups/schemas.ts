import { t } from 'elysia';
import { Timestamp, Uuid } from '../../http/schemas.ts';

export const ClusterGroupRequestCreateDto = t.Object(
  { userId: Uuid },
  { title: 'ClusterGroupRequestCreateDto' },
);
export type ClusterGroupRequestCreate = typeof ClusterGroupRequestCreateDto.static;

/** An invitation of an account into a group. */
export const ClusterGroupRequestResponseDto = t.Object(
  { id: Uuid, clusterGroupId: Uuid, userId: Uuid, createdAt: Timestamp },
  { title: 'ClusterGroupRequestResponseDto' },
);
export type ClusterGroupRequest = typeof ClusterGroupRequestResponseDto.static;
