// Stage 1: What slows down processing?
// Prepared by `./lab serve`. Load, settings and thresholds: loadtest/stages/1-baseline.json. Variables: lib/stage.js.
import { stage } from './lib/stage.js';

export const { options, setup, load, observe } = stage('1');
