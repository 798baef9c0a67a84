/** A step failed. The step is tried again before the run ends with its error. */
export class StepError extends Error {
  override readonly name = 'StepError';
  readonly step: { readonly index: number; readonly method: string } | undefined;

  constructor(step: StepError['step'], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.step = step;
  }
}
