// Stage 4-long: Does stage 4 collapse without messages left by stage 3?
// Prepared by `./lab serve`. Load, settings and thresholds: loadtest/stages/4-long.json. Variables: lib/stage.js.
import { stage } from './lib/stage.js';

export const { options, setup, load, observe } = stage('4-long');
