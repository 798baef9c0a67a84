import { handleFoldCounts } from '../src/areas/assets/counts.handlers.ts';
import { handleRequeue } from '../src/areas/assets/requeue.handlers.ts';
import { handleTidy } from '../src/areas/jobs/handlers.ts';
import { handleFoldTagCounts } from '../src/areas/tags/counts.handlers.ts';
import { serveLane } from './serve.ts';

serveLane('background', {
  'assets.foldCounts': handleFoldCounts,
  'assets.requeue': handleRequeue,
  'jobs.tidy': handleTidy,
  'tags.foldCounts': handleFoldTagCounts,
});
