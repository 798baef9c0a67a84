import { badRequest, invalidField } from '../../../core/errors.ts';
import type { Edit } from '../../../media/edits.ts';
import { getMimeType } from '../../../media/formats.ts';
import type { Size } from '../../../media/sizes.ts';
import type { EditsCreate } from './edits.schemas.ts';
import type { EditableAsset } from './edits.store.ts';

const UNEDITABLE_MIME_TYPES: ReadonlySet<string> = new Set(['image/gif', 'image/svg']);

/** Returns why a picture cannot be edited, or undefined. */
export function findRefusal({ type, ...subject }: EditableAsset): string | undefined {
  if (type !== 'IMAGE') return 'Only images can be edited';
  if (subject.liveVideoId !== null) return 'Editing live photos is not supported';
  if (subject.projectionType === 'EQUIRECTANGULAR') {
    return 'Editing panorama images is not supported';
  }
  if (UNEDITABLE_MIME_TYPES.has(getMimeType(subject.fileName))) {
    return 'Editing this kind of image is not supported';
  }
  const { width, height } = subject;
  if (width === null || height === null) return 'Asset dimensions are not available for editing';
  return undefined;
}

/** Returns the size of the unedited picture in pixels. Throws 400 for what cannot be edited. */
export function getEditableSize(subject: EditableAsset): Size {
  const refusal = findRefusal(subject);
  if (refusal !== undefined) throw badRequest(refusal);
  return { width: subject.width ?? 1, height: subject.height ?? 1 };
}

/** Throws 400 for parameters of another action, and for edits in an order or number that is not possible. */
export function toValidEdits(edits: EditsCreate['edits']): Edit[] {
  const steps = edits.map(toEdit);
  requireValidOrder(steps);
  return steps;
}

const PARAMETERS = {
  crop: ['x', 'y', 'width', 'height'],
  mirror: ['axis'],
  rotate: ['angle'],
} as const;

function toEdit({ action, parameters }: EditsCreate['edits'][number], at: number): Edit {
  if (action === 'crop' && 'width' in parameters) return { action, parameters };
  if (action === 'mirror' && 'axis' in parameters) return { action, parameters };
  if (action === 'rotate' && 'angle' in parameters) {
    if ([0, 90, 180, 270].includes(parameters.angle)) return { action, parameters };
    throw invalidField(`edits.${at}.parameters.angle`, 'Must be 0, 90, 180 or 270');
  }
  const keys = PARAMETERS[action].join(', ');
  const message = `Invalid parameters for action '${action}', expecting keys: ${keys}`;
  throw invalidField(`edits.${at}.parameters`, message);
}

function requireValidOrder(steps: readonly Edit[]): void {
  if (steps.findLastIndex((step) => step.action === 'crop') > 0) {
    throw badRequest('Crop action must be the first edit action');
  }
  const kinds = steps.map((step) =>
    step.action === 'mirror' ? `mirror ${step.parameters.axis}` : step.action,
  );
  if (new Set(kinds).size < kinds.length) throw badRequest('Each edit action is allowed once');
}

/** Throws 400 for a crop that ends outside of the picture. */
export function requireInside(steps: readonly Edit[], size: Size): void {
  for (const step of steps) {
    if (step.action !== 'crop') continue;
    const { x, y, width, height } = step.parameters;
    if (x + width > size.width || y + height > size.height) {
      throw badRequest('Crop parameters are out of bounds');
    }
  }
}
