import { handleReadMetadata } from '../src/areas/assets/exif/exif.handlers.ts';
import { closeTools } from '../src/areas/assets/processing/media-tools.ts';
import { serveLane } from './serve.ts';

serveLane('metadata', { 'assets.readMetadata': handleReadMetadata }, closeTools);
