import { t } from 'elysia';
import { WORKFLOW_RESULTS, WORKFLOW_TRIGGERS } from '../../db/tables/workflows.ts';
import { AnyUuid, QueryFlag, stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';

export const WorkflowTriggerEnum = stringEnum(WORKFLOW_TRIGGERS, { title: 'WorkflowTrigger' });
const WorkflowTypeEnum = stringEnum(['AssetV1'], { title: 'WorkflowType' });
const WorkflowResultEnum = stringEnum(WORKFLOW_RESULTS, { title: 'WorkflowResult' });

const StepConfig = t.Nullable(t.Object({}, { additionalProperties: true }));

const WorkflowStepDto = t.Object(
  {
    method: t.String({ maxLength: 300 }),
    config: StepConfig,
    enabled: t.Optional(t.Boolean()),
  },
  { title: 'WorkflowStepDto' },
);

const WorkflowShareStepDto = t.Object(
  { method: t.String(), config: StepConfig, enabled: t.Optional(t.Boolean()) },
  { title: 'WorkflowShareStepDto' },
);

const Name = t.Optional(t.Nullable(t.String({ maxLength: 300 })));
const Description = t.Optional(t.Nullable(t.String({ maxLength: 2_000 })));
export const Steps = t.Optional(t.Array(WorkflowStepDto, { maxItems: 100 }));

export const WorkflowCreateDto = t.Object(
  {
    trigger: WorkflowTriggerEnum,
    name: Name,
    description: Description,
    enabled: t.Optional(t.Boolean()),
    logging: t.Optional(t.Boolean()),
    steps: Steps,
  },
  { title: 'WorkflowCreateDto' },
);
export type WorkflowCreate = typeof WorkflowCreateDto.static;

export const WorkflowUpdateDto = t.Object(
  {
    trigger: t.Optional(WorkflowTriggerEnum),
    name: Name,
    description: Description,
    enabled: t.Optional(t.Boolean()),
    logging: t.Optional(t.Boolean()),
    steps: Steps,
  },
  { title: 'WorkflowUpdateDto' },
);
export type WorkflowUpdate = typeof WorkflowUpdateDto.static;

export const WorkflowSearchQuery = t.Object({
  id: t.Optional(Uuid),
  trigger: t.Optional(WorkflowTriggerEnum),
  name: t.Optional(t.String()),
  description: t.Optional(t.String()),
  enabled: QueryFlag,
  logging: QueryFlag,
});
export type WorkflowSearch = typeof WorkflowSearchQuery.static;

export const WorkflowResponseDto = t.Object(
  {
    id: Uuid,
    trigger: WorkflowTriggerEnum,
    name: t.Nullable(t.String()),
    description: t.Nullable(t.String()),
    createdAt: t.String(),
    updatedAt: t.String(),
    enabled: t.Boolean(),
    logging: t.Boolean(),
    steps: t.Array(WorkflowStepDto),
  },
  { title: 'WorkflowResponseDto' },
);
export type Workflow = typeof WorkflowResponseDto.static;

export const WorkflowShareResponseDto = t.Object(
  {
    trigger: WorkflowTriggerEnum,
    name: t.Nullable(t.String()),
    description: t.Nullable(t.String()),
    steps: t.Array(WorkflowShareStepDto),
  },
  { title: 'WorkflowShareResponseDto' },
);
export type WorkflowShare = typeof WorkflowShareResponseDto.static;

export const WorkflowTriggerResponseDto = t.Object(
  { trigger: WorkflowTriggerEnum, types: t.Array(WorkflowTypeEnum) },
  { title: 'WorkflowTriggerResponseDto' },
);

export const WorkflowLogsQuery = t.Object({
  result: t.Optional(WorkflowResultEnum),
  before: t.Optional(Timestamp),
  limit: t.Integer({ minimum: 1, maximum: 200, default: 50 }),
});
export type WorkflowLogsFilter = typeof WorkflowLogsQuery.static;

export const WorkflowRunParams = t.Object({ id: AnyUuid, runId: AnyUuid });

export const WorkflowLogEntryDto = t.Object(
  {
    id: AnyUuid,
    at: Timestamp,
    result: WorkflowResultEnum,
    /** Groups the attempts of one run. */
    runId: AnyUuid,
    attempt: t.Integer({ minimum: 1 }),
    /** The workflow is enabled and able to run, and the item is still there. */
    canRetry: t.Boolean(),
    error: t.Optional(t.Nullable(t.String({ maxLength: 2_000 }))),
    /** The item that started the run, if the caller may see it. */
    triggerDataId: t.Optional(AnyUuid),
    lastStep: t.Optional(t.Object({ index: t.Number(), method: t.String() })),
  },
  { title: 'WorkflowLogEntryDto' },
);
export type WorkflowLogEntry = typeof WorkflowLogEntryDto.static;
