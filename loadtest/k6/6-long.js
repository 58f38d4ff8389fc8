// Stage 6-long: Can the larger cluster sustain the rate?
// Prepared by `./lab serve`. Load, settings and thresholds: loadtest/stages/6-long.json. Variables: lib/stage.js.
import { stage } from './lib/stage.js';

export const { options, setup, load, observe } = stage('6-long');
