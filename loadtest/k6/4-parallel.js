// Stage 4: Do more concurrent calls and prefetching clear the backlog?
// Prepared by `./lab serve`. Load, settings and thresholds: loadtest/stages/4-parallel.json. Variables: lib/stage.js.
import { stage } from './lib/stage.js';

export const { options, setup, load, observe } = stage('4');
