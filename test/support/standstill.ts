/** How long this process stood still because of its own work. What others took of the machine does not count. */
import { readFileSync } from 'node:fs';

/** The ms that the main thread has worked; where the system does not tell, those of all threads. */
function worked(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
  }
}

/** Watches until it is asked for the longest time in ms during which nothing else could run. */
export function standstill(): { longest(): number } {
  const now = () => ({ worked: worked(), at: performance.now() });
  let longest = 0;
  let last = now();
  const look = () => {
    const next = now();
    longest = Math.max(longest, Math.min(next.worked - last.worked, next.at - last.at));
    last = next;
  };
  const timer = setInterval(look, 1);
  return {
    longest: () => {
      clearInterval(timer);
      look();
      return longest;
    },
  };
}
