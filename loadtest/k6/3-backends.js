// Stage 3: Are the back-end services the bottleneck?
// Prepared by `./lab serve`. Load, settings and thresholds: loadtest/stages/3-backends.json. Variables: lib/stage.js.
import { stage } from './lib/stage.js';

export const { options, setup, load, observe } = stage('3');
