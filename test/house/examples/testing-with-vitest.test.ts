/** The example for vitest, run as it stands: importing it registers its tests. */
import '../../../examples/testing-with-vitest.js';
