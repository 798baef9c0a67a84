/** An asset of a project is gone, not for the one who asks, or without its file. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
  readonly assetId: string;
  constructor(assetId: string) {
    super('An item of the project is not available');
    this.assetId = assetId;
  }
}
