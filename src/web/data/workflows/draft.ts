import { ApiError, getMessage } from '../../base/api.ts';
import { createPersonalStore } from '../../base/store.ts';
import type { Workflow, WorkflowCreate, WorkflowMethod, WorkflowShare } from '../types.ts';
import { type Config, createConfig, type SchemaNode } from './schema.ts';
import { getFieldName, TRIGGERS } from './words.ts';
import { t } from '../../base/i18n.ts';

export type DraftStep = {
  /** Within the draft. */
  readonly id: number;
  readonly method: string;
  readonly config: Config;
  readonly isEnabled: boolean;
};

/** A workflow that is being written. */
export type Draft = {
  readonly name: string;
  readonly description: string;
  readonly trigger: Workflow['trigger'];
  readonly isLogging: boolean;
  readonly steps: readonly DraftStep[];
};

export const EMPTY_DRAFT: Draft = {
  name: '',
  description: '',
  trigger: 'AssetCreate',
  isLogging: true,
  steps: [],
};

/** The draft that the page of a new workflow begins with: empty, of a template, or of a file. */
export const newDraft = createPersonalStore(EMPTY_DRAFT);

export type DraftAction =
  | { readonly type: 'change'; readonly change: Partial<Omit<Draft, 'steps'>> }
  | { readonly type: 'add'; readonly method: WorkflowMethod }
  | { readonly type: 'change-step'; readonly id: number; readonly change: Partial<DraftStep> }
  | { readonly type: 'move'; readonly id: number; readonly by: -1 | 1 }
  | { readonly type: 'remove'; readonly id: number };

export function reduceDraft(draft: Draft, action: DraftAction): Draft {
  const { steps } = draft;
  switch (action.type) {
    case 'change':
      return { ...draft, ...action.change };
    case 'add': {
      const { key: method, schema = {} } = action.method;
      const id = Math.max(0, ...steps.map((step) => step.id)) + 1;
      const step = { id, method, config: createConfig(schema as SchemaNode), isEnabled: true };
      return { ...draft, steps: [...steps, step] };
    }
    case 'change-step': {
      const { id, change } = action;
      return {
        ...draft,
        steps: steps.map((step) => (step.id === id ? { ...step, ...change } : step)),
      };
    }
    case 'move':
      return { ...draft, steps: moveStep(steps, action.id, action.by) };
    case 'remove':
      return { ...draft, steps: steps.filter(({ id }) => id !== action.id) };
  }
}

function moveStep(steps: Draft['steps'], id: number, by: -1 | 1): Draft['steps'] {
  const from = steps.findIndex((step) => step.id === id);
  const to = from + by;
  const [moved, other] = [steps[from], steps[to]];
  return moved && other ? steps.with(from, other).with(to, moved) : steps;
}

type Definition = WorkflowShare & { readonly logging?: boolean };

export const toDraft = ({ name, description, trigger, steps, logging }: Definition): Draft => ({
  name: name ?? '',
  description: description ?? '',
  trigger,
  isLogging: logging ?? true,
  steps: steps.map(({ method, config, enabled }, index) => ({
    id: index + 1,
    method,
    config: config ?? {},
    isEnabled: enabled ?? true,
  })),
});

export const toBody = (draft: Draft): WorkflowCreate => ({
  trigger: draft.trigger,
  name: draft.name.trim() || null,
  description: draft.description.trim() || null,
  logging: draft.isLogging,
  steps: toSteps(draft.steps),
});

export const toSteps = (steps: Draft['steps']): NonNullable<WorkflowCreate['steps']> =>
  steps.map(({ method, config, isEnabled }) => ({
    method,
    config: { ...config },
    enabled: isEnabled,
  }));

/** Tells whether the server would store the same. */
export const isSameDraft = (one: Draft, other: Draft): boolean =>
  JSON.stringify(toBody(one)) === JSON.stringify(toBody(other));

/** Returns the draft of an exported workflow. Throws if the text is something else. */
export function parseShare(text: string): Draft {
  const definition = readJson(text);
  if (!isDefinition(definition)) throw new Error(t('This file holds no workflow.'));
  return toDraft(definition);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): boolean => typeof (value ?? '') === 'string';
const isStep = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['method'] === 'string' &&
  isObject(value['config'] ?? {}) &&
  (value['enabled'] === undefined || typeof value['enabled'] === 'boolean');

const isDefinition = (value: unknown): value is Definition =>
  isObject(value) &&
  isText(value['name']) &&
  isText(value['description']) &&
  typeof value['trigger'] === 'string' &&
  Object.hasOwn(TRIGGERS, value['trigger']) &&
  Array.isArray(value['steps']) &&
  value['steps'].every(isStep);

export type Faults = {
  /** Messages by the id of the step that they are about. */
  readonly steps: ReadonlyMap<number, readonly string[]>;
  /** About the workflow as a whole. */
  readonly text: string | undefined;
};

/** Joins the messages of the same step, each once. */
export const mergeFaults = (one: Faults, other: Faults): Faults => ({
  steps: new Map(
    [...one.steps.keys(), ...other.steps.keys()].map((id) => [
      id,
      [...new Set([...(one.steps.get(id) ?? []), ...(other.steps.get(id) ?? [])])],
    ]),
  ),
  text: one.text ?? other.text,
});

export const NO_FAULTS: Faults = { steps: new Map(), text: undefined };

/** Sorts what the server refused by step: its errors name `steps.1.config.pattern`. */
export function toFaults(error: unknown, steps: Draft['steps']): Faults {
  const found = new Map<number, string[]>();
  for (const [path, message] of Object.entries(error instanceof ApiError ? error.fields : {})) {
    const [, at, rest = ''] = /^steps\.(\d+)\.?(.*)$/.exec(path) ?? [];
    const step = steps[Number(at)];
    if (!step) continue;
    const field = rest.split('.').findLast((part) => !/^(?:config|method|\d*)$/.test(part));
    const label = field ? `${getFieldName(step.method, field)}: ` : '';
    found.set(step.id, [...(found.get(step.id) ?? []), `${label}${message}`]);
  }
  return { steps: found, text: found.size > 0 ? undefined : getMessage(error) };
}
