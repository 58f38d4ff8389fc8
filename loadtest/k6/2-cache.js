// Stage 2: With a large enough cache, does the back end keep up with the clients?
// Prepared by `./lab serve`. Load, settings and thresholds: loadtest/stages/2-cache.json. Variables: lib/stage.js.
import { stage } from './lib/stage.js';

export const { options, setup, load, observe } = stage('2');
