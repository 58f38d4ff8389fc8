// Stage 5-clean: How much does the application complete in the eight minutes of the article?
// Prepared by `./lab serve`. Load, settings and thresholds: loadtest/stages/5-clean.json. Variables: lib/stage.js.
import { stage } from './lib/stage.js';

export const { options, setup, load, observe } = stage('5-clean');
