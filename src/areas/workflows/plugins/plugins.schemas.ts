import { t } from 'elysia';
import { QueryFlag, stringEnum, Uuid } from '../../../http/schemas.ts';
import { WorkflowTriggerEnum } from '../schemas.ts';

const WorkflowTypeEnum = stringEnum(['AssetV1'], { title: 'WorkflowType' });

export const PluginMethodResponseDto = t.Object(
  {
    key: t.String(),
    name: t.String(),
    title: t.String(),
    description: t.String(),
    types: t.Array(WorkflowTypeEnum),
    hostFunctions: t.Boolean(),
    schema: t.Optional(t.Object({}, { additionalProperties: true })),
    uiHints: t.Array(t.String()),
  },
  { title: 'PluginMethodResponseDto' },
);
export type PluginMethod = typeof PluginMethodResponseDto.static;

export const PluginMethodQuery = t.Object({
  id: t.Optional(t.String({ format: 'uuid' })),
  name: t.Optional(t.String()),
  title: t.Optional(t.String()),
  description: t.Optional(t.String()),
  enabled: QueryFlag,
  pluginName: t.Optional(t.String()),
  pluginVersion: t.Optional(t.String()),
  trigger: t.Optional(WorkflowTriggerEnum),
  type: t.Optional(WorkflowTypeEnum),
});
export type PluginMethodSearch = typeof PluginMethodQuery.static;

export const PluginResponseDto = t.Object(
  {
    id: Uuid,
    name: t.String(),
    title: t.String(),
    description: t.String(),
    author: t.String(),
    version: t.String(),
    createdAt: t.String(),
    updatedAt: t.String(),
    methods: t.Array(PluginMethodResponseDto),
  },
  { title: 'PluginResponseDto' },
);
export type Plugin = typeof PluginResponseDto.static;

export const PluginQuery = t.Object({
  id: t.Optional(Uuid),
  name: t.Optional(t.String()),
  title: t.Optional(t.String()),
  description: t.Optional(t.String()),
  enabled: QueryFlag,
  version: t.Optional(t.String()),
});
export type PluginSearch = typeof PluginQuery.static;

const TemplateStep = t.Object(
  {
    method: t.String(),
    config: t.Nullable(t.Object({}, { additionalProperties: true })),
    enabled: t.Optional(t.Boolean()),
  },
  { title: 'PluginTemplateStepResponseDto' },
);

export const PluginTemplateResponseDto = t.Object(
  {
    key: t.String(),
    title: t.String(),
    description: t.String(),
    trigger: WorkflowTriggerEnum,
    steps: t.Array(TemplateStep),
    uiHints: t.Array(t.String()),
  },
  { title: 'PluginTemplateResponseDto' },
);
export type PluginTemplate = typeof PluginTemplateResponseDto.static;
