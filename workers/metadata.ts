import { handleReadMetadata } from '../src/areas/assets/metadata.handlers.ts';
import { closeTools } from '../src/areas/assets/tools.ts';
import { serveLane } from './serve.ts';

serveLane('metadata', { 'assets.readMetadata': handleReadMetadata }, closeTools);
