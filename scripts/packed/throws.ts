/** An error from the middle of the package, so that its stack trace can be looked at. */
import { agent } from 'askback';

try {
  agent('');
} catch (error) {
  console.log((error as Error).stack);
}
