/**
 * The package as a stranger gets it: packed, looked at by publint and attw, installed into an empty folder, compiled
 * under strict TypeScript and run. Leaves nothing behind.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const { devDependencies } = require('../package.json');

const program = `
import { AgentError, type AgentErrorCode, agent, confirm, text } from 'askback';
import { rehearse } from 'askback/testing';

const support = agent('support');
const sure = support.question('sure', confirm('Are you sure?'), {
  onAnswer: (yes) => {
    const answer: boolean = yes;
    return answer ? 'Refunded.' : 'As you were.';
  },
});
const order = support.question('order', text('Which order?', { pattern: /^\\d{5,10}$/ }), {
  onAnswer: (number) => {
    const answer: string = number;
    return \`Order \${answer}, thanks.\`;
  },
});
support.onMessage(({ message, ask }) => ask(/sure/.test(message) ? sure : order));

const { human } = await rehearse({ agents: [support] });
const user = human('user');
const seen = [...(await user.says('refund please')), ...(await user.says('12345'))];
if (seen.join('|') !== 'Which order?|Order 12345, thanks.') throw new Error(\`saw \${JSON.stringify(seen)}\`);

const code: AgentErrorCode = 'no-turn';
if (new AgentError(code, 'x').code !== code) throw new Error('AgentError has no code');
console.log('the packed library asks and hears');
`;

const tsconfig = {
  compilerOptions: {
    target: 'ES2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false, // our declarations are what is being checked
  },
  files: ['program.ts'],
};

const temp = mkdtempSync(join(tmpdir(), 'askback-pack-'));
try {
  const packed = run('npm', ['pack', '--json', '--pack-destination', temp], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [{ filename, files }] = JSON.parse(packed.slice(packed.indexOf('[')));
  const tarball = join(temp, filename);
  console.log(`packed ${files.length} files`);

  run('npx', ['publint', 'run', tarball, '--strict']);
  run('npx', ['attw', tarball, '--profile', 'esm-only']);

  const home = join(temp, 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'stranger', private: true, type: 'module' }));
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(tsconfig));
  writeFileSync(join(home, 'program.ts'), program);
  const wanted = [tarball, `@types/node@${devDependencies['@types/node']}`];
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...wanted], { cwd: home });
  run(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', home]);
  run(process.execPath, ['program.js'], { cwd: home, timeout: 60_000 });
} finally {
  rmSync(temp, { recursive: true, force: true });
}

function run(command, args, options) {
  return execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], encoding: 'utf8', ...options });
}
