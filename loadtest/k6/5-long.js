// Stage 5-long: Can the application sustain this rate?
// Prepared by `./lab serve`. Load, settings and thresholds: loadtest/stages/5-long.json. Variables: lib/stage.js.
import { stage } from './lib/stage.js';

export const { options, setup, load, observe } = stage('5-long');
