// Stage 5: Does a longer lock prevent the collapse?
// Prepared by `./lab serve`. Load, settings and thresholds: loadtest/stages/5-lock.json. Variables: lib/stage.js.
import { stage } from './lib/stage.js';

export const { options, setup, load, observe } = stage('5');
