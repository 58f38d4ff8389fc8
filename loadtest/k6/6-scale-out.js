// Stage 6: Does scaling out help now?
// Prepared by `./lab serve`. Load, settings and thresholds: loadtest/stages/6-scale-out.json. Variables: lib/stage.js.
import { stage } from './lib/stage.js';

export const { options, setup, load, observe } = stage('6');
